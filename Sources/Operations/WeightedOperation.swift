import ForgeShapes

/// An operation with weights and optional biases, its second and third operand.
///
/// There is one bias per output channel.
package protocol WeightedOperation: PrimitiveOperation {
  /// The operation as a ``Primitive``.
  var primitive: Primitive { get }
  /// The weights for an input: sizes, the meaning of each axis, and the axis orders of other
  /// frameworks.
  ///
  /// - Throws: ``ShapeError`` when a size that they depend on is not known.
  func weights(for input: Shape) throws(ShapeError) -> ParameterSpec
  /// Checks the arguments, and that they fit the input.
  func validateArguments(_ input: Shape) throws(ShapeError)
  /// The number of output channels for an input.
  func outputs(for input: Shape) throws(ShapeError) -> Int
}

extension WeightedOperation {
  /// Checks the number of weights, whose axes may be merged, and the number of biases.
  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try validateArguments(operands[0])
    let sizes = try weights(for: operands[0]).sizes
    guard let needed = Shape.product(of: sizes), operands[1].elementCount == needed else {
      throw operandSize(1, operands[1], needs: sizes.map(String.init).joined(separator: "×"))
    }
    let outputs = try outputs(for: operands[0])
    guard operands.count < 3 || operands[2].elementCount == outputs else {
      throw operandSize(2, operands[2], needs: "\(outputs)")
    }
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package var traits: OperationTraits {
    OperationTraits(
      operands: 2...3, multiplyAdds: .onePerWeight, isLinear: true, addsResidual: true,
      takesActivation: true,
      packsOperands: true, keepsElements: false,
      treatsChannelsAlike: false)
  }

  /// The biases, or zeros if there are none.
  func biases(_ call: ReferenceCall, count: Int) throws(ReferenceError) -> [Double] {
    guard call.operands.count > 2 else { return Array(repeating: 0, count: count) }
    try check(call.operands[2], "biases", sizes: count)
    return call.operands[2].values
  }
}

extension WeightedOperation {
  /// The parts of the weights and biases that make some of the channels.
  ///
  /// - Parameters:
  ///   - channels: the channels.
  ///   - outputs: the number of all channels.
  ///   - operands: the sizes of all operands.
  /// - Returns: the parts; `nil` if an operand has no axis of the channels.
  func parameters(
    of channels: Range<Int>, outputs: Int, _ operands: [[Int]]
  ) -> [TensorPart]? {
    let parameters = operands.dropFirst().map { TensorPart(allOf: $0) }
    if channels == 0..<outputs { return parameters }
    guard operands.dropFirst().allSatisfy({ $0.first == outputs }) else { return nil }
    return parameters.map { $0.with(channels, along: 0) }
  }
}

/// A weighted operation whose window reads zeros outside the image.
package protocol ZeroPaddedOperation: WeightedOperation {
  /// The window.
  var geometry: ConvolutionGeometry { get set }
}

extension ZeroPaddedOperation {
  /// The convolution in groups of channels, for weights [outputs][height][width][inputs / groups].
  func convolution(
    _ call: ReferenceCall, groups: Int
  ) throws(ReferenceError) -> ReferenceTensor {
    let (input, weights, kernel) = (call.input, call.operands[1], geometry.kernel)
    let outputs = call.output[2]
    let (groupInputs, groupOutputs) = (input.channels / groups, outputs / groups)
    try check(weights, "weights", sizes: outputs, kernel.height, kernel.width, groupInputs)
    let biases = try biases(call, count: outputs)
    return ReferenceTensor(image: call.output) { y, x in
      let taps = geometry.taps(over: input, y: y, x: x)
      return (0..<outputs).map { o in
        var sum = biases[o]
        for tap in taps {
          // The channels of a group are contiguous in both.
          let weight = ((o * kernel.height + tap.v) * kernel.width + tap.u) * groupInputs
          let pixel = input.offset(y: tap.y, x: tap.x) + o / groupOutputs * groupInputs
          for c in 0..<groupInputs {
            sum += weights.values[weight + c] * input.values[pixel + c]
          }
        }
        return sum
      }
    }
  }
}
