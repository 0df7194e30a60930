import ForgeOperations
import ForgeShapes

/// Multiplies each channel by a constant and adds a constant.
///
/// `y(…, c) = by(c) · x(…, c) + bias(c)`, with one number for all channels or one per channel.
///
/// - Input shape: any; the last axis holds the channels.
/// - Output shape: the input's.
/// - Parameters: none; the numbers belong to the layer.
/// - Errors: `invalidArgument` for a different number of values or one that is not finite,
///   `unknownSize` for an unknown number of channels, `tooLarge` for more than 2²⁴ of them.
/// - Names elsewhere: Keras Rescaling and Normalization, ONNX Mul and Add, Core ML scale and
///   scaler.
///
/// ```swift
/// Input(width: 224, height: 224, channels: 3)
///   --> Scale(1 / 127.5, bias: -1)  // 0…255 becomes −1…1
/// ```
public struct Scale: BuiltInLayer {
  package let label: LayerLabel
  /// The factors: one, or one per channel.
  public let factors: [Float]
  /// The values added after the multiplication: one, or one per channel.
  public let bias: [Float]

  /// Creates a scale.
  ///
  /// - Parameters:
  ///   - factors: the factors: one, or one per channel.
  ///   - bias: the values added after the multiplication: one, or one per channel.
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
    label = LayerLabel(name, fileID, line, column)
  }

  /// Creates a scale with one factor and one bias for all channels.
  ///
  /// - Parameters:
  ///   - factor: the factor of every value.
  ///   - bias: the number added after the multiplication.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ factor: Float, bias: Float = 0, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      by: [factor], bias: [bias], name: name, fileID: fileID, line: line, column: column)
  }

  /// Lowers to one scale and shift.
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
