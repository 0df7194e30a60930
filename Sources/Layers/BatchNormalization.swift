import ForgeOperations
import ForgeShapes

/// Normalizes values with the mean and variance of each channel found in training.
///
/// `y(…, c) = gamma(c) · (x(…, c) − mean(c)) / √(variance(c) + epsilon) + beta(c)`.
///
/// - Input shape: any; the last axis holds the channels.
/// - Output shape: the input's.
/// - Parameters: gamma [channels] with `scale`, beta [channels] with `center`, mean [channels],
///   variance [channels], in this order.
/// - Epsilon: 0.001 by default, as in Keras (PyTorch and ONNX 0.00001; Darknet adds it to the
///   square root).
/// - Errors: `invalidArgument` for an epsilon that is negative or not finite, `unknownSize` for an
///   unknown number of channels, `tooLarge` for more than 2²⁴ of them.
/// - Names elsewhere: Keras BatchNormalization, ONNX BatchNormalization, Core ML batchnorm.
///
/// ```swift
/// x --> Convolution(kernel: (3, 3), channels: 32, useBias: false, name: "conv1")
///   --> BatchNormalization(scale: false, name: "bn1")
///   --> Activation(.relu)
/// ```
public struct BatchNormalization: BuiltInLayer {
  /// `BatchNorm` for short.
  public static var summaryName: String { "BatchNorm" }
  package let label: LayerLabel
  /// The number added to the variance.
  public let epsilon: Float
  /// Whether there is a beta; otherwise it is 0.
  public let isCentered: Bool
  /// Whether there is a gamma; otherwise it is 1.
  public let isScaled: Bool

  /// Creates a batch normalization.
  ///
  /// - Parameters:
  ///   - epsilon: the number added to the variance.
  ///   - center: whether a beta is added.
  ///   - scale: whether values are multiplied by a gamma.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    epsilon: Float = 0.001, center: Bool = true, scale: Bool = true, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.epsilon = epsilon
    isCentered = center
    isScaled = scale
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one normalization; a missing gamma becomes ones, a missing beta zeros.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    try ArgumentRule.require(
      epsilon.isFinite && epsilon >= 0, "epsilon", "\(epsilon)",
      needs: "a finite number of at least 0")
    let channels = try ArgumentRule.lastAxis(of: lowering.shape(of: input))
    try SizeRule.boundedConstant(channels: channels)
    let gamma =
      isScaled
      ? try lowering.parameter(.gamma, [.channels: channels]) : try lowering.perChannel([1])
    let beta =
      isCentered
      ? try lowering.parameter(.beta, [.channels: channels]) : try lowering.perChannel([0])
    let mean = try lowering.parameter(.mean, [.channels: channels])
    let variance = try lowering.parameter(.variance, [.channels: channels])
    lowering.output = try lowering.apply(
      .batchNormalization(epsilon: epsilon), to: [input, gamma, beta, mean, variance])
  }
}
