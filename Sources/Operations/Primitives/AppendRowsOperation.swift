import ForgeShapes

/// A table in which some rows, from a position on, are the columns of an image of one row.
///
/// Operands: the table [rows][channels], the image [1][columns][channels], the position [1]. A
/// position that leaves no room for all columns becomes the last one that does.
package struct AppendRowsOperation: PrimitiveOperation {
  package var name: String { "appendRows" }
  package var traits: OperationTraits {
    .unweighted(3...3, takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try TableRule.check(operands[0], image: operands[1], position: operands[2])
    let (tableChannels, others) = (operands[0].dimensions[1], operands[1].dimensions[2])
    guard let tableChannels, let others, tableChannels != others else { return }
    throw ShapeError(
      .shapeMismatch, "the rows of a table and those appended differ",
      received: "\(others) channels", needs: "\(tableChannels)")
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    var table = call.input
    let image = call.operands[1]
    let start = ExactRule.position(
      call.operands[2].values[0], last: table.sizes[0] - image.sizes[1])
    let channels = table.sizes[1]
    table.values.replaceSubrange(
      start * channels..<start * channels + image.values.count, with: image.values)
    return table
  }
}

/// The rule of tables of which some rows belong to the columns of an image.
enum TableRule {
  /// Throws unless a table [rows][channels] has room for the columns of an image of one row at a
  /// single position.
  static func check(_ table: Shape, image: Shape, position: Shape) throws(ShapeError) {
    guard table.rank == 2 else {
      throw ShapeError(
        .shapeMismatch, "a table of positions has other axes", received: table.description,
        needs: "two axes: positions, channels")
    }
    try checkImage(image)
    guard position.elementCount == 1, position.rank == 1 else {
      throw ShapeError(
        .shapeMismatch, "a position is a single number", received: position.description,
        needs: "one axis of size 1")
    }
    try ExactRule.check(table.dimensions[0])
    guard let rows = table.dimensions[0], let columns = image.dimensions[1], columns > rows
    else { return }
    throw ShapeError(
      .shapeMismatch, "one prediction has more positions than a stream may have in all",
      received: "\(columns) positions", needs: "at most \(rows)")
  }

  /// Throws unless the shape is that of an image of one row.
  static func checkImage(_ image: Shape) throws(ShapeError) {
    guard image.isImage, (image.dimensions[0] ?? 1) == 1 else {
      throw ShapeError(
        .shapeMismatch, "a stream has one row of positions", received: image.description,
        needs: "two axes: positions, channels")
    }
  }
}
