import ForgeShapes

/// Axis `i` of the output is axis `order[i]` of the input.
///
/// Operand: any tensor.
package struct PermuteOperation: PrimitiveOperation {
  let order: [Int]

  package var name: String { "permute" }
  package var traits: OperationTraits { .ofOneOperand }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try RearrangementRule.permute(operands[0], order: order)
  }

  package func multiplyAdds(for operands: [Shape], output: Shape) -> Int { 0 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool {
    order == Array(order.indices)
  }

  package func reference(
    on operands: [ReferenceTensor], output: [Int], crops: [String: CropRectangle]
  ) -> ReferenceTensor {
    let input = operands[0]
    var values: [Double] = []
    ReferenceTensor.forEachIndex(of: output) { index in
      var source = index
      for (axis, from) in order.enumerated() { source[from] = index[axis] }
      values.append(input.values[input.offset(of: source)])
    }
    return ReferenceTensor(unchecked: output, values)
  }
}
