/// A value of a JSON text.
///
/// Foundation's readers silently drop one of two members of the same name and do not limit the
/// depth, so Forge has a reader of its own.
enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case text(String)
  case array([JSONValue])
  case object(JSONObject)

  var text: String? {
    if case .text(let text) = self { return text }
    return nil
  }

  var integer: Int? {
    if case .integer(let integer) = self { return integer }
    return nil
  }

  var array: [JSONValue]? {
    if case .array(let array) = self { return array }
    return nil
  }

  var object: JSONObject? {
    if case .object(let object) = self { return object }
    return nil
  }
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
