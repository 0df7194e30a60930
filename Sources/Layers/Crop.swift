import ForgeOperations
import ForgeShapes

/// Crops the edges of an image.
///
/// `y(i, j, c) = x(i + top, j + left, c)`.
///
/// - Input shape: (width, height, channels); width and height may be unknown.
/// - Output shape: (width − left − right, height − top − bottom, channels).
/// - Parameters: none.
/// - Errors: `invalidArgument` for a number of pixels out of range, `emptyOutput` when nothing is
///   left, `shapeMismatch` for an input that is not an image.
/// - Names elsewhere: Keras Cropping2D, ONNX Slice, Core ML crop.
///
/// ```swift
/// Input(width: 64, height: 48, channels: 3)
///   --> Crop(top: 2, left: 1, bottom: 2, right: 1)  // (62, 44, 3)
/// ```
public struct Crop: PrimitiveLayer {
  package let label: LayerLabel
  /// The pixels cut from each edge.
  public let edges: Edges
  package var primitive: Primitive { .crop(edges) }

  /// Creates a crop; edges that are left out are 0.
  ///
  /// - Parameters:
  ///   - top: rows cut at the top.
  ///   - left: columns cut at the left.
  ///   - bottom: rows cut at the bottom.
  ///   - right: columns cut at the right.
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

  /// Creates a crop of the same width on all four edges.
  ///
  /// - Parameters:
  ///   - all: rows and columns cut at each edge.
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
