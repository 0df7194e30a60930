import ForgeOperations

/// The mean of each whole channel.
///
/// `y(c) = Σ x(i, j, c) / (width · height)` over all pixels (i, j).
///
/// - Input shape: (width, height, channels); width and height may be unknown.
/// - Output shape: (1, 1, channels).
/// - Parameters: none.
/// - Errors: `shapeMismatch` for an input that is not an image, `unknownSize` for an unknown number
///   of channels.
/// - Names elsewhere: Keras GlobalAveragePooling2D, ONNX GlobalAveragePool, Core ML pooling with
///   globalPooling.
///
/// ```swift
/// Input(width: 7, height: 7, channels: 1024)
///   --> GlobalAveragePooling()  // (1, 1, 1024)
/// ```
public struct GlobalAveragePooling: PrimitiveLayer {
  /// `GlbAvgPool`, as in the 2017 toolkit.
  public static var summaryName: String { "GlbAvgPool" }
  package let label: LayerLabel
  package var primitive: Primitive { .globalPooling(.averageInside) }

  /// Creates a global average pooling.
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
}
