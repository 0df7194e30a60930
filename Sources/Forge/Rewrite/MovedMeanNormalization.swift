import ForgeOperations

extension NormalizationParts {
  /// The normalization `x·s + (beta − mean·s)` whose last operation is the node at a position,
  /// where `s` is `1/√(variance + epsilon)`, maybe times gammas.
  ///
  /// TensorFlow's `batch_normalization` and Keras's `LayerNormalization` compute so, and tf2onnx
  /// writes it down. The terms may come in any order, and a sign may be at a factor or at a term.
  func movedMeanNormalization(at position: Int) -> RecognizedNormalization? {
    var nodes: [Int] = []
    let terms = addends(of: graph.nodes[position].output, &nodes)
    let constants = terms.filter { graph.constant($0.value) != nil }
    let products = terms.filter { graph.constant($0.value) == nil }
    guard products.count == 2, constants.count <= 1, !constants.contains(where: \.isNegative)
    else { return nil }
    for (first, second) in [(products[0], products[1]), (products[1], products[0])] {
      guard let scaled = product(first), !scaled.isNegative, let moved = product(second),
        moved.isNegative, moved.root.isSame(scaled.root), moved.gamma == scaled.gamma,
        let mean = mean(moved.factor), mean.input == scaled.factor,
        let difference = centered(scaled.root.base, eitherSign: true), difference.isSame(mean),
        mean.extent == scaled.root.extent
      else { continue }
      return recognized(
        mean.input, .init(extent: mean.extent, epsilon: scaled.root.epsilon),
        gamma: scaled.gamma, beta: constants.first?.value,
        nodes: nodes + scaled.nodes + moved.nodes + mean.nodes + difference.nodes, at: position)
    }
    return nil
  }

  /// A value that is added or subtracted.
  private struct Term {
    var value: Value
    var isNegative = false
  }

  /// The terms of a sum, and the nodes that add them.
  private func addends(of sum: Value, _ nodes: inout [Int]) -> [Term] {
    var terms: [Term] = []
    var rest = [Term(value: sum)]
    // A normalization has three terms; more are none of one.
    while let term = rest.popLast(), terms.count + rest.count < 4 {
      func part(_ value: Value, negated: Bool = false) -> Term {
        Term(value: value, isNegative: term.isNegative != negated)
      }
      let parts: [Term]
      if graph.constant(term.value) == nil, let position = bareProducer(of: term.value) {
        let inputs = graph.nodes[position].inputs
        switch graph.nodes[position].primitive {
        case .binary(.add): parts = [part(inputs[0]), part(inputs[1])]
        case .binary(.subtract): parts = [part(inputs[0]), part(inputs[1], negated: true)]
        case .unary(.negate): parts = [part(inputs[0], negated: true)]
        case .affine where abs(graph.uniform(inputs[1]) ?? 0) == 1:
          let isNegated = graph.uniform(inputs[1]) == -1
          parts =
            [part(inputs[0], negated: isNegated)]
            + (graph.uniform(inputs[2]) == 0 ? [] : [part(inputs[2])])
        default: parts = []
        }
        if !parts.isEmpty { nodes.append(position) }
      } else {
        parts = []
      }
      if parts.isEmpty { terms.append(term) } else { rest += parts }
    }
    return terms + rest
  }

  /// A product with the reciprocal root of a mean of squares.
  private struct Scaled {
    var factor: Value
    var root: Root
    var gamma: Value?
    var isNegative: Bool
    var nodes: [Int]
  }

  /// A term as a product with a reciprocal root.
  private func product(_ term: Term) -> Scaled? {
    guard let position = bareProducer(of: term.value),
      case .binary(.multiply) = graph.nodes[position].primitive
    else { return nil }
    let inputs = graph.nodes[position].inputs
    for (factor, other) in [(inputs[0], inputs[1]), (inputs[1], inputs[0])] {
      guard let (root, gamma) = scaledRoot(other) else { continue }
      var scaled = Scaled(
        factor: factor, root: root, gamma: gamma, isNegative: term.isNegative,
        nodes: root.nodes + [position])
      if let negation = bareProducer(of: factor), let negated = negated(negation) {
        scaled.factor = negated
        scaled.isNegative.toggle()
        scaled.nodes.append(negation)
      }
      return scaled
    }
    return nil
  }

  /// The value whose negative a node makes.
  private func negated(_ position: Int) -> Value? {
    if case .unary(.negate) = graph.nodes[position].primitive {
      return graph.nodes[position].inputs[0]
    }
    guard let (value, factor) = graph.multiple(graph.nodes[position]), factor == -1 else {
      return nil
    }
    return value
  }
}
