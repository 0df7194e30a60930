import ForgeOperations
import ForgeShapes

/// Takes the elements along an axis of a tensor at the indices that another tensor holds.
///
/// `y(a, i, b) = x(a, p(a, i, b), b)`, where `p` are whole numbers, negative from the end.
///
/// - Input shapes: the data and the indices, of the same rank; the indices are not longer than the
///   data, except along the axis.
/// - Output shape: that of the indices.
/// - Parameters: none.
/// - Errors: `wrongInputCount`, `shapeMismatch`, `invalidArgument` for an axis that the data does
///   not have, `tooLarge` for an axis of more than 2²⁴ entries. An index that the axis does not
///   have is a `PredictionError` of kind `invalidIndex`.
/// - Names elsewhere: NumPy take_along_axis, ONNX GatherElements, Core ML gatherAlongAxis.
///
/// ```swift
/// [a, b] --> GatherElements(axis: -1)
/// ```
public struct GatherElements: BuiltInLayer {
  /// `GatherElem`.
  public static var summaryName: String { "GatherElem" }
  package let label: LayerLabel
  /// The axis in memory order.
  public let axis: Int

  /// Creates a choice of elements.
  ///
  /// - Parameters:
  ///   - axis: the axis in memory order, negative from the back.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    axis: Int, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.axis = axis
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one operation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let shapes = lowering.inputs.map { lowering.shape(of: $0) }
    try ArgumentRule.count(
      shapes, from: 2, to: 2, example: "[data, places] --> GatherElements(axis: 0)")
    let axis = try CombinationRule.axis(axis, rank: shapes[0].rank)
    lowering.output = try lowering.apply(.gatherElements(axis: axis), to: lowering.inputs)
  }
}
