import ForgeOperations
import ForgeShapes

/// Finds the parts that exporters write a normalization of in the arithmetic of a graph.
struct NormalizationParts {
  typealias Value = OperationGraph.Value

  /// A value that is another one under a function, and the nodes in between, as positions.
  struct Part {
    var base: Value
    var nodes: [Int]
  }

  /// A value that is the mean of another one.
  struct Mean {
    var input: Value
    var extent: Normalization.Extent
    var nodes: [Int]

    /// Whether it is the same mean as another one, maybe computed by other nodes.
    func isSame(_ other: Mean) -> Bool { input == other.input && extent == other.extent }
  }

  let graph: OperationGraph
  let index: GraphIndex

  init(_ graph: OperationGraph) {
    (self.graph, index) = (graph, GraphIndex(graph))
  }

  // MARK: Means and squares

  /// The value whose mean over its last axes or its pixels a value is, with these of size 1.
  func mean(_ value: Value) -> Mean? {
    var (nodes, position) = behindReshapes(value)
    guard let reduction = position, graph.isBare(reduction) else { return nil }
    nodes.append(reduction)
    let source = graph.nodes[reduction].inputs[0]
    switch graph.nodes[reduction].primitive {
    case .globalPooling(.averageInside):
      let shape = graph.shape(of: source)
      guard let channels = shape.channels,
        graph.shape(of: value) == graph.shape(of: graph.nodes[reduction].output)
      else { return nil }
      return Mean(input: source, extent: .groups(channels), nodes: nodes)
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
        return Mean(input: candidate, extent: .lastAxes(count), nodes: nodes + used)
      }
      return nil
    default: return nil
    }
  }

  /// `x − mean(x)`, the mean of x; with `eitherSign` also `mean(x) − x`.
  func centered(_ value: Value, eitherSign: Bool = false) -> Mean? {
    guard let position = bareProducer(of: value),
      case .binary(.subtract) = graph.nodes[position].primitive
    else { return nil }
    let inputs = graph.nodes[position].inputs
    for (input, other) in [(inputs[0], inputs[1])] + (eitherSign ? [(inputs[1], inputs[0])] : []) {
      if var mean = mean(other), mean.input == input {
        mean.nodes.append(position)
        return mean
      }
    }
    return nil
  }

  /// The value that is squared.
  func squared(_ value: Value) -> Part? {
    guard let position = bareProducer(of: value) else { return nil }
    let inputs = graph.nodes[position].inputs
    switch graph.nodes[position].primitive {
    case .unary(.square): return Part(base: inputs[0], nodes: [position])
    case .binary(.multiply) where inputs[0] == inputs[1]:
      return Part(base: inputs[0], nodes: [position])
    case .binary(.power) where graph.uniform(inputs[1]) == 2:
      return Part(base: inputs[0], nodes: [position])
    default: return nil
    }
  }

  // MARK: Roots

  /// The value of which another one is the given power, ½ or −½.
  func root(_ value: Value, power: Double) -> Part? {
    var (nodes, position) = behindReshapes(value)
    guard let position, graph.isBare(position) else { return nil }
    nodes.append(position)
    let inputs = graph.nodes[position].inputs
    func root(of divisor: Value) -> Part? {
      self.root(divisor, power: 0.5).map { Part(base: $0.base, nodes: nodes + $0.nodes) }
    }
    switch graph.nodes[position].primitive {
    case .unary(.squareRoot) where power == 0.5: return Part(base: inputs[0], nodes: nodes)
    case .unary(.reciprocalSquareRoot) where power == -0.5:
      return Part(base: inputs[0], nodes: nodes)
    case .binary(.power) where graph.uniform(inputs[1]) == power:
      return Part(base: inputs[0], nodes: nodes)
    case .unary(.reciprocal) where power == -0.5: return root(of: inputs[0])
    case .binary(.divide) where power == -0.5 && graph.uniform(inputs[0]) == 1:
      return root(of: inputs[1])
    default: return nil
    }
  }

  /// A value as the sum of another one and a number.
  func sumWithNumber(_ value: Value) -> (part: Part, number: Double)? {
    guard let position = bareProducer(of: value) else { return nil }
    let inputs = graph.nodes[position].inputs
    switch graph.nodes[position].primitive {
    case .binary(.add):
      for (value, other) in [(inputs[0], inputs[1]), (inputs[1], inputs[0])] {
        if let number = graph.uniform(other) {
          return (Part(base: value, nodes: [position]), number)
        }
      }
      return nil
    case .affine:
      guard graph.uniform(inputs[1]) == 1, let number = graph.uniform(inputs[2]) else {
        return nil
      }
      return (Part(base: inputs[0], nodes: [position]), number)
    default: return nil
    }
  }

  /// The root of a mean of squares: `(mean(square) + epsilon)` to a power.
  struct Root {
    /// What is squared.
    var base: Value
    var extent: Normalization.Extent
    var epsilon: Float
    var nodes: [Int]

    /// Whether it is the same number as another one, maybe computed by other nodes.
    func isSame(_ other: Root) -> Bool {
      base == other.base && extent == other.extent && epsilon == other.epsilon
    }
  }

  /// The mean of squares of which a value is the given power, ½ or −½.
  func rootOfSquares(_ value: Value, power: Double) -> Root? {
    guard let root = root(value, power: power), let sum = sumWithNumber(root.base),
      let mean = mean(sum.part.base), let square = squared(mean.input),
      sum.number >= 0, Float(sum.number).isFinite
    else { return nil }
    return Root(
      base: square.base, extent: mean.extent, epsilon: Float(sum.number),
      nodes: root.nodes + sum.part.nodes + mean.nodes + square.nodes)
  }

  /// `1/√(mean(square) + epsilon)`, maybe times gammas.
  ///
  /// - Returns: the root, and the gammas if there are any.
  func scaledRoot(_ value: Value) -> (root: Root, gamma: Value?)? {
    if let root = rootOfSquares(value, power: -0.5) { return (root, nil) }
    let (reshapes, position) = behindReshapes(value)
    guard reshapes.isEmpty, let position, graph.isBare(position) else { return nil }
    let inputs = graph.nodes[position].inputs
    let factors: [(Value, Value)]
    switch graph.nodes[position].primitive {
    case .binary(.multiply): factors = [(inputs[0], inputs[1]), (inputs[1], inputs[0])]
    case .affine where graph.uniform(inputs[2]) == 0: factors = [(inputs[0], inputs[1])]
    default: return nil
    }
    for (factor, gamma) in factors where graph.constant(gamma) != nil {
      guard var root = rootOfSquares(factor, power: -0.5) else { continue }
      root.nodes.append(position)
      return (root, gamma)
    }
    return nil
  }

  // MARK: Normalizations

  /// Reads a node as a value over a root of a mean of squares: a division, or a product with the
  /// reciprocal root, which may have gammas as a factor.
  ///
  /// - Returns: the first normalization that `recognize` finds for the value, the root and the
  ///   gammas; the factors of a product are tried in both orders.
  func firstQuotient(
    at position: Int, _ recognize: (Value, Root, Value?) -> RecognizedNormalization?
  ) -> RecognizedNormalization? {
    let operands = graph.nodes[position].inputs
    switch graph.nodes[position].primitive {
    case .binary(.divide):
      return rootOfSquares(operands[1], power: 0.5).flatMap { recognize(operands[0], $0, nil) }
    case .binary(.multiply):
      for (value, factor) in [(operands[0], operands[1]), (operands[1], operands[0])] {
        if let (root, gamma) = scaledRoot(factor), let found = recognize(value, root, gamma) {
          return found
        }
      }
      return nil
    default: return nil
    }
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

  // MARK: Gammas and betas

  /// The product with gammas and the sum with betas behind a normalization.
  func scaleAndShift(
    behind position: Int, _ rule: Normalization, hasGamma: Bool
  ) -> (chain: [Int], gamma: Value?, beta: Value?) {
    var chain: [Int] = []
    var gamma: Value?
    if let next = sameShapeUser(of: position) {
      let inputs = graph.nodes[next].inputs
      if case .affine = graph.nodes[next].primitive, fits(inputs[1], rule, next),
        fits(inputs[2], rule, next)
      {
        if !hasGamma { return ([next], inputs[1], inputs[2]) }
        if graph.uniform(inputs[1]) == 1 { return ([next], nil, inputs[2]) }
      }
      gamma = hasGamma ? nil : constant(.multiply, next, rule)
      if gamma != nil { chain = [next] }
    }
    if let next = sameShapeUser(of: chain.last ?? position),
      let beta = constant(.add, next, rule)
    {
      return (chain + [next], gamma, beta)
    }
    return (chain, gamma, nil)
  }

  /// The other operand of a sum or product, if it is one constant for each normalized element.
  private func constant(
    _ operation: BinaryOperator, _ position: Int, _ rule: Normalization
  ) -> Value? {
    guard case .binary(operation) = graph.nodes[position].primitive else { return nil }
    return graph.nodes[position].inputs.first { fits($0, rule, position) }
  }

  /// Whether a value is one constant for each normalized element of the output of a node.
  func fits(_ value: Value, _ rule: Normalization, _ position: Int) -> Bool {
    guard graph.constant(value) != nil, let sizes = graph.shape(of: value).sizes,
      let all = graph.shape(of: graph.nodes[position].output).sizes
    else { return false }
    let normalized =
      if case .lastAxes(let count) = rule.extent { all.suffix(count) } else { all.suffix(1) }
    return sizes.suffix(normalized.count) == normalized
      && sizes.dropLast(normalized.count).allSatisfy { $0 == 1 }
  }

  /// The number of gammas of an extent.
  func elements(of extent: Normalization.Extent, _ input: Value) -> Int? {
    switch extent {
    case .groups(let count): count
    case .lastAxes(let count):
      graph.shape(of: input).sizes.flatMap { Shape.product(of: $0.suffix(count)) }
    }
  }

  // MARK: The graph

  /// The node that makes a value, if nothing is fused into it.
  func bareProducer(of value: Value) -> Int? {
    index.producer[value.index].flatMap { graph.isBare($0) ? $0 : nil }
  }

  /// The reshapes that make a value, latest first, and the node before them.
  private func behindReshapes(_ value: Value) -> (reshapes: [Int], Int?) {
    var reshapes: [Int] = []
    var position = index.producer[value.index]
    while let current = position, graph.isBare(current),
      case .reshape = graph.nodes[current].primitive
    {
      reshapes.append(current)
      position = index.producer[graph.nodes[current].inputs[0].index]
    }
    return (reshapes, position)
  }

  /// The bare node that alone uses the output of another one, if both outputs have one shape:
  /// operands that are broadcast may enlarge it.
  private func sameShapeUser(of position: Int) -> Int? {
    onlyUser(of: position).flatMap { user in
      graph.shape(of: graph.nodes[user].output) == graph.shape(of: graph.nodes[position].output)
        ? user : nil
    }
  }

  /// The bare node that alone uses the output of another one.
  private func onlyUser(of position: Int) -> Int? {
    let output = graph.nodes[position].output
    guard index.uses[output.index] == 1,
      let user = graph.nodes.indices.first(where: {
        graph.operands(of: graph.nodes[$0]).contains(output)
      }), graph.isBare(user)
    else { return nil }
    return user
  }
}
