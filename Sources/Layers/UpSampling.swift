import ForgeOperations
import ForgeShapes

/// Enlarges an image by whole factors.
///
/// `y(i, j, c) = x(⌊i / size.height⌋, ⌊j / size.width⌋, c)` with mode `.nearest`; with `.bilinear`,
/// `x` is interpolated at the half-pixel center `((i + ½) / size.height − ½, …)`, with the edge
/// repeated.
///
/// - Input shape: (width, height, channels); width and height may be unknown.
/// - Output shape: (width · `size.width`, height · `size.height`, channels).
/// - Parameters: none.
/// - Mode: `.nearest` by default, as in Keras.
/// - Errors: `invalidArgument` for a factor out of range, `shapeMismatch` for an input that is not
///   an image, `tooLarge` for an output beyond bounds.
/// - Names elsewhere: Keras UpSampling2D, ONNX Upsample and Resize, Core ML upsample.
///
/// ```swift
/// Input(width: 13, height: 13, channels: 256)
///   --> UpSampling(size: (2, 2))  // (26, 26, 256)
/// ```
public struct UpSampling: PrimitiveLayer {
  package let label: LayerLabel
  /// The factors of width and height.
  public let size: Size
  /// How pixels are sampled.
  public let mode: ResizeMode
  package var primitive: Primitive { .resize(.factor(size), mode) }

  /// Creates an enlargement.
  ///
  /// - Parameters:
  ///   - size: the factors of (width, height).
  ///   - mode: how pixels are sampled; antialiasing makes no difference when enlarging.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    size: (width: Int, height: Int) = (2, 2), mode: ResizeMode = .nearest, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.size = Size(size)
    self.mode = mode
    label = LayerLabel(name, fileID, line, column)
  }

  /// Creates an enlargement with one factor for width and height.
  ///
  /// - Parameters:
  ///   - size: the factor of width and height.
  ///   - mode: how pixels are sampled; antialiasing makes no difference when enlarging.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    size: Int, mode: ResizeMode = .nearest, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      size: (size, size), mode: mode, name: name, fileID: fileID, line: line, column: column)
  }

  /// Creates an enlargement with one factor for width and height.
  ///
  /// - Parameters:
  ///   - size: the factor of width and height.
  ///   - mode: how pixels are sampled; antialiasing makes no difference when enlarging.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ size: Int, mode: ResizeMode = .nearest, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      size: (size, size), mode: mode, name: name, fileID: fileID, line: line, column: column)
  }
}
