import ForgeShapes

/// The sum or the product of two tensors of 8-bit integers; see ``QuantizedPair``.
///
/// Operands: two tensors of integers, with NumPy's broadcasting.
package struct QuantizedPairOperation: IntegerOperation {
  let pair: QuantizedPair

  package var name: String { "quantizedPair" }
  package var storage: Quantization.Storage? { pair.output.storage }
  package var traits: OperationTraits {
    .unweighted(2...2, takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    for quantization in [pair.first, pair.second, pair.output] { try quantization.validate() }
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try CombinationRule.broadcast(operands)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let (a, b) = (call.operands[0], call.operands[1])
    return ReferenceTensor(call.output) { index in
      pair.value(a.spread(at: index), b.spread(at: index))
    }
  }
}
