import ForgeShapes

/// Zeros around an image.
///
/// Operand: image.
package struct PadOperation: PrimitiveOperation {
  let edges: Edges

  package var name: String { "pad" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try RearrangementRule.pad(operands[0], by: edges)
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { edges == .none }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let input = call.input
    let zeros = Array(repeating: 0.0, count: input.channels)
    return ReferenceTensor(image: call.output) { y, x in
      let (row, column) = (y - edges.top, x - edges.left)
      let isInside = (0..<input.height).contains(row) && (0..<input.width).contains(column)
      return isInside ? input.pixel(y: row, x: column) : zeros
    }
  }
}
