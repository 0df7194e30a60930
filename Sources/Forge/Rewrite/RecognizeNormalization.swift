import ForgeOperations
import ForgeShapes

/// Replaces the arithmetic that exporters write for a layer or instance normalization by the
/// normalization.
///
/// Recognised is `(x − mean) / √(variance + epsilon)`, where both means are over the last axes or
/// over the pixels of an image, the square is a product, a power or a square, and the division is
/// one by a root or a product with a reciprocal root. Constant factors and terms for each
/// normalised element that follow become gamma and beta.
enum RecognizeNormalization: Rewrite {
  static let name = "recognizeNormalization"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    let pattern = NormalizationPattern(graph)
    // The nodes of each pattern by the value that it computes.
    var patterns: [OperationGraph.Value: [OperationGraph.Node]] = [:]
    for position in graph.nodes.indices {
      guard let found = pattern.normalization(at: position) else { continue }
      let (chain, gamma, beta) = pattern.scaleAndShift(behind: position, found.rule)
      var operands: [OperationGraph.Value] = []
      if gamma != nil || beta != nil {
        for (value, neutral) in [(gamma, Float(1)), (beta, 0)] {
          let neutrals = Array(repeating: neutral, count: found.size)
          operands.append(
            value ?? graph.addValue(Shape([found.size]), .constant(.literal(neutrals))))
        }
      }
      let last = chain.last ?? position
      let nodes = found.nodes.union([position]).union(chain).subtracting([last])
      patterns[graph.nodes[last].output] = nodes.sorted().map { graph.nodes[$0] }
      graph.nodes[last].primitive = .normalize(found.rule)
      graph.nodes[last].inputs = [found.input] + operands
    }
    guard !patterns.isEmpty else { return 0 }
    graph.removeUnusedNodes()
    // A node that something else uses keeps its layer.
    let remaining = Set(graph.nodes.map(\.output))
    for position in graph.nodes.indices {
      guard let nodes = patterns[graph.nodes[position].output] else { continue }
      let absorbed = nodes.filter { !remaining.contains($0.output) }
      graph.nodes[position].layers = absorbed.flatMap(\.layers) + graph.nodes[position].layers
    }
    return patterns.count
  }
}

/// Finds normalizations in the arithmetic of a graph.
private struct NormalizationPattern {
  struct Found {
    var input: OperationGraph.Value
    var rule: Normalization
    /// The number of gammas and betas.
    var size: Int
    /// The nodes that compute it, as positions.
    var nodes: Set<Int>
  }

  private let index: GraphIndex
  private let graph: OperationGraph

  init(_ graph: OperationGraph) {
    (self.graph, index) = (graph, GraphIndex(graph))
  }

  /// The normalization whose last operation is the node at a position.
  func normalization(at position: Int) -> Found? {
    guard isBare(position), graph.nodes[position].inputs.count == 2 else { return nil }
    let operands = graph.nodes[position].inputs
    switch graph.nodes[position].primitive {
    case .binary(.divide): return quotient(operands[0], operands[1], power: 0.5, at: position)
    case .binary(.multiply):
      return quotient(operands[0], operands[1], power: -0.5, at: position)
        ?? quotient(operands[1], operands[0], power: -0.5, at: position)
    default: return nil
    }
  }

  /// `difference` over the root of a variance, which `divisor` is to the power 0.5 or −0.5.
  private func quotient(
    _ difference: OperationGraph.Value, _ divisor: OperationGraph.Value, power: Double,
    at position: Int
  ) -> Found? {
    guard let (input, extent, meanNodes) = centred(difference),
      let (sum, rootNodes) = root(divisor, power: power),
      let (variance, epsilon, sumNodes) = sumWithNumber(sum),
      let (square, other, varianceNodes) = mean(variance), other == extent,
      let (base, squareNodes) = squared(square),
      let (second, secondExtent, secondNodes) = centred(base), second == input,
      secondExtent == extent, epsilon >= 0, epsilon.isFinite,
      graph.shape(of: input) == graph.shape(of: graph.nodes[position].output),
      let size = elements(of: extent, input)
    else { return nil }
    let all = [meanNodes, rootNodes, sumNodes, varianceNodes, squareNodes, secondNodes]
    return Found(
      input: input, rule: Normalization(extent: extent, epsilon: Float(epsilon)), size: size,
      nodes: Set(all.joined()))
  }

  /// `x − mean(x)`: x and what the mean is over.
  private func centred(
    _ value: OperationGraph.Value
  ) -> (input: OperationGraph.Value, extent: Normalization.Extent, nodes: [Int])? {
    guard let position = index.producer[value.index], isBare(position),
      case .binary(.subtract) = graph.nodes[position].primitive,
      let (input, extent, nodes) = mean(graph.nodes[position].inputs[1]),
      input == graph.nodes[position].inputs[0]
    else { return nil }
    return (input, extent, nodes + [position])
  }

  /// The value whose mean over its last axes or its pixels a value is, with these of size 1.
  private func mean(
    _ value: OperationGraph.Value
  ) -> (input: OperationGraph.Value, extent: Normalization.Extent, nodes: [Int])? {
    var (nodes, position) = behindReshapes(value)
    guard let reduction = position, isBare(reduction) else { return nil }
    nodes.append(reduction)
    let source = graph.nodes[reduction].inputs[0]
    switch graph.nodes[reduction].primitive {
    case .globalPooling(.averageInside):
      let shape = graph.shape(of: source)
      guard let channels = shape.channels,
        graph.shape(of: value) == graph.shape(of: graph.nodes[reduction].output)
      else { return nil }
      return (source, .groups(channels), nodes)
    case .reduceRows(.mean):
      guard let columns = graph.shape(of: source).sizes?.last,
        let reduced = graph.shape(of: value).sizes
      else { return nil }
      var input = source
      let (reshapes, _) = behindReshapes(source)
      if let first = reshapes.last { input = graph.nodes[first].inputs[0] }
      // A mean over several axes reshapes them to one.
      for (candidate, used) in [(input, reshapes), (source, [])] {
        guard let sizes = graph.shape(of: candidate).sizes, sizes.count == reduced.count,
          let count = (1...sizes.count).first(where: {
            sizes.suffix($0).reduce(1, *) == columns
              && sizes.dropLast($0) + Array(repeating: 1, count: $0) == reduced[...]
          })
        else { continue }
        return (candidate, .lastAxes(count), nodes + used)
      }
      return nil
    default: return nil
    }
  }

  /// The value that is squared.
  private func squared(
    _ value: OperationGraph.Value
  ) -> (base: OperationGraph.Value, nodes: [Int])? {
    guard let position = index.producer[value.index], isBare(position) else { return nil }
    let inputs = graph.nodes[position].inputs
    switch graph.nodes[position].primitive {
    case .unary(.square): return (inputs[0], [position])
    case .binary(.multiply) where inputs[0] == inputs[1]: return (inputs[0], [position])
    case .binary(.power) where number(inputs[1]) == 2: return (inputs[0], [position])
    default: return nil
    }
  }

  /// The value of which another one is the given power, ½ or −½.
  private func root(
    _ value: OperationGraph.Value, power: Double
  ) -> (base: OperationGraph.Value, nodes: [Int])? {
    var (nodes, position) = behindReshapes(value)
    guard let position, isBare(position) else { return nil }
    nodes.append(position)
    let inputs = graph.nodes[position].inputs
    switch graph.nodes[position].primitive {
    case .unary(.squareRoot) where power == 0.5: return (inputs[0], nodes)
    case .unary(.reciprocalSquareRoot) where power == -0.5: return (inputs[0], nodes)
    case .binary(.power) where number(inputs[1]) == power: return (inputs[0], nodes)
    case .unary(.reciprocal) where power == -0.5:
      return root(inputs[0], power: 0.5).map { ($0.base, nodes + $0.nodes) }
    case .binary(.divide) where power == -0.5 && number(inputs[0]) == 1:
      return root(inputs[1], power: 0.5).map { ($0.base, nodes + $0.nodes) }
    default: return nil
    }
  }

  /// A value as the sum of another one and a number.
  private func sumWithNumber(
    _ value: OperationGraph.Value
  ) -> (value: OperationGraph.Value, number: Double, nodes: [Int])? {
    guard let position = index.producer[value.index], isBare(position) else { return nil }
    let inputs = graph.nodes[position].inputs
    switch graph.nodes[position].primitive {
    case .binary(.add):
      for (value, other) in [(inputs[0], inputs[1]), (inputs[1], inputs[0])] {
        if let number = number(other) { return (value, number, [position]) }
      }
      return nil
    case .affine:
      guard number(inputs[1]) == 1, let number = number(inputs[2]) else { return nil }
      return (inputs[0], number, [position])
    default: return nil
    }
  }

  // MARK: Gamma and beta

  /// The product with gammas and the sum with betas behind a normalization.
  func scaleAndShift(
    behind position: Int, _ rule: Normalization
  ) -> (chain: [Int], gamma: OperationGraph.Value?, beta: OperationGraph.Value?) {
    var chain: [Int] = []
    var gamma: OperationGraph.Value?
    if let next = onlyUser(of: position) {
      let inputs = graph.nodes[next].inputs
      if case .affine = graph.nodes[next].primitive, fits(inputs[1], rule, next),
        fits(inputs[2], rule, next)
      {
        return ([next], inputs[1], inputs[2])
      }
      gamma = constant(.multiply, next, rule)
      if gamma != nil { chain = [next] }
    }
    if let next = onlyUser(of: chain.last ?? position),
      let beta = constant(.add, next, rule)
    {
      return (chain + [next], gamma, beta)
    }
    return (chain, gamma, nil)
  }

  /// The other operand of a sum or product, if it is one constant for each normalised element.
  private func constant(
    _ operation: BinaryOperator, _ position: Int, _ rule: Normalization
  ) -> OperationGraph.Value? {
    guard case .binary(operation) = graph.nodes[position].primitive else { return nil }
    return graph.nodes[position].inputs.first { fits($0, rule, position) }
  }

  /// Whether a value is one constant for each normalised element.
  private func fits(
    _ value: OperationGraph.Value, _ rule: Normalization, _ position: Int
  ) -> Bool {
    guard graph.constant(value) != nil, let sizes = graph.shape(of: value).sizes,
      let all = graph.shape(of: graph.nodes[position].output).sizes
    else { return false }
    let normalised =
      if case .lastAxes(let count) = rule.extent { all.suffix(count) } else { all.suffix(1) }
    return sizes.suffix(normalised.count) == normalised
      && sizes.dropLast(normalised.count).allSatisfy { $0 == 1 }
  }

  /// The number of gammas of an extent.
  private func elements(
    of extent: Normalization.Extent, _ input: OperationGraph.Value
  ) -> Int? {
    switch extent {
    case .groups(let count): count
    case .lastAxes(let count):
      graph.shape(of: input).sizes.flatMap { Shape.product(of: $0.suffix(count)) }
    }
  }

  // MARK: The graph

  /// The reshapes that make a value, latest first, and the node before them.
  private func behindReshapes(_ value: OperationGraph.Value) -> (reshapes: [Int], Int?) {
    var reshapes: [Int] = []
    var position = index.producer[value.index]
    while let current = position, isBare(current),
      case .reshape = graph.nodes[current].primitive
    {
      reshapes.append(current)
      position = index.producer[graph.nodes[current].inputs[0].index]
    }
    return (reshapes, position)
  }

  /// The bare node that alone uses the output of another one.
  private func onlyUser(of position: Int) -> Int? {
    let output = graph.nodes[position].output
    guard index.uses[output.index] == 1,
      let user = graph.nodes.indices.first(where: {
        graph.operands(of: graph.nodes[$0]).contains(output)
      }), isBare(user)
    else { return nil }
    return user
  }

  /// The value of all elements of a constant of the model; `nil` for parameters.
  private func number(_ value: OperationGraph.Value) -> Double? {
    guard case .literal(let values) = graph.constant(value), let first = values.first,
      values.allSatisfy({ $0 == first })
    else { return nil }
    return Double(first)
  }

  private func isBare(_ position: Int) -> Bool {
    graph.nodes[position].residual == nil && graph.nodes[position].activation == .linear
  }
}
