import ForgeOperations
import ForgeShapes

/// Takes the entries of an axis at the indices that another tensor holds, as an embedding does.
///
/// `y(a…, i…, b…) = x(a…, p(i…), b…)`, where `p` are whole numbers, negative from the end.
///
/// - Input shapes: the data, of any shape, and the indices, of any shape.
/// - Output shape: the data's with the axis replaced by the axes of the indices.
/// - Parameters: none.
/// - Errors: `wrongInputCount` for a wrong number of tensors, `invalidArgument` for an axis that
///   the data does not have, `tooLarge` for an axis of more than 2²⁴ entries. An index that the
///   axis does not have is a `PredictionError` of kind `invalidIndex`.
/// - Names elsewhere: NumPy take, ONNX Gather, Keras Embedding.
///
/// ```swift
/// [a, b] --> GatherRows()
/// ```
public struct GatherRows: BuiltInLayer {
  package let label: LayerLabel
  /// The axis in memory order.
  public let axis: Int

  /// Creates a choice of entries.
  ///
  /// - Parameters:
  ///   - axis: the axis in memory order, negative from the back.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    axis: Int = 0, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.axis = axis
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one operation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let shapes = lowering.inputs.map { lowering.shape(of: $0) }
    try ArgumentRule.count(shapes, from: 2, to: 2, example: "[data, places] --> GatherRows()")
    let axis = try CombinationRule.axis(axis, rank: shapes[0].rank)
    lowering.output = try lowering.apply(.gatherRows(axis: axis), to: lowering.inputs)
  }
}
