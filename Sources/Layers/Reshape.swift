import ForgeOperations

/// Changes the sizes and keeps the values in the same order.
///
/// Value `n` in memory order stays value `n`; nothing moves.
///
/// - Input shape: any, of known sizes.
/// - Output shape: the sizes stated in memory order, outermost first: height, width, channels for
///   an image. One size may be −1 and follows from the others.
/// - Parameters: none.
/// - Errors: `shapeMismatch` when the numbers of values differ, `invalidArgument` for a size that
///   is neither positive nor the only −1, `unknownSize` for an input of unknown size.
/// - Names elsewhere: Keras Reshape, ONNX Reshape (which includes the batch as first axis), Core ML
///   reshape.
///
/// ```swift
/// let x = Input(width: 6, height: 4, channels: 2)
/// x --> Reshape(to: [8, -1])                        // (8, 6)
/// x --> Reshape(width: 3, height: 4, channels: 4)   // (3, 4, 4)
/// ```
public struct Reshape: PrimitiveLayer {
  package let label: LayerLabel
  /// The sizes in memory order; −1 for one that follows from the others.
  public let sizes: [Int]
  package var primitive: Primitive { .reshape(sizes) }

  /// Creates a reshape.
  ///
  /// - Parameters:
  ///   - sizes: the sizes in memory order, outermost first (height, width, channels for an image);
  ///     −1 for at most one that follows from the others.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    to sizes: [Int], name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.sizes = sizes
    label = LayerLabel(name, fileID, line, column)
  }

  /// Creates a reshape to an image.
  ///
  /// - Parameters:
  ///   - width: pixels in a row, or −1.
  ///   - height: rows, or −1.
  ///   - channels: values per pixel, or −1.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    width: Int, height: Int, channels: Int, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      to: [height, width, channels], name: name, fileID: fileID, line: line, column: column)
  }
}
