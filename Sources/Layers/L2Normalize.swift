import ForgeOperations
import ForgeShapes

/// Divides values by their Euclidean norm over some axes.
///
/// `y = x / max(√Σ x², epsilon)`, summed over the values that share their indices on all other
/// axes.
///
/// - Input shape: any.
/// - Output shape: the input's.
/// - Parameters: none.
/// - Axes: counted from 0 in memory order, negative ones from the back; the last one by default.
/// - Errors: `invalidArgument` for an axis that the input does not have, one that is stated twice,
///   or an epsilon that is negative or not finite.
/// - Names elsewhere: Keras UnitNormalization, ONNX LpNormalization with p = 2, PyTorch normalize.
///
/// ```swift
/// x --> Dense(neurons: 128, name: "embedding") --> L2Normalize()  // (1, 1, 128)
/// ```
public struct L2Normalize: BuiltInLayer {
  /// `L2Norm` for short.
  public static var summaryName: String { "L2Norm" }
  package let label: LayerLabel
  /// The axes in memory order; negative ones count from the back.
  public let axes: [Int]
  /// The smallest divisor.
  public let epsilon: Float

  /// Creates a normalization to length 1.
  ///
  /// - Parameters:
  ///   - axes: the axes in memory order; negative ones count from the back.
  ///   - epsilon: the smallest divisor.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    axes: [Int] = [-1], epsilon: Float = 1e-12, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.axes = axes
    self.epsilon = epsilon
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one normalization of the last axes, to which others are moved and back.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let axes = try ArgumentRule.axes(axes, of: lowering.shape(of: input))
    let rule = Normalization(
      extent: .lastAxes(axes.count), kind: .unitLength, epsilon: epsilon)
    lowering.output = try lowering.onLastAxes(axes, input) {
      (value, lowering) throws(ShapeError) in
      try lowering.apply(.normalize(rule), to: [value])
    }
  }
}
