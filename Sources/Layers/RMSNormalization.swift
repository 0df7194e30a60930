import ForgeOperations
import ForgeShapes

/// Divides each vector along the last axis by the root of the mean of its squares.
///
/// `y(…, c) = gamma(c) · x(…, c) / √(meanᵢ x(…, i)² + epsilon)`.
///
/// - Input shape: any […][channels], with a known last size.
/// - Output shape: the input's.
/// - Parameters: with `scale`, gamma [channels].
/// - Errors: `unknownSize` for an unknown number of channels, `invalidArgument` for a number out of
///   range.
/// - Names elsewhere: Keras RMSNormalization, PyTorch RMSNorm, ONNX RMSNormalization.
/// - Source: Zhang and Sennrich, Root Mean Square Layer Normalization, 2019.
///
/// ```swift
/// Input(shape: [128, 384]) --> RMSNormalization(name: "rms1")  // 128×384
/// ```
public struct RMSNormalization: BuiltInLayer {
  /// `RMSNorm`.
  public static var summaryName: String { "RMSNorm" }
  package let label: LayerLabel
  /// The number added to the mean of the squares.
  public let epsilon: Float
  /// Whether there is a gamma; otherwise it is 1.
  public let isScaled: Bool

  /// Creates a normalization by the root of the mean square.
  ///
  /// - Parameters:
  ///   - epsilon: the number added to the mean of the squares.
  ///   - scale: whether values are multiplied by a gamma.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    epsilon: Float = 1e-6, scale: Bool = true, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.epsilon = epsilon
    isScaled = scale
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one normalization.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let channels = try ArgumentRule.lastAxis(of: lowering.shape(of: input))
    let rule = Normalization(extent: .lastAxes(1), kind: .rootMeanSquare, epsilon: epsilon)
    var operands = [input]
    if isScaled {
      try SizeRule.boundedConstant(channels: channels)
      operands.append(try lowering.parameter(.gamma, [.channels: channels]))
      operands.append(
        try lowering.constant(
          Array(repeating: 0, count: channels), shape: Shape(sizes: [channels])))
    }
    lowering.output = try lowering.apply(.normalize(rule), to: operands)
  }
}
