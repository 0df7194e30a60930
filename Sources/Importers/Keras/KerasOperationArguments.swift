import Forge
import ForgeLoaders

extension KerasCall {
  /// An argument of an operation: by name in the call, in the operation itself, or by position.
  func value(_ names: String..., at position: Int? = nil) -> KerasValue? {
    reads?.note(names, position)
    for name in names {
      if let found = keywords[name], !found.isNull { return found }
      if let found = layer.config[name] { return .json(found) }
    }
    guard let position, arguments.indices.contains(position), !arguments[position].isNull else {
      return nil
    }
    return arguments[position]
  }

  /// A whole number among the arguments.
  func integer(_ value: KerasValue?, default usual: Int) throws(KerasFault) -> Int {
    guard let value else { return usual }
    guard case .json(let json) = value, let integer = json.wholeNumber else {
      throw .unsupported("an argument that is not a whole number")
    }
    return integer
  }

  /// Whole numbers among the arguments.
  func integers(_ value: KerasValue?) throws(KerasFault) -> [Int]? {
    guard let value else { return nil }
    guard let integers = value.json?.wholeNumbers else {
      throw .unsupported("an argument that is not made of whole numbers")
    }
    return integers
  }

  /// A Boolean among the arguments.
  func flag(_ value: KerasValue?, default usual: Bool) throws(KerasFault) -> Bool {
    guard let value else { return usual }
    guard let flag = value.json?.flag else {
      throw .unsupported("an argument that is neither true nor false")
    }
    return flag
  }

  /// A number among the arguments.
  func number(_ value: KerasValue?) throws(KerasFault) -> Float? {
    guard let value else { return nil }
    guard let number = value.json?.float else {
      throw .unsupported("an argument that is not a number")
    }
    return number
  }
}

extension KerasValue {
  var isNull: Bool {
    if case .json(let json) = self { json.isNull } else { false }
  }

  /// The value without tensors; `nil` if it has some.
  var json: JSONValue? {
    switch self {
    case .json(let json): return json
    case .tensor: return nil
    case .list(let list):
      let values = list.compactMap(\.json)
      return values.count == list.count ? .array(values) : nil
    }
  }
}
