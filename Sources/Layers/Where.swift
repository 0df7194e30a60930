import ForgeOperations
import ForgeShapes

/// Chooses between two tensors, element by element.
///
/// `y = x₁ ≠ 0 ? x₂ : x₃`, with NumPy's broadcasting. NaN counts as true.
///
/// - Input shapes: the condition and two tensors, whose sizes are equal or 1.
/// - Output shape: the largest size along each axis.
/// - Parameters: none.
/// - Errors: `wrongInputCount` for a wrong number of tensors, `shapeMismatch` for sizes that do not
///   broadcast.
/// - Names elsewhere: ONNX Where, Core ML whereBroadcastable.
///
/// ```swift
/// [a, a, b] --> Where()
/// ```
public struct Where: BuiltInLayer {
  package let label: LayerLabel

  /// Creates a choice.
  ///
  /// - Parameters:
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one operation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let shapes = lowering.inputs.map { lowering.shape(of: $0) }
    try ArgumentRule.count(shapes, from: 3, to: 3, example: "[condition, a, b] --> Where()")
    lowering.output = try lowering.apply(.select, to: lowering.inputs)
  }
}
