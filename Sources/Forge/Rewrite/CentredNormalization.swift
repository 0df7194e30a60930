import ForgeOperations

extension NormalizationParts {
  /// The normalization `(x − mean) / √(variance + epsilon)` whose last operation is the node at a
  /// position, a division or a product; gammas may be a factor of the reciprocal root.
  func centredNormalization(at position: Int) -> RecognizedNormalization? {
    let operands = graph.nodes[position].inputs
    switch graph.nodes[position].primitive {
    case .binary(.divide):
      guard let root = rootOfSquares(operands[1], power: 0.5) else { return nil }
      return normalization(of: operands[0], root, gamma: nil, at: position)
    case .binary(.multiply):
      for (difference, factor) in [(operands[0], operands[1]), (operands[1], operands[0])] {
        if let (root, gamma) = scaledRoot(factor),
          let found = normalization(of: difference, root, gamma: gamma, at: position)
        {
          return found
        }
      }
      return nil
    default: return nil
    }
  }

  private func normalization(
    of difference: Value, _ root: Root, gamma: Value?, at position: Int
  ) -> RecognizedNormalization? {
    guard let mean = centred(difference), let second = centred(root.base, eitherSign: true),
      second.isSame(mean), root.extent == mean.extent
    else { return nil }
    return recognized(
      mean.input, .init(extent: mean.extent, epsilon: root.epsilon), gamma: gamma,
      nodes: mean.nodes + second.nodes + root.nodes, at: position)
  }

  /// A normalization of a value, if it has the shape of a node's output and gammas of the right
  /// size.
  func recognized(
    _ input: Value, _ rule: Normalization, gamma: Value?, beta: Value? = nil, nodes: [Int],
    at position: Int
  ) -> RecognizedNormalization? {
    guard graph.shape(of: input) == graph.shape(of: graph.nodes[position].output),
      let size = elements(of: rule.extent, input),
      [gamma, beta].allSatisfy({ $0.map { fits($0, rule, position) } ?? true })
    else { return nil }
    return RecognizedNormalization(
      input: input, rule: rule, size: size, gamma: gamma, beta: beta, nodes: Set(nodes))
  }
}
