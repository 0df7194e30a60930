import ForgeOperations
import ForgeShapes

/// The means of a grid of windows that cover the whole image.
///
/// `y(i, j, c)` is the mean of `x` over the rows from ⌊i·height / height′⌋ to ⌈(i + 1)·height /
/// height′⌉ and likewise the columns, the last ones excluded.
///
/// - Input shape: (width, height, channels); width and height may be unknown.
/// - Output shape: (`width`, `height`, channels), which may be larger than the input.
/// - Parameters: none.
/// - Errors: `invalidArgument` for a size out of range, `shapeMismatch` for an input that is not an
///   image.
/// - Names elsewhere: PyTorch AdaptiveAvgPool2d, Keras AdaptiveAveragePooling2D.
///
/// ```swift
/// Input(width: 13, height: 11, channels: 256)
///   --> AdaptiveAveragePooling(width: 6, height: 6)  // (6, 6, 256)
/// ```
public struct AdaptiveAveragePooling: BuiltInLayer {
  /// `AdaptAvgPl` for short.
  public static var summaryName: String { "AdaptAvgPl" }
  package let label: LayerLabel
  /// The size of the output in pixels.
  public let size: Size

  /// Creates an adaptive average pooling.
  ///
  /// - Parameters:
  ///   - width: the width of the output in pixels.
  ///   - height: the height of the output in pixels.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    width: Int, height: Int, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    size = Size(width: width, height: height)
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one resampling.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.positive(size, "size")
    try ArgumentRule.image(lowering.shape(of: try lowering.input()))
    lowering.output = try lowering.applyToInput(
      .resample(Resampling(sizes: [size.height, size.width, nil], filter: .meanOfParts)))
  }
}
