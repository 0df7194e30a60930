import ForgeOperations
import ForgeShapes

/// Writes updates into a tensor along an axis, at indices from another tensor.
///
/// `y = x`, then for the updates in memory order `y(a, p(a, i, b), b) = f(y(a, p(a, i, b), b),
/// u(a, i, b))`, where `p` are whole numbers, negative from the end, and `f` replaces, adds,
/// multiplies, or takes the smaller or larger one. Several updates of one element are applied in
/// order, so the result does not depend on the number of threads.
///
/// - Input shapes: the data, the indices and the updates, all of the same rank. The updates are not
///   longer than the data, except along the axis. The indices have the sizes of the updates, or 1
///   along axes where they repeat.
/// - Output shape: that of the data.
/// - Parameters: none.
/// - Errors: `wrongInputCount`, `shapeMismatch`, `invalidArgument` for an axis that the data does
///   not have, `tooLarge` for an axis of more than 2²⁴ entries. An index that the axis does not
///   have is a `PredictionError` of kind `invalidIndex`.
/// - Names elsewhere: NumPy put_along_axis, PyTorch scatter_reduce, ONNX ScatterElements, Core ML
///   scatterAlongAxis.
///
/// ```swift
/// [a, b, c] --> ScatterElements(axis: -1, combination: .add)
/// ```
public struct ScatterElements: BuiltInLayer {
  /// `ScatElem`.
  public static var summaryName: String { "ScatElem" }
  package let label: LayerLabel
  /// The axis in memory order.
  public let axis: Int
  /// How an update is combined with the element that it meets.
  public let combination: ScatterCombination

  /// Creates the layer.
  ///
  /// - Parameters:
  ///   - axis: the axis in memory order, negative from the back.
  ///   - combination: how an update is combined with the element that it meets.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    axis: Int, combination: ScatterCombination = .replace, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.axis = axis
    self.combination = combination
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one operation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let shapes = lowering.inputs.map { lowering.shape(of: $0) }
    try ArgumentRule.count(
      shapes, from: 3, to: 3, example: "[data, indices, updates] --> ScatterElements(axis: 0)")
    let axis = try CombinationRule.axis(axis, rank: shapes[0].rank)
    lowering.output = try lowering.apply(
      .scatterElements(axis: axis, combination), to: lowering.inputs)
  }
}
