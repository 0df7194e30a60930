/// A JSON value.
///
/// Foundation's readers silently drop duplicate names and do not limit the depth, so Forge has its
/// own reader.
enum JSONValue: Sendable {
  case integer(Int)
  case text(String)
  case array([JSONValue])
  case object(JSONObject)
  /// Values that no weight file needs: other numbers, Booleans and null.
  case other

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var integer: Int? { if case .integer(let integer) = self { integer } else { nil } }
  var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }
  var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

  /// The value of a member; `nil` if this is not an object or has no such member.
  subscript(name: EntryName) -> JSONValue? { object?[name] }
}

/// A JSON object, without duplicate names.
struct JSONObject: Sendable {
  /// The members in the order of the text.
  private(set) var members: [(name: EntryName, value: JSONValue)] = []
  /// The index of each member; empty for small objects, which are searched linearly.
  private var indices: [EntryName: Int] = [:]
  private static let mostUnindexed = 8

  subscript(name: EntryName) -> JSONValue? { index(of: name).map { members[$0].value } }

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
