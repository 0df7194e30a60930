import ForgeOperations
import ForgeShapes

/// Normalizes values with the mean and variance of each channel of each example.
///
/// `y(…, c) = gamma(c) · (x(…, c) − mean(c)) / √(variance(c) + epsilon) + beta(c)`, with the mean
/// and the variance (not the unbiased one) over all positions.
///
/// - Input shape: two or more axes, the last of which holds the channels: an image, or
///   [time][channels].
/// - Output shape: the input's.
/// - Parameters: gamma [channels] with `scale`, beta [channels] with `center`.
/// - Epsilon: 0.00001 by default, as in PyTorch and ONNX.
/// - Errors: `invalidArgument` for an epsilon that is negative or not finite, `shapeMismatch` for
///   an input of one axis, `unknownSize` for an unknown number of channels.
/// - Names elsewhere: ONNX InstanceNormalization, PyTorch InstanceNorm2d (with affine for gamma and
///   beta), Keras GroupNormalization with groups −1.
///
/// ```swift
/// Input(width: 28, height: 28, channels: 64) --> InstanceNormalization(name: "in1")
/// ```
public struct InstanceNormalization: BuiltInLayer {
  /// `InstNorm` for short.
  public static var summaryName: String { "InstNorm" }
  package let label: LayerLabel
  /// The number added to the variance.
  public let epsilon: Float
  /// Whether there is a beta; otherwise it is 0.
  public let isCentered: Bool
  /// Whether there is a gamma; otherwise it is 1.
  public let isScaled: Bool

  /// Creates an instance normalization.
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
    epsilon: Float = 1e-5, center: Bool = true, scale: Bool = true, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.epsilon = epsilon
    isCentered = center
    isScaled = scale
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one normalization of groups of one channel.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try lowering.normalizeGroups(
      epsilon: epsilon, isScaled: isScaled, isCentered: isCentered
    ) { $0 }
  }
}
