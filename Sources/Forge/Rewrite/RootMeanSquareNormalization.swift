import ForgeOperations

extension NormalizationParts {
  /// The normalization `x / √(mean of x² + epsilon)` whose last operation is the node at a
  /// position, a division or a product; gammas may be a factor of the reciprocal root.
  ///
  /// Exporters write it for the models Llama and T5 and for `torch.nn.RMSNorm`.
  func rootMeanSquareNormalization(at position: Int) -> RecognizedNormalization? {
    let operands = graph.nodes[position].inputs
    switch graph.nodes[position].primitive {
    case .binary(.divide):
      guard let root = rootOfSquares(operands[1], power: 0.5) else { return nil }
      return normalization(of: operands[0], root, gamma: nil, at: position)
    case .binary(.multiply):
      for (input, factor) in [(operands[0], operands[1]), (operands[1], operands[0])] {
        if let (root, gamma) = scaledRoot(factor),
          let found = normalization(of: input, root, gamma: gamma, at: position)
        {
          return found
        }
      }
      return nil
    default: return nil
    }
  }

  private func normalization(
    of input: Value, _ root: Root, gamma: Value?, at position: Int
  ) -> RecognizedNormalization? {
    // The mean over the pixels of an image has no such normalization.
    guard root.base == input, case .lastAxes = root.extent else { return nil }
    return recognized(
      input, .init(extent: root.extent, kind: .rootMeanSquare, epsilon: root.epsilon),
      gamma: gamma, nodes: root.nodes, at: position)
  }
}
