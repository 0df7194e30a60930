import ForgeOperations

extension NormalizationParts {
  /// The normalization `(x − mean) / √(variance + epsilon)` whose last operation is the node at a
  /// position; gammas may be a factor of the reciprocal root.
  func centredNormalization(at position: Int) -> RecognizedNormalization? {
    firstQuotient(at: position) { difference, root, gamma in
      guard let mean = centred(difference), let second = centred(root.base, eitherSign: true),
        second.isSame(mean), root.extent == mean.extent
      else { return nil }
      return recognized(
        mean.input, .init(extent: mean.extent, epsilon: root.epsilon), gamma: gamma,
        nodes: mean.nodes + second.nodes + root.nodes, at: position)
    }
  }
}
