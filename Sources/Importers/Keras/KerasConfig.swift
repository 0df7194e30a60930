import Forge
import ForgeLoaders
import ForgeShapes

/// The arguments of a layer, as `get_config()` of Keras returns them.
///
/// Each argument is read by its names, that of Keras 2 and 3 first and that of Keras 1 after it. An
/// argument that is `null` counts as absent.
struct KerasConfig: Sendable {
  let json: JSONValue

  init(_ json: JSONValue?) { self.json = json ?? .null }

  /// The value of the first argument that is there and not `null`.
  subscript(names: String...) -> JSONValue? { value(names) }

  private func value(_ names: [String]) -> JSONValue? {
    names.lazy.compactMap { json[EntryName($0)] }.first { !$0.isNull }
  }

  private func missing(_ names: [String], _ what: String) -> KerasFault {
    .invalid(
      "the description lacks an argument", received: value(names)?.summary ?? "nothing",
      needs: "\(names[0]): \(what)")
  }

  // MARK: Single values

  func integer(_ names: String..., default usual: Int? = nil) throws(KerasFault) -> Int {
    guard let value = value(names) else {
      if let usual { return usual }
      throw missing(names, "a whole number")
    }
    guard let integer = value.wholeNumber else { throw missing(names, "a whole number") }
    return integer
  }

  func number(_ names: String..., default usual: Float? = nil) throws(KerasFault) -> Float {
    guard let value = value(names) else {
      if let usual { return usual }
      throw missing(names, "a number")
    }
    guard let number = value.float else { throw missing(names, "a number") }
    return number
  }

  /// A number; `nil` if it is absent.
  func optionalNumber(_ names: String...) throws(KerasFault) -> Float? {
    guard let value = value(names) else { return nil }
    guard let number = value.float else { throw missing(names, "a number") }
    return number
  }

  func flag(_ names: String..., default usual: Bool) throws(KerasFault) -> Bool {
    guard let value = value(names) else { return usual }
    if let flag = value.flag { return flag }
    guard let integer = value.integer else { throw missing(names, "true or false") }
    return integer != 0
  }

  func text(_ names: String..., default usual: String) throws(KerasFault) -> String {
    guard let value = value(names) else { return usual }
    guard let text = value.text else { throw missing(names, "a text") }
    return text
  }

  // MARK: Lists

  /// Whole numbers, of which a single one is a list of one; `nil` if absent.
  func integers(_ names: String...) throws(KerasFault) -> [Int]? {
    guard let value = value(names) else { return nil }
    guard let integers = value.wholeNumbers else { throw missing(names, "whole numbers") }
    return integers
  }

  /// Numbers, with nested lists flattened and a single one as a list of one; `nil` if absent.
  func numbers(_ names: String...) throws(KerasFault) -> [Float]? {
    guard let value = value(names) else { return nil }
    guard let numbers = value.floats else { throw missing(names, "numbers") }
    return numbers
  }

  /// One number for both, or height and width.
  func size(
    _ names: String..., default usual: (height: Int, width: Int)? = nil
  ) throws(KerasFault) -> (height: Int, width: Int) {
    guard let value = value(names) else {
      if let usual { return usual }
      throw missing(names, "height and width")
    }
    guard let sizes = value.wholeNumbers, 1...2 ~= sizes.count else {
      throw missing(names, "height and width")
    }
    return (sizes[0], sizes[sizes.count - 1])
  }

  /// One number, which may be a list of one.
  func length(_ names: String..., default usual: Int? = nil) throws(KerasFault) -> Int {
    guard let value = value(names) else {
      if let usual { return usual }
      throw missing(names, "a whole number")
    }
    guard let sizes = value.wholeNumbers, sizes.count == 1 else {
      throw missing(names, "a whole number")
    }
    return sizes[0]
  }

  /// Amounts at the start and the end of each of `axes` axes: one for all, one or two per axis.
  func borders(
    _ names: String..., axes: Int
  ) throws(KerasFault) -> [(before: Int, after: Int)] {
    let fault = missing(names, "one amount, or one or two for each of \(axes) axes")
    guard let value = value(names) else { return Array(repeating: (1, 1), count: axes) }
    if let amount = value.wholeNumber { return Array(repeating: (amount, amount), count: axes) }
    guard let list = value.array else { throw fault }
    if axes == 1, let pair = value.wholeNumbers, pair.count == 2 { return [(pair[0], pair[1])] }
    guard list.count == axes else {
      // Keras 1 has (top, bottom, left, right), too.
      guard axes == 2, let all = value.wholeNumbers, all.count == 4 else { throw fault }
      return [(all[0], all[1]), (all[2], all[3])]
    }
    var borders: [(before: Int, after: Int)] = []
    for item in list {
      guard let amounts = item.wholeNumbers, 1...2 ~= amounts.count else { throw fault }
      borders.append((amounts[0], amounts[amounts.count - 1]))
    }
    return borders
  }
}

extension JSONValue {
  /// A whole number, which Python may have written as `3.0`.
  var wholeNumber: Int? {
    switch self {
    case .integer(let integer): integer
    case .number(let number): Int(exactly: number)
    default: nil
    }
  }

  /// Any number, in single precision.
  var float: Float? {
    switch self {
    case .integer(let integer): Float(integer)
    case .number(let number): Float(number)
    default: nil
    }
  }

  /// Whole numbers; a single one is a list of one.
  var wholeNumbers: [Int]? {
    guard let array else { return wholeNumber.map { [$0] } }
    let numbers = array.compactMap(\.wholeNumber)
    return numbers.count == array.count ? numbers : nil
  }

  /// Numbers, with nested lists flattened; a single one is a list of one.
  var floats: [Float]? {
    guard let array else { return float.map { [$0] } }
    var numbers: [Float] = []
    for element in array {
      guard let inner = element.floats else { return nil }
      numbers += inner
    }
    return numbers
  }

  /// The value as messages show it.
  var summary: String {
    switch self {
    case .integer(let integer): "\(integer)"
    case .number(let number): "\(number)"
    case .text(let text): "\"\(text.prefix(40))\""
    case .flag(let flag): "\(flag)"
    case .array(let array): "a list of \(array.count)"
    case .object(let object): "an object of \(object.members.count)"
    case .null: "null"
    }
  }
}
