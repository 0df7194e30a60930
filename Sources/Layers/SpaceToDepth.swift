import ForgeOperations
import ForgeShapes

/// Moves blocks of pixels into channels.
///
/// With `block` b and n channels, channel `(u·b + v)·n + c` of `y(i, j)` is `x(i·b + u, j·b + v,
/// c)` in the order `.standard`. The order `.darknet` is that of Darknet's reorg layer: the values,
/// with channels first, are read as an image of channels / b² channels and b times the size, to
/// which the standard order is applied.
///
/// - Input shape: (width, height, channels); for `.standard` width and height may be unknown.
/// - Output shape: (width / b, height / b, channels · b²).
/// - Parameters: none.
/// - Errors: `invalidArgument` for a block out of range, `shapeMismatch` for an input that is not
///   an image or whose sides b does not divide, `channelsNotDivisible` in the order `.darknet` for
///   channels that b² does not divide, `unknownSize` for an unknown size that is needed.
/// - Names elsewhere: ONNX SpaceToDepth, TensorFlow's space_to_depth, Darknet reorg.
///
/// ```swift
/// Input(width: 26, height: 26, channels: 64) --> SpaceToDepth(block: 2)  // (13, 13, 256)
/// ```
public struct SpaceToDepth: BuiltInLayer {
  /// The order of the channels.
  public enum Order: Hashable, Sendable {
    /// The position in the block is the outer index (ONNX, TensorFlow).
    case standard
    /// That of Darknet's reorg layer.
    case darknet
  }

  /// `SpcToDepth` for short.
  public static var summaryName: String { "SpcToDepth" }
  package let label: LayerLabel
  /// The width and height of a block in pixels.
  public let block: Int
  /// The order of the channels.
  public let order: Order

  /// Creates a rearrangement of pixels into channels.
  ///
  /// - Parameters:
  ///   - block: the width and height of a block in pixels.
  ///   - order: the order of the channels.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    block: Int, order: Order = .standard, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.block = block
    self.order = order
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one operation, or for Darknet's order to it between changes of the axes.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let primitive = Primitive.spaceToDepth(Size(square: block))
    guard order == .darknet else {
      lowering.output = try lowering.apply(primitive, to: [input])
      return
    }
    let shape = lowering.shape(of: input)
    let result = try primitive.outputShape(for: [shape])
    let sizes = try ArgumentRule.known(shape, "an image of known size")
    let area = block.multipliedSaturated(by: block)
    try GroupRule.divides(area, input: sizes[2], output: area)
    // The values with channels first, read as a larger image of fewer channels.
    var value = try lowering.apply(.permute([2, 0, 1]), to: [input])
    value = try lowering.apply(
      .reshape([sizes[2] / area, sizes[0] * block, sizes[1] * block]), to: [value])
    value = try lowering.apply(.permute([1, 2, 0]), to: [value])
    value = try lowering.apply(primitive, to: [value])
    value = try lowering.apply(.permute([2, 0, 1]), to: [value])
    let target = try ArgumentRule.known(result, "an image of known size")
    value = try lowering.apply(.reshape([target[2], target[0], target[1]]), to: [value])
    lowering.output = try lowering.apply(.permute([1, 2, 0]), to: [value])
  }
}
