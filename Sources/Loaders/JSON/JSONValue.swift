/// A value of a JSON text.
///
/// Foundation's readers silently drop one of two members of the same name and do not limit the
/// depth, so Forge has a reader of its own.
enum JSONValue: Sendable {
  case integer(Int)
  case text(String)
  case array([JSONValue])
  case object(JSONObject)
  /// A value that no file of parameters needs: another number, a truth value or null.
  case other

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var integer: Int? { if case .integer(let integer) = self { integer } else { nil } }
  var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }
  var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

  /// The value of a member; `nil` where this is no object or has none of that name.
  subscript(name: EntryName) -> JSONValue? { object?[name] }
}

/// The members of a JSON object, no two of one name.
struct JSONObject: Sendable {
  /// The members in the order of the text.
  private(set) var members: [(name: EntryName, value: JSONValue)] = []
  /// The index of each member, if there are too many for a linear search.
  private var indices: [EntryName: Int] = [:]
  private static let mostUnindexed = 8

  subscript(name: EntryName) -> JSONValue? { index(of: name).map { members[$0].value } }

  /// Adds a member; `false` when there is one of that name.
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
