import ForgeShapes

/// A convolution or a dense layer of 8-bit integers; see ``QuantizedProduct``.
///
/// Operands: integers, the weights and the biases (optional) of the layer on real numbers.
package struct QuantizedProductOperation: IntegerOperation {
  let product: QuantizedProduct

  package var name: String { "quantizedProduct" }
  package var storage: Quantization.Storage? { product.output?.storage }
  package var traits: OperationTraits {
    OperationTraits(
      operands: 2...3, multiplyAdds: .onePerWeight, isLinear: false, addsResidual: false,
      takesActivation: false,
      packsOperands: true, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try product.input.validate()
    try product.output?.validate()
    try product.form.layer.validate(operands)
    let outputs = try product.form.layer.outputs(for: operands[0])
    try ArgumentRule.require(
      product.weightScales.count == outputs && product.weightScales.allSatisfy { $0 > 0 },
      "weightScales", "\(product.weightScales.count) numbers",
      needs: "\(outputs) numbers above 0")
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try product.form.layer.outputShape(for: operands)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    let biases = call.operands.count > 2 ? call.operands[2].values.map { Float($0) } : nil
    var integerBiases: [Int32]?
    if product.output != nil, let biases {
      integerBiases = product.integers(ofBiases: biases)
      guard integerBiases != nil else {
        throw ReferenceError(.invalidArgument, "a bias is not a 32-bit integer")
      }
    }
    var result = try product.form.sums(
      call, zeroPoint: Double(product.input.zeroPoint), scales: product.weightScales,
      biases: integerBiases)
    let multipliers = product.multipliers
    for index in result.values.indices {
      let channel = index % multipliers.count
      result.values[index] = product.result(
        result.values[index], multipliers[channel], bias: Double(biases?[channel] ?? 0))
    }
    return result
  }
}
