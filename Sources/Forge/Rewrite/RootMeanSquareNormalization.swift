import ForgeOperations

extension NormalizationParts {
  /// The normalization `x / √(mean of x² + epsilon)` whose last operation is the node at a
  /// position; gammas may be a factor of the reciprocal root.
  ///
  /// Exporters write it for the models Llama and T5 and for `torch.nn.RMSNorm`.
  func rootMeanSquareNormalization(at position: Int) -> RecognizedNormalization? {
    firstQuotient(at: position) { input, root, gamma in
      // The mean over the pixels of an image has no such normalization.
      guard root.base == input, case .lastAxes = root.extent else { return nil }
      return recognized(
        input, .init(extent: root.extent, kind: .rootMeanSquare, epsilon: root.epsilon),
        gamma: gamma, nodes: root.nodes, at: position)
    }
  }
}
