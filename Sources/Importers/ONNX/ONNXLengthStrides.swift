import Forge

/// Operators with strides along a sequence, whose sizes are other numbers that follow the length.
///
/// What they pad is the same for all lengths that differ by whole strides, and
/// ``ONNXLengths/check(_:)`` refuses other lengths.
extension ONNXLengths {
  /// MaxPool; the indices of the largest values count the whole sequence.
  static func maximumPool(_ call: inout ONNXCall) throws {
    guard call.node.outputs.count(where: { !$0.isEmpty }) <= 1 else {
      throw NodeFailure.unsupported("indices into a sequence whose length varies")
    }
    try ONNXOperators.maximumPool(&call)
  }

  /// ConvTranspose; a stated size of the output is that of one length.
  static func transposedConvolve(_ call: inout ONNXCall) throws {
    guard call.node.ints("output_shape") == nil else {
      throw NodeFailure.unsupported("output_shape for a sequence whose length varies")
    }
    try ONNXOperators.transposedConvolve(&call)
  }

  /// Resize by whole factors along sequences and images, each value repeated.
  static func resize(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let factors = try factors(call, try input.lengthSizes())
    guard repeatsValues(call) else {
      throw NodeFailure.unsupported("interpolation along a sequence whose length varies")
    }
    guard (3...4).contains(input.rank), factors.prefix(2).allSatisfy({ $0 == 1 }) else {
      throw NodeFailure.unsupported("factors \(factors) of a sequence whose length varies")
    }
    let isSequence = input.rank == 3
    let size = (width: factors[factors.count - 1], height: isSequence ? 1 : factors[2])
    let result = try ONNXOperators.images(call, ONNXOperators.image(input)) {
      UpSampling(size: size, name: $0)
    }
    call.set(isSequence ? ONNXOperators.sequence(result) : result)
  }

  /// The whole factor of each axis.
  private static func factors(_ call: ONNXCall, _ sizes: [LengthSize]) throws -> [Int] {
    let axes = try (call.node.ints("axes") ?? Array(sizes.indices)).map {
      try ONNXCall.axis($0, rank: sizes.count)
    }
    let refused = NodeFailure.unsupported("a sequence whose length varies, except by whole factors")
    var factors = Array(repeating: 1, count: sizes.count)
    let scales =
      try call.node.floats("scales")
      ?? call.knownFloats(call.opset < 11 ? 1 : 2, "the scales") ?? []
    if scales.count == axes.count {
      for (axis, scale) in zip(axes, scales) {
        guard scale == scale.rounded(), (1...1024).contains(scale) else { throw refused }
        factors[axis] = Int(scale)
      }
      return factors
    }
    guard call.opset >= 11, call.node.string("keep_aspect_ratio_policy", "stretch") == "stretch",
      let wanted = try call.lengthNumbers(3, "the sizes"), wanted.count == axes.count
    else { throw NodeFailure.invalid("neither scales nor sizes of \(axes.count) axes") }
    for (axis, size) in zip(axes, wanted) {
      guard let factor = size.dividedExactly(by: sizes[axis])?.constant, (1...1024).contains(factor)
      else { throw refused }
      factors[axis] = factor
    }
    return factors
  }

  /// Whether each position of the result has the value of the position at its own share of the
  /// input.
  ///
  /// For whole factors the nearest position is that one, unless halves are rounded away from it.
  private static func repeatsValues(_ call: ONNXCall) -> Bool {
    let isOld = call.opset < 11
    let rounding = call.node.string("nearest_mode", isOld ? "floor" : "round_prefer_floor")
    let coordinates = call.node.string(
      "coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel")
    guard call.node.string("mode", "nearest") == "nearest" else { return false }
    switch coordinates {
    case "asymmetric": return rounding == "floor"
    case "half_pixel", "half_pixel_symmetric":
      return rounding == "round_prefer_floor" || rounding == "round_prefer_ceil"
    default: return false
    }
  }
}
