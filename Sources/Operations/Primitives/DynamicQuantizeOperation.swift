import ForgeShapes

/// Integers from 0 to 255 for real numbers, with a scale and a zero point that are computed.
///
/// `y = clamp(round(x / scale) + zeroPoint)`; see ``Quantization``.
///
/// Operands: any tensor, the scale and the zero point [2].
package struct DynamicQuantizeOperation: IntegerOperation {
  package var name: String { "dynamicQuantize" }
  package var storage: Quantization.Storage? { .uint8 }
  package var traits: OperationTraits {
    .unweighted(2...2, takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try ArgumentRule.dynamicRange(operands[1])
  }

  package func outputShape(for operands: [Shape]) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let range = call.operands[1].values
    // The arithmetic does not need a scale that is a valid one.
    let quantization = Quantization(
      scale: Float(range[0]), zeroPoint: Int(range[1]), storage: .uint8)
    return call.input.map { Double(quantization.integer($0)) }
  }
}

extension ArgumentRule {
  /// Checks the shape of a scale with its zero point.
  static func dynamicRange(_ shape: Shape) throws(ShapeError) {
    try require(
      shape == Shape(sizes: [2]), "range", "\(shape)", needs: "a scale and a zero point")
  }
}
