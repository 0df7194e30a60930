import ForgeOperations
import ForgeShapes

/// Values multiplied with and shifted by known numbers, channel by channel.
///
/// `y(…, c) = by(c) · x(…, c) + bias(c)`, each of one number for all channels or one per channel.
///
/// - Input shape: any, of which the last axis is the channels.
/// - Output shape: the input's.
/// - Parameters: none; the numbers belong to the layer.
/// - Errors: `invalidArgument` for another number of values or one that is not finite,
///   `unknownSize` for an unknown number of channels, `tooLarge` for more than 2²⁴ of them.
/// - Names elsewhere: Keras Rescaling and Normalization, ONNX Mul and Add, Core ML scale and
///   scaler.
///
/// ```swift
/// Input(width: 224, height: 224, channels: 3)
///   --> Scale(by: [1 / 127.5], bias: [-1])  // 0…255 becomes −1…1
/// ```
public struct Scale: Layer {
  /// The name given.
  public let name: String?
  /// The place in source.
  public let place: SourcePlace
  /// The factors: one, or one per channel.
  public let factors: [Float]
  /// Added after the multiplication: one value, or one per channel.
  public let bias: [Float]

  /// Creates a scale.
  ///
  /// - Parameters:
  ///   - factors: the factors: one, or one per channel.
  ///   - bias: added after the multiplication: one value, or one per channel.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    by factors: [Float] = [1], bias: [Float] = [0], name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.factors = factors
    self.bias = bias
    self.name = name
    self.place = SourcePlace(fileID: fileID, line: line, column: column)
  }

  /// One scale and shift.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let channels = try ArgumentRule.lastAxis(of: lowering.shape(of: input))
    try ArgumentRule.perChannel(factors, "by", channels: channels)
    try ArgumentRule.perChannel(bias, "bias", channels: channels)
    let scale = try lowering.perChannel(factors)
    let shift = try lowering.perChannel(bias)
    lowering.output = try lowering.apply(.affine, to: [input, scale, shift])
  }
}
