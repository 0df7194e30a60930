import Forge

extension Model {
  /// The final layers of a classifier.
  public enum Head: Sendable, CaseIterable {
    /// The probability of each class.
    case probabilities
    /// One number per class, before the softmax.
    case logits
    /// The last feature map: no classifier, and none of its parameters.
    case features
  }
}

extension Model.Head {
  /// The layers after the features: the classifier and a softmax, as far as this head has them.
  ///
  /// - Parameters:
  ///   - classifier: the layers from the last feature map to the logits.
  ///   - softmax: the name of the softmax, which Keras mostly includes in its last dense layer.
  /// - Returns: the layers of this head; none for `features`.
  func layers(_ classifier: Block, softmax: String = "probabilities") -> Block {
    switch self {
    case .features: Block([])
    case .logits: classifier
    case .probabilities: classifier --> Softmax(name: softmax)
    }
  }
}
