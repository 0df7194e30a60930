import Forge

/// The largest magnitudes of integers that a network computes.
///
/// Forge computes in Float32, which has all whole numbers up to 2²⁴. Arithmetic on integers is
/// exact as long as its results are smaller: on truth values, on their sums along an axis, on
/// positions. Inputs have a bound, because a prediction refuses larger integers. Arithmetic whose
/// results may be larger is refused, except for products that are only tested for zero. So is
/// arithmetic on integers of 8 bits, whose results wrap around.
enum ONNXIntegerBounds {
  /// The largest magnitude that Float32 has with all smaller ones.
  static let largest = 1 << 24

  /// The bound of a node's result, given those of its inputs.
  typealias Rule = @Sendable (_ call: ONNXCall, _ bounds: [Int?]) throws -> Int?

  /// The bound of the result of a node; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - call: the node.
  ///   - known: the bounds of values by name.
  /// - Returns: the bound.
  /// - Throws: what reading the file throws.
  static func bound(_ call: ONNXCall, _ known: [String: Int]) throws -> Int? {
    guard let found = ONNXOperators.find(call.node) else { return nil }
    if try isProductOfTruth(call) { return largest }
    guard let rule = found.bounds else { return nil }
    let bounds = try call.inputs.indices.map { index in
      try bound(
        of: call.family(index).map { .host($0.tensors[0]) } ?? call.inputs[index],
        known[call.node.inputs[index]])
    }
    guard let bound = try rule(call, bounds), bound <= largest else { return nil }
    return bound
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

  /// Whether a node multiplies integers, and only whether they are 0 is read, as of masks.
  ///
  /// Rounding does not change that. Products of 64 bits wrap around to 0 only from factors such as
  /// 2³² on, which masks do not have; those of smaller types do sooner.
  private static func isProductOfTruth(_ call: ONNXCall) throws -> Bool {
    guard call.node.type == "Mul", call.isUsedAsTruth else { return false }
    return try call.inputs.indices.allSatisfy { try call.value($0).type == .int64 }
  }

  private static let same: Rule = { _, bounds in bounds.first ?? nil }
  private static let largestOfAll: Rule = { _, bounds in
    let known = bounds.compactMap(\.self)
    return known.count == bounds.count ? known.max() : nil
  }

  private static func combined(_ combine: @escaping @Sendable (Int, Int) -> Int) -> Rule {
    { _, bounds in
      guard bounds.count == 2, let a = bounds[0], let b = bounds[1] else { return nil }
      return combine(a, b)
    }
  }

  /// The last place along the axis of a node.
  private static func placeBound(_ call: ONNXCall) throws -> Int? {
    let sizes = try call.value(0).sizes
    return sizes.isEmpty
      ? 0 : sizes[try ONNXCall.axis(call.node.int("axis"), rank: sizes.count)] - 1
  }

  static let rules: [String: Rule] = [
    "Identity": same, "Cast": same, "Reshape": same, "Squeeze": same, "Unsqueeze": same,
    "Transpose": same, "Flatten": same, "Slice": same, "Expand": same, "Tile": same,
    "Gather": same, "GatherND": same, "GatherElements": same, "Neg": same, "Abs": same,
    "Sign": same, "Concat": largestOfAll, "Max": largestOfAll, "Min": largestOfAll,
    "Clip": { _, bounds in
      guard bounds.count == 3, let low = bounds[1], let high = bounds[2] else { return nil }
      return max(low, high)
    },
    "ArgMax": { call, _ in try placeBound(call) }, "ArgMin": { call, _ in try placeBound(call) },
    "Where": { call, bounds in
      guard bounds.count == 3, let a = bounds[1], let b = bounds[2] else { return nil }
      return max(a, b)
    },
    "Add": combined { $0.addingSaturated($1) }, "Sub": combined { $0.addingSaturated($1) },
    "Mul": combined { $0.multipliedSaturated(by: $1) },
    "CumSum": { call, bounds in
      guard let bound = bounds.first ?? nil, let axis = try call.knownInts(1, "the axis")?.first
      else { return nil }
      let sizes = try call.value(0).sizes
      return bound.multipliedSaturated(by: sizes[try ONNXCall.axis(axis, rank: sizes.count)])
    },
  ]
}
