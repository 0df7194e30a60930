import ForgeOperations
import ForgeShapes

/// A ReLU whose slopes for negative values are parameters.
///
/// `y = x` where `x > 0`, else `slope · x`; by default one slope per channel.
///
/// - Input shape: one to three axes (channels; time, channels; height, width, channels).
/// - Output shape: the input's.
/// - Parameters: slopes [channels] if only the channels have separate slopes; else
///   [height][width][channels], for a sequence [time][channels], with 1 for each shared axis.
/// - Shared axes: all positions share the slope of their channel by default; with `shared: []` each
///   element has its own, with `[.time, .height, .width, .channels]` there is one slope. Axes that
///   the input does not have are ignored.
/// - Errors: `shapeMismatch` for more than three axes, `unknownSize` if an axis that is not shared
///   has no known size.
/// - Names elsewhere: Keras PReLU, whose `shared_axes=[1, 2]` is the default here and whose default
///   is `shared: []`, ONNX PRelu, Core ML PReLU.
///
/// ```swift
/// Input(width: 32, height: 24, channels: 56) --> PReLU(name: "act1")  // 56 slopes
/// ```
public struct PReLU: BuiltInLayer {
  package let label: LayerLabel
  /// The axes along which all positions share a slope.
  public let shared: Set<Axis>

  /// Creates a ReLU with slopes.
  ///
  /// - Parameters:
  ///   - shared: the axes along which all positions share a slope.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    shared: Set<Axis> = [.time, .height, .width], name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.shared = shared
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one operation on the input and the slopes.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let sizes = try slopes(for: lowering.shape(of: input))
    let slopes =
      switch sizes.count {
      case 2: try lowering.parameter(.slopes, [.width: sizes[0], .channels: sizes[1]])
      case 3:
        try lowering.parameter(
          .slopes, [.height: sizes[0], .width: sizes[1], .channels: sizes[2]])
      default: try lowering.parameter(.slopes, [.channels: sizes[0]])
      }
    lowering.output = try lowering.apply(.binary(.prelu), to: [input, slopes])
  }

  /// The number of slopes along each axis; only the channel axis if positions share them.
  private func slopes(for input: Shape) throws(ShapeError) -> [Int] {
    try ArgumentRule.namedAxes(input)
    let sizes = zip(input.axes, input.dimensions).map { shared.contains($0) ? 1 : $1 }
    let known = try ArgumentRule.known(
      Shape(sizes), "known sizes along the axes that do not share slopes")
    let positionsShare = input.axes.dropLast().allSatisfy(shared.contains)
    return positionsShare ? known.suffix(1) : known
  }
}
