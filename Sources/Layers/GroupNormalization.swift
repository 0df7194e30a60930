import ForgeOperations
import ForgeShapes

/// Normalizes values with the mean and variance of groups of channels of each example.
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

  /// Lowers to one normalization of groups of an image.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.positive(groups, "groups")
    try lowering.normalizeGroups(
      epsilon: epsilon, isScaled: isScaled, isCentered: isCentered
    ) { _ in groups }
  }
}

extension Lowering {
  /// Sets the output to the only input, normalized over all positions and groups of channels.
  mutating func normalizeGroups(
    epsilon: Float, isScaled: Bool, isCentered: Bool, groups: (_ channels: Int) -> Int
  ) throws(ShapeError) {
    let input = try input()
    let shape = shape(of: input)
    guard shape.rank >= 2 else {
      throw ShapeError(
        .shapeMismatch, "the input has 1 axis", needs: "positions, then channels")
    }
    let channels = try ArgumentRule.lastAxis(of: shape)
    try SizeRule.boundedConstant(channels: channels)
    let groups = groups(channels)
    try GroupRule.divides(groups, input: channels, output: groups)
    var image = input
    if !shape.isImage {
      let sizes = try ArgumentRule.known(shape, "a tensor of known size")
      image = try apply(.reshape([sizes[0], -1, channels]), to: [input])
    }
    let gamma =
      isScaled ? try parameter(.gamma, [.channels: channels]) : try perChannel([1])
    let beta =
      isCentered ? try parameter(.beta, [.channels: channels]) : try perChannel([0])
    let operands = isScaled || isCentered ? [image, gamma, beta] : [image]
    let rule = Normalization(extent: .groups(groups), epsilon: epsilon)
    let result = try apply(.normalize(rule), to: operands)
    guard !shape.isImage, let sizes = shape.sizes else {
      output = result
      return
    }
    let normalized = try apply(.reshape(sizes), to: [result])
    state(.like(input), of: normalized)
    output = normalized
  }
}
