import ForgeOperations
import ForgeShapes

/// Nothing when predicting; in training a share of the values is dropped here.
///
/// `y = x`. The layer is there so that a network can be written as it was trained.
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
public struct Dropout: Layer {
  /// The name given.
  public let name: String?
  /// The place in source.
  public let place: SourcePlace
  /// The share of values dropped in training, from 0 to 1.
  public let rate: Float

  /// Creates a dropout.
  ///
  /// - Parameters:
  ///   - rate: the share of values dropped in training, from 0 to 1.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    rate: Float, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.rate = rate
    self.name = name
    self.place = SourcePlace(fileID: fileID, line: line, column: column)
  }

  /// The input itself.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.require(
      rate >= 0 && rate <= 1, "rate", "\(rate)", needs: "a number from 0 to 1")
    lowering.output = try lowering.applyToInput(.identity)
  }
}
