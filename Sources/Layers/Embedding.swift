import ForgeOperations
import ForgeShapes

/// Replaces whole numbers by vectors: the words of a text by their embeddings.
///
/// `y(i…, c) = w(⌊x(i…)⌋, c)`: fractions of an id are dropped, as in Keras. A number below 0, one
/// from `vocabulary` on, and NaN end the prediction with a `PredictionError` of kind
/// `invalidIndex`.
///
/// - Input shape: ids of any shape.
/// - Output shape: the input's axes, then `channels`.
/// - Parameters: weights [`vocabulary`][`channels`].
/// - Errors: `invalidArgument` for a number out of range, `tooLarge` for a vocabulary of more than
///   2²⁴ entries.
/// - Names elsewhere: Keras and PyTorch Embedding, ONNX Gather, Core ML embedding.
///
/// ```swift
/// Input(shape: [128]) --> Embedding(vocabulary: 30_522, channels: 384, name: "words")  // 128×384
/// ```
public struct Embedding: BuiltInLayer {
  package let label: LayerLabel
  /// The number of ids.
  public let vocabulary: Int
  /// The channels of a vector.
  public let channels: Int

  /// Creates an embedding.
  ///
  /// - Parameters:
  ///   - vocabulary: the number of ids, which begin with 0.
  ///   - channels: the channels of a vector.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    vocabulary: Int, channels: Int, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.vocabulary = vocabulary
    self.channels = channels
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to a choice of rows of the weights.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try ArgumentRule.require(
      vocabulary > 0, "vocabulary", "\(vocabulary)", needs: "at least 1")
    try ArgumentRule.positive(channels, "channels")
    let input = try lowering.input()
    let weights = try lowering.parameter(
      ParameterSpec(
        .weights, [.inputs: vocabulary, .outputs: channels], keras: [.inputs, .outputs],
        pytorch: [.inputs, .outputs]))
    lowering.output = try lowering.apply(
      .gatherRows(axis: 0, isChecked: true), to: [weights, input])
  }
}
