import ForgeShapes

extension Primitive {
  /// The shape of the output once everything a kernel will trust has been checked.
  ///
  /// Layers of users' own reach the primitives through ``Lowering``, so that arguments, the number of
  /// operands and the sizes of parameters are checked here and not only by Forge's layers.
  ///
  /// - Throws: ``ShapeError`` naming the rule that is broken.
  package func checkedShape(for inputs: [Shape]) throws(ShapeError) -> Shape {
    for input in inputs { _ = try SizeRule.bounded(input) }
    guard operandCount.contains(inputs.count), let input = inputs.first else {
      throw ShapeError(
        .wrongInputCount, "\(name) has the wrong number of operands",
        received: "\(inputs.count)", needs: operandCountText)
    }
    switch self {
    case .convolution(let geometry, let outputs, let groups):
      try geometry.validate()
      try ArgumentRule.positive(outputs, "outputs")
      try ArgumentRule.positive(groups, "groups")
      let channels = try ArgumentRule.channels(of: input)
      try GroupRule.divides(groups, input: channels, output: outputs)
      try require(
        inputs, [outputs, geometry.kernel.height, geometry.kernel.width, channels / groups],
        bias: outputs)
    case .depthwiseConvolution(let geometry, let multiplier):
      try geometry.validate()
      try ArgumentRule.positive(multiplier, "multiplier")
      let channels = try ArgumentRule.channels(of: input)
      let (outputs, overflow) = channels.multipliedReportingOverflow(by: multiplier)
      guard !overflow else { throw .tooManyElements() }
      try require(
        inputs, [channels, multiplier, geometry.kernel.height, geometry.kernel.width],
        bias: outputs)
    case .dense(let outputs):
      try ArgumentRule.positive(outputs, "outputs")
      let count = try RearrangementRule.flatten(input).channels ?? 0
      try require(inputs, [outputs, count], bias: outputs)
    case .pooling(_, let geometry):
      try geometry.validate()
    case .activation(let function):
      try function.validate()
    case .affine, .batchNormalization:
      for (index, operand) in inputs.enumerated().dropFirst() {
        guard let count = operand.elementCount, count == 1 || count == input.channels else {
          throw .operandSize(index, of: name, operand, needs: "1 value, or one per channel")
        }
      }
    case .gatherChannels(let order):
      let channels = try ArgumentRule.channels(of: input)
      guard !order.isEmpty, order.allSatisfy({ (0..<channels).contains($0) }) else {
        throw .outOfRange("order", "\(order)", needs: "one or more of 0 to \(channels - 1)")
      }
    case .resize(.factor(let factor), _):
      try ArgumentRule.positive(factor, "factor")
    default: break
    }
    return try SizeRule.bounded(try outputShape(for: inputs))
  }

  /// How many operands it takes.
  var operandCount: ClosedRange<Int> {
    switch self {
    case .convolution, .depthwiseConvolution, .dense: 2...3
    case .binary: 2...2
    case .affine: 3...3
    case .batchNormalization: 5...5
    case .concatenate, .custom: 1...Int.max
    default: 1...1
    }
  }

  private var operandCountText: String {
    let count = operandCount
    if count.upperBound == .max { return "at least \(count.lowerBound)" }
    return count.count == 1 ? "\(count.lowerBound)" : "\(count.lowerBound) or \(count.upperBound)"
  }

  /// Checks weights by their number of values, whose axes may be merged, and a bias by its own.
  private func require(_ inputs: [Shape], _ weights: [Int], bias: Int) throws(ShapeError) {
    let text = weights.map(String.init).joined(separator: "×")
    guard let needed = Shape.product(of: weights), inputs[1].elementCount == needed else {
      throw .operandSize(1, of: name, inputs[1], needs: text)
    }
    guard inputs.count < 3 || inputs[2].elementCount == bias else {
      throw .operandSize(2, of: name, inputs[2], needs: "\(bias)")
    }
  }
}

extension ShapeError {
  fileprivate static func operandSize(
    _ index: Int, of primitive: String, _ shape: Shape, needs: String
  ) -> ShapeError {
    ShapeError(
      .shapeMismatch, "operand \(index) of \(primitive) has the wrong size",
      received: shape.sizeText, needs: needs)
  }
}
