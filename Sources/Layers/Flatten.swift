import ForgeOperations
import ForgeShapes

/// Flattens all values into one vector, in memory order.
///
/// `y(0, 0, (i·width + j)·channels + c) = x(i, j, c)`: height, width, channels, as Keras flattens.
///
/// - Input shape: any, of known sizes.
/// - Output shape: (1, 1, number of values).
/// - Parameters: none.
/// - Errors: `unknownSize` for an input of unknown size.
/// - Names elsewhere: Keras Flatten, ONNX Flatten and Core ML flatten of channels-first memory, in
///   the order channels, height, width. ``Dense`` needs no Flatten before it.
///
/// ```swift
/// Input(width: 7, height: 5, channels: 20) --> Flatten()  // (1, 1, 700)
/// ```
public struct Flatten: BuiltInLayer {
  package let label: LayerLabel

  /// Creates a flattening.
  ///
  /// - Parameters:
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    name: String? = nil, fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one reshape.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    _ = try RearrangementRule.flatten(lowering.shape(of: try lowering.input()))
    lowering.output = try lowering.applyToInput(.reshape([1, 1, -1]))
  }
}
