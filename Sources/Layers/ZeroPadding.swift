import ForgeOperations
import ForgeShapes

/// Adds zeros around an image.
///
/// `y(i, j, c) = x(i − top, j − left, c)` inside the image, else 0.
///
/// - Input shape: (width, height, channels); width and height may be unknown.
/// - Output shape: (left + width + right, top + height + bottom, channels).
/// - Parameters: none.
/// - Errors: `invalidArgument` for a number of pixels out of range, `shapeMismatch` for an input
///   that is not an image, `tooLarge` for an output beyond bounds.
/// - Names elsewhere: Keras ZeroPadding2D, whose ((0, 1), (0, 1)) is `bottom: 1, right: 1`, ONNX
///   Pad with mode constant, Core ML padding constant.
///
/// ```swift
/// Input(width: 224, height: 224, channels: 3)
///   --> ZeroPadding(bottom: 1, right: 1)  // (225, 225, 3)
/// ```
public struct ZeroPadding: PrimitiveLayer {
  /// `ZeroPad` for short.
  public static var summaryName: String { "ZeroPad" }
  package let label: LayerLabel
  /// The pixels added on each edge.
  public let edges: Edges
  package var primitive: Primitive { .pad(edges) }

  /// Creates a padding; edges that are left out are 0.
  ///
  /// - Parameters:
  ///   - top: rows of zeros at the top.
  ///   - left: columns of zeros at the left.
  ///   - bottom: rows of zeros at the bottom.
  ///   - right: columns of zeros at the right.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.edges = Edges(top: top, left: left, bottom: bottom, right: right)
    label = LayerLabel(name, fileID, line, column)
  }

  /// Creates a padding of the same width on all four edges.
  ///
  /// - Parameters:
  ///   - all: rows and columns of zeros on each edge.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ all: Int, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      top: all, left: all, bottom: all, right: all, name: name, fileID: fileID, line: line,
      column: column)
  }
}
