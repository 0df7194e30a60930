import ForgeShapes

/// Zeros around an image.
///
/// Operand: image.
package struct PadOperation: PrimitiveOperation {
  let edges: Edges

  package var name: String { "pad" }
  package var traits: OperationTraits { .ofOneOperand }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try RearrangementRule.pad(operands[0], by: edges)
  }

  package func multiplyAdds(for operands: [Shape], output: Shape) -> Int { 0 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { edges == .none }

  package func reference(
    on operands: [ReferenceTensor], output: [Int], crops: [String: CropRectangle]
  ) -> ReferenceTensor {
    let input = operands[0]
    var result = ReferenceTensor(sizes: output, repeating: 0)
    for y in 0..<input.height {
      for x in 0..<input.width {
        for c in 0..<input.channels {
          result[y + edges.top, x + edges.left, c] = input[y, x, c]
        }
      }
    }
    return result
  }
}
