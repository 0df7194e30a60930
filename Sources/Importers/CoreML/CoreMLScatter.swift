import Forge

/// What Core ML does with the elements that updates meet.
enum CoreMLScatterMode: String {
  case update, add, sub, mul, div, max, min

  /// The modes by their number in networks.
  private static let numbered: [CoreMLScatterMode] = [.update, .add, .sub, .mul, .div, .max, .min]

  /// The mode with a number in networks.
  ///
  /// - Throws: ``NodeFailure`` for another number.
  init(number: Int) throws {
    guard Self.numbered.indices.contains(number) else {
      throw NodeFailure.unsupported("mode \(number)")
    }
    self = Self.numbered[number]
  }

  /// The mode with a name in ML Programs.
  ///
  /// - Throws: ``NodeFailure`` for another name.
  init(name: String) throws {
    guard let mode = Self(rawValue: name) else { throw NodeFailure.invalid("mode \"\(name)\"") }
    self = mode
  }

  /// ONNX's word for it, without the inverse that the operands need.
  fileprivate var reduction: String {
    switch self {
    case .update: "none"
    case .add, .sub: "add"
    case .mul, .div: "mul"
    case .max: "max"
    case .min: "min"
    }
  }
}

extension ONNXTranslation {
  /// Updates at places along an axis, one for each element.
  mutating func scatteredElements(
    _ data: FileValue, at places: FileValue, _ updates: FileValue, axis: Int,
    _ mode: CoreMLScatterMode
  ) throws -> FileValue {
    try scattered("ScatterElements", data, at: places, updates, mode, ["axis": .int(axis)])
  }

  /// Slices as updates at places along the leading axes.
  mutating func scatteredSlices(
    _ data: FileValue, at places: FileValue, _ updates: FileValue, _ mode: CoreMLScatterMode
  ) throws -> FileValue {
    try scattered("ScatterND", data, at: places, updates, mode, [:])
  }

  /// Entries of an axis as updates: slices along the first axis, once the axis is the first.
  mutating func scatteredEntries(
    _ data: FileValue, at places: FileValue, _ updates: FileValue, axis: Int,
    _ mode: CoreMLScatterMode
  ) throws -> FileValue {
    let rank = data.sizes.count
    let axis = try ONNXCall.axis(axis, rank: rank)
    let added = places.sizes.count
    let expected = Array(data.sizes[..<axis]) + places.sizes + data.sizes[(axis + 1)...]
    guard updates.sizes == expected else {
      throw NodeFailure.invalid("updates \(updates.sizes), which need \(expected)")
    }
    let single = try node("Unsqueeze", [places, .integers([added])])
    guard axis > 0 else { return try scatteredSlices(data, at: single, updates, mode) }
    let before = Array(0..<axis)
    let first = try node(
      "Transpose", [data], ["perm": .ints([axis] + before + (axis + 1..<rank))])
    let placed = Array(axis..<axis + added)
    let moved = try node(
      "Transpose", [updates],
      ["perm": .ints(placed + before + (axis + added..<expected.count))])
    let result = try scatteredSlices(first, at: single, moved, mode)
    let back = before.map { $0 + 1 } + [0] + (axis + 1..<rank)
    return try node("Transpose", [result], ["perm": .ints(back)])
  }

  /// Differences are sums with the opposite updates; quotients are divided by the products of the
  /// updates of each element.
  private mutating func scattered(
    _ type: String, _ data: FileValue, at places: FileValue, _ updates: FileValue,
    _ mode: CoreMLScatterMode, _ attributes: [String: NodeAttribute]
  ) throws -> FileValue {
    var attributes = attributes
    attributes["reduction"] = .string(mode.reduction)
    switch mode {
    case .sub:
      let opposite = try node("Neg", [updates])
      return try node(type, [data, places, opposite], attributes)
    case .div:
      var one = HostTensor(integers: [1], sizes: [], type: data.type)
      if !one.isInteger { one = HostTensor(floats: [1], sizes: []) }
      let ones = try node("Expand", [.host(one), .integers(data.sizes)])
      let divisors = try node(type, [ones, places, updates], attributes)
      return try node("Div", [data, divisors])
    default: return try node(type, [data, places, updates], attributes)
    }
  }
}
