import Forge

/// An encoder whose heads are products: on the first token for a text, on each for tokens.
protocol ClassifyingEncoder: TextArchitecture {
  /// The numbers for the labels of a text, [1][labels].
  ///
  /// - Parameters:
  ///   - first: the features of the first token, [1][channels].
  ///   - labels: the number of labels.
  /// - Returns: the numbers.
  func classification(of first: Tensor, labels: Int) -> Tensor
}

extension ClassifyingEncoder {
  func output(
    of head: HubHead, on features: Tensor, _ inputs: TextInputs, labels: Int
  ) -> Tensor? {
    switch head {
    case .features: features
    case .sequenceClassification: classification(of: first(features), labels: labels)
    case .tokenClassification: features --> LastAxisDense(neurons: labels, name: "classifier")
    case .nextToken, .embedding: nil
    }
  }
}
