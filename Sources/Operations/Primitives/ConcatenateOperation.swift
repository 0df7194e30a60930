import ForgeShapes

/// Tensors joined along an axis, counted from 0.
///
/// Operands: one or more tensors.
package struct ConcatenateOperation: PrimitiveOperation {
  let axis: Int

  package var name: String { "concatenate" }
  package var traits: OperationTraits {
    .unweighted(
      1...Int.max, takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try CombinationRule.concatenate(operands, axis: axis)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { true }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    let along: Int
    do { along = try CombinationRule.axis(axis, rank: call.output.count) } catch {
      throw .shape(error)
    }
    // Each operand contributes its elements from the axis on as one piece.
    var values: [Double] = []
    for position in 0..<call.output[..<along].reduce(1, *) {
      for input in call.operands {
        let count = input.sizes[along...].reduce(1, *)
        values += input.values[position * count..<(position + 1) * count]
      }
    }
    return ReferenceTensor(unchecked: call.output, values)
  }
}
