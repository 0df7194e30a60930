/// How a model is written to a Core ML file.
///
/// ```swift
/// try model.write(coreML: "net.mlmodel", options: CoreMLOptions(weights: .float16))
/// ```
public struct CoreMLOptions: Sendable {
  /// The type of the weights in the file.
  public enum WeightType: String, Hashable, Sendable, CaseIterable {
    /// The weights as they are.
    case float32
    /// The nearest half; a weight beyond ±65504 is an error.
    case float16
  }

  /// The type of the weights.
  public var weights: WeightType
  /// The length of the sequences of a model that takes sequences of any length.
  ///
  /// A file has sequences of one length.
  public var length: Int?
  /// Whether an input becomes an image of Core ML if the model states how to prepare its pictures.
  ///
  /// The file then scales the pixels; otherwise the input is an array of prepared values.
  public var hasImages: Bool
  /// Whether a model whose labels fit an output becomes a classifier of Core ML.
  ///
  /// The file then has the probabilities by label, and the label of the largest one.
  public var isClassifier: Bool

  /// Creates options.
  ///
  /// - Parameters:
  ///   - weights: the type of the weights.
  ///   - length: the length of sequences.
  ///   - hasImages: whether inputs of pictures are images of Core ML.
  ///   - isClassifier: whether a model with labels is a classifier of Core ML.
  public init(
    weights: WeightType = .float32, length: Int? = nil, hasImages: Bool = true,
    isClassifier: Bool = true
  ) {
    self.weights = weights
    self.length = length
    self.hasImages = hasImages
    self.isClassifier = isClassifier
  }
}
