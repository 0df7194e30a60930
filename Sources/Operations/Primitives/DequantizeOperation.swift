import ForgeShapes

/// The real numbers that 8-bit integers stand for; see ``Quantization``.
///
/// `y = (x − zeroPoint) · scale`.
///
/// Operand: any tensor of whole numbers of the type.
package struct DequantizeOperation: ElementwiseOperation {
  let quantization: Quantization

  package var name: String { "dequantize" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) { try quantization.validate() }

  package func outputShape(for operands: [Shape]) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    call.input.map { Double(quantization.real($0)) }
  }
}
