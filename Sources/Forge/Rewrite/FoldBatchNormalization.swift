import ForgeOperations
import ForgeShapes

/// Folds a batch normalization, or any scale and shift per channel, into the preceding weights.
///
/// `γ·(Wx + b − μ)/√(σ² + ε) + β` is `(sW)x + (s(b − μ) + β)` with `s = γ/√(σ² + ε)`; `s` is
/// computed in double precision. Weights could overflow with a large `s`, which then stays a factor
/// of its own. A normalization that follows no convolution becomes a scale and a shift, and a scale
/// and shift after another becomes one with it.
enum FoldBatchNormalization: Rewrite {
  static let name = "foldBatchNormalization"

  /// The largest magnitude of a factor of weights.
  ///
  /// Factors are about 1 in trained networks. Weights of up to 3e26 stay finite.
  private static let largestScale = 0x1p40

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) throws -> Int {
    var removed: Set<Int> = []
    var count = 0
    var index = GraphIndex(graph)
    for position in graph.nodes.indices {
      let node = graph.nodes[position]
      guard let stated = try AffineConstants(node, graph: graph, constants: constants) else {
        continue
      }
      let channels = graph.shape(of: node.inputs[0]).channels ?? stated.scale.count
      let affine = stated.repeated(channels)
      if let producer = index.soleProducer(of: node.inputs[0]), !removed.contains(producer),
        graph.nodes[producer].primitive.traits.isLinear, graph.nodes[producer].residual == nil,
        graph.nodes[producer].activation == .linear,
        affine.scale.count == channels,
        affine.scale.allSatisfy({ $0.magnitude <= largestScale }),
        let folded = try fold(
          affine, into: graph.nodes[producer], graph: &graph, constants: constants)
      {
        // The folded operation replaces the normalization, at whose position all operands are
        // available.
        graph.nodes[position].primitive = folded.primitive
        graph.nodes[position].inputs = folded.inputs
        graph.takeLayers(of: producer, to: position)
        removed.insert(producer)
        index.update([position], from: [node], in: graph)
        count += 1
      } else if let producer = index.soleProducer(of: node.inputs[0]),
        let both = try both(graph.nodes[producer], affine, graph: graph, constants: constants)
      {
        setAffine(position, both, graph: &graph)
        graph.nodes[position].inputs[0] = graph.nodes[producer].inputs[0]
        graph.takeLayers(of: producer, to: position)
        removed.insert(producer)
        index.update([position], from: [node], in: graph)
        count += 1
      } else if case .batchNormalization = node.primitive {
        setAffine(position, affine, graph: &graph)
        index.update([position], from: [node], in: graph)
        count += 1
      }
    }
    graph.removeNodes(removed)
    return count
  }

  /// A scale and shift after that of another node as one; `nil` where the node is something else.
  private static func both(
    _ node: OperationGraph.Node, _ second: AffineConstants, graph: OperationGraph,
    constants: any ConstantSource
  ) throws -> AffineConstants? {
    guard node.activation == .linear,
      let first = try AffineConstants(node, graph: graph, constants: constants)
    else { return nil }
    return first.then(second)
  }

  /// Makes a node a scale and a shift.
  private static func setAffine(
    _ position: Int, _ affine: AffineConstants, graph: inout OperationGraph
  ) {
    let shape = Shape([affine.scale.count])
    let input = graph.nodes[position].inputs[0]
    graph.nodes[position].primitive = .affine
    graph.nodes[position].inputs =
      [input]
      + [affine.scale, affine.shift].map { numbers in
        graph.addValue(shape, .constant(.literal(numbers.map { Float($0) })))
      }
  }

  /// The linear node with scaled weights and a new bias.
  private static func fold(
    _ affine: AffineConstants, into node: OperationGraph.Node, graph: inout OperationGraph,
    constants: any ConstantSource
  ) throws -> OperationGraph.Node? {
    guard node.inputs.count >= 2, let recipe = graph.constant(node.inputs[1]),
      let sizes = graph.shape(of: node.inputs[1]).sizes
    else { return nil }
    var bias = Array(repeating: 0.0, count: affine.scale.count)
    if node.inputs.count > 2 {
      guard let recipe = graph.constant(node.inputs[2]) else { return nil }
      bias = try constants.values(of: recipe).map(Double.init)
    }
    // Every weight layout has the output channel outermost; a depthwise kernel splits it over two
    // axes.
    let outer = affine.scale.count
    let inner = sizes.reduce(1, *) / outer
    var weights = node.inputs[1]
    // Nodes that share weights and only add biases go on sharing them.
    if affine.scale.contains(where: { $0 != 1 }) {
      let scaled = ConstantRecipe.scaled(
        recipe, axis: 0, sizes: [outer, inner], by: affine.scale.map { Float($0) })
      weights = graph.addValue(graph.shape(of: weights), .constant(scaled))
    }
    let shifted = zip(bias, zip(affine.scale, affine.shift)).map { Float($0 * $1.0 + $1.1) }
    var folded = node
    folded.inputs = [
      node.inputs[0], weights, graph.addValue(Shape([outer]), .constant(.literal(shifted))),
    ]
    return folded
  }
}
