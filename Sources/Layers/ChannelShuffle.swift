import ForgeOperations
import ForgeShapes

/// Interleaves groups of channels.
///
/// With g groups of n channels, channel `k·g + j` of `y` is channel `j·n + k` of `x`.
///
/// - Input shape: (width, height, channels); width and height may be unknown.
/// - Output shape: the input's.
/// - Parameters: none.
/// - Errors: `invalidArgument` for groups out of range, `channelsNotDivisible` for groups that do
///   not divide the channels, `shapeMismatch` for an input that is not an image, `unknownSize` for
///   an unknown number of channels.
/// - Names elsewhere: PyTorch ChannelShuffle, ShuffleNet.
///
/// ```swift
/// Input(width: 28, height: 28, channels: 24) --> ChannelShuffle(groups: 3)
/// ```
public struct ChannelShuffle: BuiltInLayer {
  /// `ChShuffle` for short.
  public static var summaryName: String { "ChShuffle" }
  package let label: LayerLabel
  /// The number of groups.
  public let groups: Int

  /// Creates a channel shuffle.
  ///
  /// - Parameters:
  ///   - groups: the number of groups of channels.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    groups: Int, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.groups = groups
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to a new order of the channels.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.positive(groups, "groups")
    let channels = try ArgumentRule.channels(of: lowering.shape(of: try lowering.input()))
    try GroupRule.divides(groups, input: channels, output: groups)
    try SizeRule.boundedConstant(channels: channels)
    let members = channels / groups
    lowering.output = try lowering.applyToInput(
      .gatherChannels((0..<channels).map { $0 % groups * members + $0 / groups }))
  }
}
