import Forge

/// The largest magnitudes of integers that a network computes.
///
/// Forge computes in Float32, which has all whole numbers up to 2²⁴. Arithmetic on integers is
/// exact as long as its results are smaller: on Booleans, on their sums along an axis, on
/// positions. Inputs have a bound, because a prediction refuses larger integers. Arithmetic whose
/// results may be larger is refused, except for products that are only tested for zero, and for
/// what is only read as places of a table; see ``ONNXPlaceArithmetic``. So is arithmetic on
/// 8-bit integers, whose results wrap around.
enum ONNXIntegerBounds {
  /// The largest magnitude that Float32 has with all smaller ones.
  static let largest = 1 << 24

  /// What an operator does to integers.
  struct Rule: Sendable {
    /// The bound of a node's result, given those of its inputs.
    let bound: @Sendable (_ call: ONNXCall, _ bounds: [Int?]) throws -> Int?
    /// Whether a node only reads which numbers are 0.
    let readsTruth: @Sendable (_ node: FileNode) -> Bool
    /// What a node does to numbers that are places along an axis.
    let places: Places

    /// What a node does to numbers that are places along an axis.
    enum Places {
      /// It reads them as numbers.
      case numbers
      /// It moves them.
      case moved
      /// It computes others, which are places as well if they are only read as such.
      case computed
      /// It takes the entries there, where those of the input are places.
      case taken(input: Int)
    }

    init(
      readsTruth: @escaping @Sendable (_ node: FileNode) -> Bool = { _ in false },
      places: Places = .numbers,
      _ bound: @escaping @Sendable (_ call: ONNXCall, _ bounds: [Int?]) throws -> Int?
    ) {
      self.bound = bound
      self.readsTruth = readsTruth
      self.places = places
    }
  }

  /// The bound of the result of a node; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - call: the node.
  ///   - known: the bounds of values by name.
  /// - Returns: the bound.
  /// - Throws: what reading the file throws.
  static func bound(_ call: ONNXCall, _ known: [String: Int]) throws -> Int? {
    guard let rule = ONNXOperators.find(call.node)?.bounds else { return nil }
    guard let bound = try rule.bound(call, bounds(of: call, known)), bound <= largest else {
      return nil
    }
    return bound
  }

  /// The bounds of the inputs of a node.
  static func bounds(of call: ONNXCall, _ known: [String: Int]) throws -> [Int?] {
    try call.inputs.indices.map { index in
      try bound(
        of: call.family(index).map { .host($0.tensors[0]) } ?? call.inputs[index],
        known[call.node.inputs[index]])
    }
  }

  private static func bound(of value: FileValue?, _ known: Int?) throws -> Int? {
    switch value {
    case .host(let host)?:
      guard host.type.isWideInteger else { return nil }
      return try host.integers().map { Int(clamping: $0.magnitude) }.max()
    case .network(let tensor)?:
      return tensor.type == .bool ? 1 : tensor.type.isWideInteger ? known : nil
    case .length?, nil: return nil
    }
  }
}

extension ONNXIntegerBounds.Rule {
  /// The numbers of the first input.
  static let same = Self(places: .moved) { _, bounds in bounds.first ?? nil }

  /// The numbers of the first input, at the places in the second.
  static let entries = Self(places: .taken(input: 1)) { _, bounds in bounds.first ?? nil }

  /// The numbers of any input.
  static let largest = Self { _, bounds in
    let known = bounds.compactMap(\.self)
    return known.count == bounds.count ? known.max() : nil
  }

  /// The numbers of the first input; a conversion to Booleans only reads which are 0.
  static let converted = Self(
    readsTruth: { ElementType(onnx: Int32(clamping: $0.int("to"))) == .bool }, places: .moved
  ) { _, bounds in bounds.first ?? nil }

  /// Sums or differences of two numbers.
  static let sum = combined { $0.addingSaturated($1) }

  /// Products of two numbers.
  ///
  /// If only whether they are 0 is read, as of masks, rounding does not change that. Products of 64
  /// bits wrap around to 0 only from factors such as 2³² on, which masks do not have; those of
  /// smaller types do sooner.
  static let product = Self(places: .computed) { call, bounds in
    let isTruth =
      try call.isUsedAsTruth
      && call.inputs.indices.allSatisfy { try call.value($0).type == .int64 }
    return isTruth
      ? ONNXIntegerBounds.largest
      : try combined { $0.multipliedSaturated(by: $1) }.bound(call, bounds)
  }

  /// Sums of products of 8-bit integers, to which numbers as large may be added: those beyond
  /// 2²⁴ are rounded, unless the products are computed with integers.
  static let products = Self { _, _ in ONNXIntegerBounds.largest / 2 }

  /// Numbers between two others.
  static let clipped = Self { _, bounds in
    guard bounds.count == 3, let low = bounds[1], let high = bounds[2] else { return nil }
    return max(low, high)
  }

  /// Numbers of the second or third input.
  static let chosen = Self { _, bounds in
    guard bounds.count == 3, let a = bounds[1], let b = bounds[2] else { return nil }
    return max(a, b)
  }

  /// Places along the axis of a node.
  static let place = Self { call, _ in
    let sizes = try call.value(0).sizes
    return sizes.isEmpty
      ? 0 : sizes[try ONNXCall.axis(call.node.int("axis"), rank: sizes.count)] - 1
  }

  /// Sums along a known axis.
  static let cumulativeSum = Self { call, bounds in
    guard let bound = bounds.first ?? nil, let axis = try call.knownInts(1, "the axis")?.first
    else { return nil }
    let sizes = try call.value(0).sizes
    return bound.multipliedSaturated(by: sizes[try ONNXCall.axis(axis, rank: sizes.count)])
  }

  private static func combined(_ combine: @escaping @Sendable (Int, Int) -> Int) -> Self {
    Self(places: .computed) { _, bounds in
      guard bounds.count == 2, let a = bounds[0], let b = bounds[1] else { return nil }
      return combine(a, b)
    }
  }
}
