import ForgeOperations
import ForgeShapes

/// Exchanges the first and the third channel: RGB to BGR, or back.
///
/// `y = (x₂, x₁, x₀)` for each pixel; a fourth channel, alpha, stays in place.
///
/// - Input shape: (width, height, 3 or 4).
/// - Output shape: the input's.
/// - Parameters: none.
/// - Errors: `shapeMismatch` for a different number of channels or an input that is not an image.
/// - Names elsewhere: Keras's preprocessing for VGG and ResNet v1 ("caffe"), ONNX Gather, Core ML's
///   color space BGR of an image input.
///
/// ```swift
/// Input(width: 224, height: 224, channels: 3) --> SwapRedBlue()  // (224, 224, 3)
/// ```
public struct SwapRedBlue: BuiltInLayer {
  /// `SwapRB` for short.
  public static var summaryName: String { "SwapRB" }
  package let label: LayerLabel

  /// Creates an exchange of red and blue.
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

  /// Lowers to one gather of channels.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let shape = lowering.shape(of: try lowering.input())
    try ArgumentRule.channels(
      of: shape, oneOf: [3, 4], meaning: "red, green, blue, optionally alpha")
    let order = shape.channels == 4 ? [2, 1, 0, 3] : [2, 1, 0]
    lowering.output = try lowering.applyToInput(.gatherChannels(order))
  }
}
