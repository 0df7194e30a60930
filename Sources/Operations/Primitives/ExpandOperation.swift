import ForgeShapes

/// The tensor with axes of size 1 repeated to larger sizes, of the same rank.
///
/// Operand: any tensor.
package struct ExpandOperation: PrimitiveOperation {
  let sizes: [Int]

  package var name: String { "expand" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    let fits =
      operands[0].rank == sizes.count
      && zip(operands[0].dimensions, sizes).allSatisfy { $0 == 1 || $0 == $1 }
      && sizes.allSatisfy { $0 >= 1 }
    guard fits else { throw .cannotBroadcast() }
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try SizeRule.bounded(Shape(sizes: sizes))
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let input = call.input
    return ReferenceTensor(call.output) { index in
      input.values[
        input.offset(of: zip(index, input.sizes).map { $1 == 1 ? 0 : $0 })]
    }
  }
}

extension ExpandOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    PartialComputation(.expand(part.sizes), [part.broadcast(to: operands[0])])
  }
}
