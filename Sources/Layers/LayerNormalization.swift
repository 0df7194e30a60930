import ForgeOperations
import ForgeShapes

/// Normalizes values with the mean and variance over some axes of each example.
///
/// `y = gamma · (x − mean) / √(variance + epsilon) + beta`, with the mean and the variance (not the
/// unbiased one) of the values that share their indices on all other axes.
///
/// - Input shape: any.
/// - Output shape: the input's.
/// - Parameters: gamma with `scale` and beta with `center`, with one axis per normalized axis, in
///   memory order: [channels] for the last axis alone. An image's axes are [height], [width],
///   [channels], which a source with channels first has in another order.
/// - Axes: counted from 0 in memory order, negative ones from the back; the last one by default.
/// - Epsilon: 0.00001 by default, as in PyTorch and ONNX (Keras 0.001).
/// - Errors: `invalidArgument` for an axis that the input does not have, one that is stated twice,
///   or an epsilon that is negative or not finite, `unknownSize` for a normalized axis of unknown
///   size.
/// - Names elsewhere: Keras LayerNormalization, PyTorch LayerNorm, ONNX LayerNormalization.
///
/// ```swift
/// x --> Reshape(to: [128, 384]) --> LayerNormalization(name: "ln1")  // (128, 384)
/// ```
public struct LayerNormalization: BuiltInLayer {
  /// `LayerNorm` for short.
  public static var summaryName: String { "LayerNorm" }
  package let label: LayerLabel
  /// The normalized axes in memory order; negative ones count from the back.
  public let axes: [Int]
  /// The number added to the variance.
  public let epsilon: Float
  /// Whether there is a beta; otherwise it is 0.
  public let isCentered: Bool
  /// Whether there is a gamma; otherwise it is 1.
  public let isScaled: Bool

  /// Creates a layer normalization.
  ///
  /// - Parameters:
  ///   - axes: the normalized axes in memory order; negative ones count from the back.
  ///   - epsilon: the number added to the variance.
  ///   - center: whether a beta is added.
  ///   - scale: whether values are multiplied by a gamma.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    axes: [Int] = [-1], epsilon: Float = 1e-5, center: Bool = true, scale: Bool = true,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.axes = axes
    self.epsilon = epsilon
    isCentered = center
    isScaled = scale
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one normalization of the last axes, to which others are moved and back.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let axes = try ArgumentRule.axes(axes, of: lowering.shape(of: input))
    try ArgumentRule.require(
      axes.count <= 6, "axes", "\(axes)", needs: "at most 6 normalized axes")
    let shape = lowering.shape(of: input)
    let sizes = try ArgumentRule.known(
      Shape(axes.map { shape.dimensions[$0] }), "known sizes along the normalized axes")
    guard let count = Shape.product(of: sizes), count <= SizeRule.maximumConstantCount else {
      throw .tooManyElements()
    }
    let rule = Normalization(extent: .lastAxes(axes.count), epsilon: epsilon)
    let ones = Shape(sizes: [count])
    let gamma =
      isScaled
      ? try lowering.parameter(Self.parameter(.gamma, axes, sizes: sizes, isImage: shape.isImage))
      : try lowering.constant(Array(repeating: 1, count: count), shape: ones)
    let beta =
      isCentered
      ? try lowering.parameter(Self.parameter(.beta, axes, sizes: sizes, isImage: shape.isImage))
      : try lowering.constant(Array(repeating: 0, count: count), shape: ones)
    let operands = isScaled || isCentered ? [gamma, beta] : []
    lowering.output = try lowering.onLastAxes(axes, input) {
      (value, lowering) throws(ShapeError) in
      try lowering.apply(.normalize(rule), to: [value] + operands)
    }
  }

  /// A parameter with one axis for each normalized axis; only those of an image have an order.
  private static func parameter(
    _ type: ParameterType, _ axes: [Int], sizes: [Int], isImage: Bool
  ) -> ParameterSpec {
    let all: [ParameterAxis] = [.multiplier, .inputs, .outputs, .height, .width, .channels]
    if isImage {
      return ParameterSpec(type, axes: axes.map { all[3 + $0] }, sizes: sizes)
    }
    let names = Array(all.suffix(axes.count))
    return ParameterSpec(type, axes: names, sizes: sizes, keras: names, pytorch: names)
  }
}
