import ForgeShapes

/// A product of integers whose range each prediction finds; see ``DynamicProduct``.
///
/// Operands: integers from 0 to 255, the weights of the layer on real numbers, and the scale and
/// the zero point [2].
package struct DynamicProductOperation: PrimitiveOperation {
  let product: DynamicProduct

  package var name: String { "dynamicProduct" }
  package var traits: OperationTraits {
    OperationTraits(
      operands: 3...3, multiplyAdds: .onePerWeight, isLinear: false, addsResidual: true,
      takesActivation: true,
      packsOperands: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try product.form.layer.validate(Array(operands.prefix(2)))
    let outputs = try product.form.layer.outputs(for: operands[0])
    try ArgumentRule.require(
      product.factors.count == outputs, "factors", "\(product.factors.count) numbers",
      needs: "\(outputs) numbers")
    for (name, count) in [
      ("weightScales", product.weightScales.count), ("biases", product.biases?.count),
      ("offsets", product.offsets?.count),
    ] {
      try ArgumentRule.require(
        count == nil || count == outputs, name, "\(count ?? 0) numbers",
        needs: "\(outputs) numbers")
    }
    try ArgumentRule.dynamicRange(operands[2])
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try product.form.layer.outputShape(for: Array(operands.prefix(2)))
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    let range = call.operands[2].values
    var result = try product.form.sums(
      call, zeroPoint: range[1], scales: product.weightScales)
    let scale = Float(range[0])
    for index in result.values.indices {
      result.values[index] = product.result(
        result.values[index], index % product.factors.count, scale: scale)
    }
    return result
  }
}
