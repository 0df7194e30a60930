import ForgeShapes

/// Edges cut from an image.
///
/// Operand: image.
package struct CropOperation: PrimitiveOperation {
  let edges: Edges

  package var name: String { "crop" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try RearrangementRule.crop(operands[0], by: edges)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { edges == .none }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    ReferenceTensor(image: call.output) { y, x in
      call.input.pixel(y: y + edges.top, x: x + edges.left)
    }
  }
}

extension CropOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    let offsets = [edges.top, edges.left, 0]
    return PartialComputation(
      .identity,
      [
        TensorPart(
          zip(part.ranges, offsets).map { $0.lowerBound + $1..<$0.upperBound + $1 })
      ])
  }
}
