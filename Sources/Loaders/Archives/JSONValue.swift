/// A value of a JSON text.
///
/// Foundation's readers keep one of two members of the same name without a word, and go as deep as
/// the text does; a file of parameters must not depend on either, so Forge reads these texts
/// itself.
enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case text(String)
  case array([JSONValue])
  case object(JSONObject)

  /// The text, when it is one.
  var text: String? {
    if case .text(let text) = self { return text }
    return nil
  }

  /// The integer, when it is one.
  var integer: Int? {
    if case .integer(let integer) = self { return integer }
    return nil
  }

  /// The elements, when it is an array.
  var array: [JSONValue]? {
    if case .array(let array) = self { return array }
    return nil
  }

  /// The object, when it is one.
  var object: JSONObject? {
    if case .object(let object) = self { return object }
    return nil
  }
}

/// The members of a JSON object, no two of one name.
struct JSONObject: Sendable {
  /// The members in the order of the text.
  private(set) var members: [(name: EntryName, value: JSONValue)] = []
  /// Where each is, once there are so many that looking at all takes longer.
  private var indices: [EntryName: Int] = [:]
  private static let mostUnindexed = 8

  /// The value of a member.
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
