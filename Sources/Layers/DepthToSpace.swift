import ForgeOperations
import ForgeShapes

/// Moves channels into blocks of pixels.
///
/// With `block` b and n = channels / b² output channels, `y(i·b + u, j·b + v, c)` is channel `(u·b
/// + v)·n + c` of `x(i, j)` in the order `.depthColumnRow`, and channel `c·b² + u·b + v` in the
/// order `.columnRowDepth`.
///
/// - Input shape: (width, height, channels); width and height may be unknown.
/// - Output shape: (width · b, height · b, channels / b²).
/// - Parameters: none.
/// - Errors: `invalidArgument` for a block out of range, `channelsNotDivisible` for channels that
///   b² does not divide, `shapeMismatch` for an input that is not an image, `unknownSize` for an
///   unknown number of channels, `tooLarge` for an output beyond bounds.
/// - Names elsewhere: ONNX DepthToSpace with mode DCR or CRD, TensorFlow's depth_to_space
///   (`.depthColumnRow`), PyTorch PixelShuffle (`.columnRowDepth`), Core ML reorganizeData.
///
/// ```swift
/// Input(width: 32, height: 32, channels: 12) --> DepthToSpace(block: 2)  // (64, 64, 3)
/// ```
public struct DepthToSpace: BuiltInLayer {
  /// The order of the channels.
  public enum Order: Hashable, Sendable {
    /// The position in the block is the outer index (ONNX's DCR, TensorFlow).
    case depthColumnRow
    /// The position in the block is the inner index (ONNX's CRD, PyTorch).
    case columnRowDepth
  }

  /// `DepthToSpc` for short.
  public static var summaryName: String { "DepthToSpc" }
  package let label: LayerLabel
  /// The width and height of a block in pixels.
  public let block: Int
  /// The order of the channels.
  public let order: Order

  /// Creates a rearrangement of channels into pixels.
  ///
  /// - Parameters:
  ///   - block: the width and height of a block in pixels.
  ///   - order: the order of the channels.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    block: Int, order: Order = .depthColumnRow, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.block = block
    self.order = order
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one operation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.applyToInput(
      .depthToSpace(Size(square: block), interleaved: order == .columnRowDepth))
  }
}
