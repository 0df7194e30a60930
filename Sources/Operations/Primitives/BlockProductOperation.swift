import ForgeShapes

/// A product of the pixels of an image with 4-bit weights; see ``BlockProduct``.
///
/// Operands: an image, weights [outputs][1][1][inputs] as real numbers, biases [outputs]
/// (optional).
package struct BlockProductOperation: PrimitiveOperation {
  let product: BlockProduct

  package var name: String { "blockProduct" }
  package var traits: OperationTraits {
    OperationTraits(
      operands: 2...3, multiplyAdds: .onePerWeight, isLinear: false, addsResidual: true,
      takesActivation: true, packsOperands: true, keepsElements: false, treatsChannelsAlike: false)
  }

  /// The operation on real numbers.
  private var convolution: ConvolutionOperation {
    ConvolutionOperation(
      geometry: ConvolutionGeometry(kernel: .one), outputs: product.outputs, groups: 1)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try convolution.validate(operands)
    let count = operands[0].channels.map { product.blocks.count(of: $0) * product.outputs }
    try ArgumentRule.require(
      count == nil || count == product.blocks.scales.count, "scales",
      "\(product.blocks.scales.count) numbers", needs: "one for each block")
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try convolution.outputShape(for: operands)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    try convolution.reference(call)
  }
}
