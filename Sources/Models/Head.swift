import Forge

extension Model {
  /// The final layers of a classifier.
  public enum Head: Sendable, CaseIterable {
    /// The probability of each class.
    case probabilities
    /// The logit of each class, before the softmax.
    case logits
    /// The last feature map, without a classifier and its parameters.
    case features
  }
}

extension Model.Head {
  /// The layers of this head after the features: a classifier and a softmax, or part of these.
  ///
  /// - Parameters:
  ///   - classifier: the layers from the last feature map to the logits.
  ///   - softmax: the name of the softmax, which Keras usually includes in the last dense layer.
  /// - Returns: the layers of this head; none for `features`.
  func layers(_ classifier: Block, softmax: String = "probabilities") -> Block {
    switch self {
    case .features: Block([])
    case .logits: classifier
    case .probabilities: classifier --> Softmax(name: softmax)
    }
  }
}
