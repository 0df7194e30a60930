import ForgeShapes

/// The rows of a table from a position on, as many as an image of one row has columns.
///
/// `y(0, t, c) = table(position + t, c)`.
///
/// Operands: the table [rows][channels], the image [1][columns][any], of which only the size
/// counts, the position [1]. A position that leaves no room for all columns becomes the last one
/// that does.
package struct RowsFromOperation: PrimitiveOperation {
  package var name: String { "rowsFrom" }
  package var traits: OperationTraits {
    .unweighted(3...3, takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try TableRule.check(operands[0], image: operands[1], position: operands[2])
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    Shape([1, operands[1].dimensions[1], operands[0].dimensions[1]])
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let table = call.input
    let start = ExactRule.position(
      call.operands[2].values[0], last: table.sizes[0] - call.output[1])
    return ReferenceTensor(call.output) { position in
      table.values[table.offset(of: [start + position[1], position[2]])]
    }
  }
}
