import ForgeShapes

/// Edges cut from an image.
///
/// Operand: image.
package struct CropOperation: PrimitiveOperation {
  let edges: Edges

  package var name: String { "crop" }
  package var traits: OperationTraits { .ofOneOperand }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try RearrangementRule.crop(operands[0], by: edges)
  }

  package func multiplyAdds(for operands: [Shape], output: Shape) -> Int { 0 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { edges == .none }

  package func reference(
    on operands: [ReferenceTensor], output: [Int], crops: [String: CropRectangle]
  ) -> ReferenceTensor {
    var result = ReferenceTensor(sizes: output, repeating: 0)
    for y in 0..<result.height {
      for x in 0..<result.width {
        for c in 0..<result.channels {
          result[y, x, c] = operands[0][y + edges.top, x + edges.left, c]
        }
      }
    }
    return result
  }
}
