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

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  /// The biases, or zeros if there are none.
  func biases(
    _ operands: [ReferenceTensor], count: Int
  ) throws(ReferenceError) -> [Double] {
    guard operands.count > 2 else { return Array(repeating: 0, count: count) }
    try check(operands[2], "biases", sizes: count)
    return operands[2].values
  }
}

extension OperationTraits {
  /// The traits that all weighted operations share.
  static let weighted = OperationTraits(
    operands: 2...3, isLinear: true, takesActivation: true, packsOperands: true,
    keepsElements: false)
}
