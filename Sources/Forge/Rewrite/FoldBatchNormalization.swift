import ForgeOperations
import ForgeShapes

/// Folds a batch normalization, or any scale and shift per channel, into the preceding weights.
///
/// `γ·(Wx + b − μ)/√(σ² + ε) + β` is `(sW)x + (s(b − μ) + β)` with `s = γ/√(σ² + ε)`; `s` is
/// computed in double precision. A normalization that follows no convolution becomes a scale and a
/// shift.
enum FoldBatchNormalization: Rewrite {
  static let name = "foldBatchNormalization"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) throws -> Int {
    var removed: Set<Int> = []
    var count = 0
    var index = GraphIndex(graph)
    for position in graph.nodes.indices {
      let node = graph.nodes[position]
      guard let affine = try AffineConstants(node, graph: graph, constants: constants) else {
        continue
      }
      let channels = affine.scale.count
      if let producer = index.soleProducer(of: node.inputs[0]), !removed.contains(producer),
        graph.nodes[producer].primitive.traits.isLinear, graph.nodes[producer].residual == nil,
        graph.nodes[producer].activation == .linear,
        graph.shape(of: node.inputs[0]).channels == channels,
        let folded = try fold(
          affine, into: graph.nodes[producer], graph: &graph, constants: constants)
      {
        // The folded operation replaces the normalization, at whose position all operands are
        // available.
        graph.move(folded, to: position)
        removed.insert(producer)
        index = GraphIndex(graph)
        count += 1
      } else if case .batchNormalization = node.primitive {
        let shape = Shape([channels])
        let scale = graph.addValue(shape, .constant(.literal(affine.scale.map { Float($0) })))
        let shift = graph.addValue(shape, .constant(.literal(affine.shift.map { Float($0) })))
        graph.nodes[position].primitive = .affine
        graph.nodes[position].inputs = [node.inputs[0], scale, shift]
        index = GraphIndex(graph)
        count += 1
      }
    }
    graph.removeNodes(removed)
    return count
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
    let scaled = ConstantRecipe.scaled(
      recipe, axis: 0, sizes: [outer, inner], by: affine.scale.map { Float($0) })
    let shifted = zip(bias, zip(affine.scale, affine.shift)).map { Float($0 * $1.0 + $1.1) }
    var folded = node
    folded.inputs = [
      node.inputs[0], graph.addValue(graph.shape(of: node.inputs[1]), .constant(scaled)),
      graph.addValue(Shape([outer]), .constant(.literal(shifted))),
    ]
    return folded
  }
}
