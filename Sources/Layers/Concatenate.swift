import ForgeOperations
import ForgeShapes

/// Concatenates tensors along one axis, by default the channels.
///
/// `y` holds the values of `x₁`, then those of `x₂` and so on along the axis.
///
/// - Input shape: one or more tensors of the same rank with the same sizes on every other axis.
/// - Output shape: that of the inputs, with the sum of their sizes along the axis.
/// - Parameters: none.
/// - Axis: counted from 0 in memory order (height, width, channels for an image); −1 is the last.
/// - Errors: `wrongInputCount` for no tensor, `shapeMismatch` for ranks or other sizes that differ,
///   `invalidArgument` for an axis that the inputs do not have, `tooLarge` for an output beyond
///   bounds.
/// - Names elsewhere: Keras Concatenate, ONNX Concat, Core ML concat; if they count the batch,
///   their axis is one higher.
///
/// ```swift
/// let y = [a, b] --> Concatenate()  // (28, 28, 64) and (28, 28, 32) give (28, 28, 96)
/// ```
public struct Concatenate: BuiltInLayer {
  /// `Concat`, as in the 2017 toolkit.
  public static var summaryName: String { "Concat" }
  package let label: LayerLabel
  /// The axis in memory order; negative ones count from the back.
  public let axis: Int

  /// Creates a concatenation.
  ///
  /// - Parameters:
  ///   - axis: the axis in memory order, from 0 (height, width, channels for an image); negative
  ///     ones count from the back.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    axis: Int = -1, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.axis = axis
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one concatenation, with the axis counted from the front.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let shapes = lowering.inputs.map { lowering.shape(of: $0) }
    try ArgumentRule.count(shapes, from: 1, example: "[a, b] --> Concatenate()")
    let axis = try CombinationRule.axis(axis, rank: shapes[0].rank)
    lowering.output = try lowering.apply(.concatenate(axis: axis), to: lowering.inputs)
  }
}
