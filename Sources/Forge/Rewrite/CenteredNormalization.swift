import ForgeOperations

extension NormalizationParts {
  /// The normalization `(x − mean) / √(variance + epsilon)` whose last operation is the node at a
  /// position; gammas may be a factor of the reciprocal root.
  func centeredNormalization(at position: Int) -> RecognizedNormalization? {
    firstQuotient(at: position) { difference, root, gamma in
      guard let mean = centered(difference), let second = centered(root.base, eitherSign: true),
        second.isSame(mean), root.extent == mean.extent
      else { return nil }
      return recognized(
        mean.input, .init(extent: mean.extent, epsilon: root.epsilon), gamma: gamma,
        nodes: mean.nodes + second.nodes + root.nodes, at: position)
    }
  }
}
