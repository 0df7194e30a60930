/// A JSON value.
///
/// Foundation's readers silently drop duplicate names and do not limit the depth, so Forge has its
/// own reader.
package enum JSONValue: Sendable {
  case integer(Int)
  /// A number that is not an `Int`.
  case number(Double)
  case text(String)
  case flag(Bool)
  case array([JSONValue])
  case object(JSONObject)
  case null

  package var text: String? { if case .text(let text) = self { text } else { nil } }
  package var integer: Int? { if case .integer(let integer) = self { integer } else { nil } }
  package var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
  package var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }
  package var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
  package var isNull: Bool { if case .null = self { true } else { false } }

  /// The value of a member; `nil` if this is not an object or has no such member.
  package subscript(name: EntryName) -> JSONValue? { object?[name] }

  /// Reads the JSON that Python's writer makes, in which numbers may be `NaN` and `Infinity`.
  ///
  /// - Parameters:
  ///   - text: the JSON.
  ///   - name: the origin of the text, for error messages.
  ///   - maximumDepth: the maximum nesting depth.
  ///   - limits: the limits on the memory of the values.
  /// - Returns: the value.
  /// - Throws: ``LoadError``: `damaged`, `duplicate`, `refused` or `outOfMemory`.
  package static func python(
    _ text: String, name: String, maximumDepth: Int = 256, limits: LoadLimits = LoadLimits()
  ) throws(LoadError) -> JSONValue {
    let bytes = Array(text.utf8)
    let file = try InputFile.copying(bytes, name: name)
    return try file.locating { () throws(LoadError) in
      try JSONReader.value(
        ByteCursor(bytes[...], "a JSON string"), maximumDepth: maximumDepth,
        allowsNonFinite: true, LoadBudget(limits, file))
    }
  }
}

/// A JSON object, without duplicate names.
package struct JSONObject: Sendable {
  /// The members in the order of the text.
  package private(set) var members: [(name: EntryName, value: JSONValue)] = []
  /// The index of each member; empty for small objects, which are searched linearly.
  private var indices: [EntryName: Int] = [:]
  private static let mostUnindexed = 8

  package init() {}

  package subscript(name: EntryName) -> JSONValue? { index(of: name).map { members[$0].value } }

  /// Adds a member; returns `false` for a duplicate name.
  mutating func add(_ name: EntryName, _ value: JSONValue) -> Bool {
    guard index(of: name) == nil else { return false }
    members.append((name, value))
    if members.count == Self.mostUnindexed {
      for (index, member) in members.enumerated() { indices[member.name] = index }
    } else if members.count > Self.mostUnindexed {
      indices[name] = members.count - 1
    }
    return true
  }

  private func index(of name: EntryName) -> Int? {
    members.count < Self.mostUnindexed
      ? members.firstIndex { $0.name == name } : indices[name]
  }
}
