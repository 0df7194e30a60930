import ForgeOperations
import ForgeShapes

/// Values known when the network is described, in a layer without inputs.
///
/// `y(n) = values[n]` in memory order.
///
/// - Input shape: no input.
/// - Output shape: the stated one.
/// - Parameters: none; the values belong to the layer.
/// - Errors: `wrongInputCount` for any input, `invalidArgument` for a number of values that does
///   not match the shape, `emptyOutput` and `tooLarge` for a shape beyond bounds.
/// - Names elsewhere: ONNX Constant and initializer, Core ML loadConstant.
///
/// ```swift
/// Constant([0.5, 0.25, 0.125], shape: .vector(3))  // (1, 1, 3)
/// ```
public struct Constant: BuiltInLayer {
  package let label: LayerLabel
  /// The values in memory order.
  public let values: [Float]
  /// The sizes, all known.
  public let shape: Shape

  /// Creates a constant.
  ///
  /// - Parameters:
  ///   - values: the values in memory order (height, width, channels for an image).
  ///   - shape: the sizes, all known.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ values: [Float], shape: Shape, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.values = values
    self.shape = shape
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to a constant; the values must fill the shape.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.count(lowering.inputs.map { lowering.shape(of: $0) }, from: 0, to: 0)
    try ArgumentRule.values(values.count, fill: shape)
    lowering.output = try lowering.constant(values, shape: shape)
  }
}
