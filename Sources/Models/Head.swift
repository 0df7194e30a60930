import Forge

extension Model {
  /// What a classifier ends with.
  public enum Head: Sendable, CaseIterable {
    /// The probability of each class.
    case probabilities
    /// One number per class, as they are before the softmax.
    case logits
    /// The last feature map: no classifier, and none of its parameters.
    case features
  }
}

extension Model.Head {
  /// What follows the features: the classifier and a softmax, as far as they are wanted.
  ///
  /// - Parameters:
  ///   - classifier: the layers from the last feature map to the logits.
  ///   - softmax: the name of the softmax, which Keras mostly has inside its last dense layer.
  /// - Returns: the layers wanted; none for `features`.
  func layers(_ classifier: Block, softmax: String = "probabilities") -> Block {
    switch self {
    case .features: Block([])
    case .logits: classifier
    case .probabilities: classifier --> Softmax(name: softmax)
    }
  }
}
