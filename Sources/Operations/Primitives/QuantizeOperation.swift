import ForgeShapes

/// 8-bit integers for real numbers; see ``Quantization``.
///
/// `y = clamp(round(x / scale) + zeroPoint)`.
///
/// Operand: any tensor.
package struct QuantizeOperation: IntegerOperation, ElementwiseOperation {
  let quantization: Quantization

  package var name: String { "quantize" }
  package var storage: Quantization.Storage? { quantization.storage }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) { try quantization.validate() }

  package func outputShape(for operands: [Shape]) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    call.input.map { Double(quantization.integer($0)) }
  }
}
