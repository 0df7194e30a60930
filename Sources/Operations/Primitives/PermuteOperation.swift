import ForgeShapes

/// Axis `i` of the output is axis `order[i]` of the input.
///
/// Operand: any tensor.
package struct PermuteOperation: PrimitiveOperation {
  let order: [Int]

  package var name: String { "permute" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try RearrangementRule.permute(operands[0], order: order)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool {
    order == Array(order.indices)
  }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let input = call.input
    return ReferenceTensor(call.output) { index in
      var source = index
      for (axis, from) in order.enumerated() { source[from] = index[axis] }
      return input.values[input.offset(of: source)]
    }
  }
}

extension PermuteOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    var input = part
    for (axis, from) in order.enumerated() { input.ranges[from] = part.ranges[axis] }
    return PartialComputation(nil, [input])
  }
}
