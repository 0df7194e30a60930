import ForgeOperations

/// The largest value of each whole channel.
///
/// `y(c) = max x(i, j, c)` over all pixels (i, j), or NaN if one of them is.
///
/// - Input shape: (width, height, channels); width and height may be unknown.
/// - Output shape: (1, 1, channels).
/// - Parameters: none.
/// - Errors: `shapeMismatch` for an input that is not an image, `unknownSize` for an unknown number
///   of channels.
/// - Names elsewhere: Keras GlobalMaxPooling2D, ONNX GlobalMaxPool, Core ML pooling with
///   globalPooling.
///
/// ```swift
/// Input(width: 7, height: 7, channels: 1024)
///   --> GlobalMaxPooling()  // (1, 1, 1024)
/// ```
public struct GlobalMaxPooling: PrimitiveLayer {
  /// `GlbMaxPool` for short.
  public static var summaryName: String { "GlbMaxPool" }
  package let label: LayerLabel
  package var primitive: Primitive { .globalPooling(.maximum) }

  /// Creates a global max pooling.
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
