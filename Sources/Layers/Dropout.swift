import ForgeOperations
import ForgeShapes

/// Drops a fraction of the values in training, and returns its input when predicting.
///
/// `y = x`. With this layer, a network can be written as it was trained.
///
/// - Input shape: any.
/// - Output shape: the input's.
/// - Parameters: none.
/// - Errors: `invalidArgument` for a rate that is not from 0 to 1.
/// - Names elsewhere: Keras Dropout and SpatialDropout2D, ONNX Dropout; Core ML has none.
///
/// ```swift
/// x --> Dense(neurons: 128, activation: .relu, name: "fc1") --> Dropout(rate: 0.5)
/// ```
public struct Dropout: BuiltInLayer {
  package let label: LayerLabel
  /// The fraction of values dropped in training, from 0 to 1.
  public let rate: Float

  /// Creates a dropout.
  ///
  /// - Parameters:
  ///   - rate: the fraction of values dropped in training, from 0 to 1.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    rate: Float, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.rate = rate
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to the input itself.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.require(
      rate >= 0 && rate <= 1, "rate", "\(rate)", needs: "a number from 0 to 1")
    lowering.output = try lowering.applyToInput(.identity)
  }
}
