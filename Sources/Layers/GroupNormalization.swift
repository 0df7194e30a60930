import ForgeOperations
import ForgeShapes

/// Normalises values with the mean and variance of groups of channels of each example.
///
/// `y(…, c) = gamma(c) · (x(…, c) − mean(g)) / √(variance(g) + epsilon) + beta(c)`, with the mean
/// and the variance (not the unbiased one) over all positions and the channels of the group `g` of
/// `c`.
///
/// - Input shape: two or more axes, the last of which holds the channels: an image, or
///   [time][channels].
/// - Output shape: the input's.
/// - Parameters: gamma [channels] with `scale`, beta [channels] with `center`.
/// - Epsilon: 0.00001 by default, as in PyTorch and ONNX (Keras 0.001).
/// - Errors: `invalidArgument` for a number of groups below 1 or an epsilon that is negative or not
///   finite, `channelsNotDivisible` for groups that do not divide the channels, `shapeMismatch` for
///   an input of one axis, `unknownSize` for an unknown number of channels.
/// - Names elsewhere: Keras GroupNormalization, PyTorch GroupNorm, ONNX GroupNormalization.
///
/// ```swift
/// Input(width: 28, height: 28, channels: 64) --> GroupNormalization(groups: 32, name: "gn1")
/// ```
public struct GroupNormalization: BuiltInLayer {
  /// `GroupNorm` for short.
  public static var summaryName: String { "GroupNorm" }
  package let label: LayerLabel
  /// The number of groups of channels.
  public let groups: Int
  /// The number added to the variance.
  public let epsilon: Float
  /// Whether there is a beta; otherwise it is 0.
  public let isCentered: Bool
  /// Whether there is a gamma; otherwise it is 1.
  public let isScaled: Bool

  /// Creates a group normalization.
  ///
  /// - Parameters:
  ///   - groups: the number of groups of channels; it divides the channels.
  ///   - epsilon: the number added to the variance.
  ///   - center: whether a beta is added.
  ///   - scale: whether values are multiplied by a gamma.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    groups: Int, epsilon: Float = 1e-5, center: Bool = true, scale: Bool = true,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.groups = groups
    self.epsilon = epsilon
    isCentered = center
    isScaled = scale
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to TODO.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    throw ShapeError(.invalidArgument, "this layer is not finished")
  }
}
