import ForgeShapes

/// Tensors joined along an axis, counted from 0.
///
/// Operands: one or more tensors.
package struct ConcatenateOperation: PrimitiveOperation {
  let axis: Int

  package var name: String { "concatenate" }
  package var traits: OperationTraits {
    OperationTraits(
      operands: 1...Int.max, isLinear: false, takesActivation: false, packsOperands: false,
      keepsElements: false)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try CombinationRule.concatenate(operands, axis: axis)
  }

  package func multiplyAdds(for operands: [Shape], output: Shape) -> Int { 0 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { true }

  package func reference(
    on operands: [ReferenceTensor], output: [Int], crops: [String: CropRectangle]
  ) throws(ReferenceError) -> ReferenceTensor {
    let along: Int
    do {
      along = try CombinationRule.axis(axis, rank: output.count)
    } catch { throw .shape(error) }
    var result = ReferenceTensor(sizes: output, repeating: 0)
    var start = 0
    for input in operands {
      ReferenceTensor.forEachIndex(of: input.sizes) { index in
        var moved = index
        moved[along] += start
        result.values[result.offset(of: moved)] = input.values[input.offset(of: index)]
      }
      start += input.sizes[along]
    }
    return result
  }
}
