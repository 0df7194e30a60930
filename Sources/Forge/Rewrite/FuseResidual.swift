import ForgeOperations

/// Adds a shortcut while the convolution before it stores its result.
enum FuseResidual: Rewrite {
  static let name = "fuseResidual"

  static func apply(to graph: inout OperationGraph, constants: ParameterStore) -> Int {
    let index = GraphIndex(graph)
    var removed: Set<Int> = []
    for position in graph.nodes.indices {
      let node = graph.nodes[position]
      guard case .binary(.add) = node.primitive, node.inputs.count == 2,
        node.inputs[0] != node.inputs[1], graph.shape(of: node.output).isKnown,
        node.inputs.allSatisfy({ graph.shape(of: $0) == graph.shape(of: node.output) })
      else { continue }
      // The operand made last is the one to finish here: the other one is ready before it.
      let candidates = node.inputs.compactMap { input -> Int? in
        guard let producer = index.soleProducer(of: input), !removed.contains(producer),
          graph.nodes[producer].primitive.traits.isLinear, graph.nodes[producer].residual == nil,
          graph.nodes[producer].activation == .linear
        else { return nil }
        return producer
      }
      guard let producer = candidates.max() else { continue }
      let fused = graph.nodes[producer]
      let shortcut = node.inputs[0] == fused.output ? node.inputs[1] : node.inputs[0]
      graph.nodes[position].primitive = fused.primitive
      graph.nodes[position].inputs = fused.inputs
      graph.nodes[position].residual = shortcut
      graph.nodes[position].layers = fused.layers + node.layers
      removed.insert(producer)
    }
    graph.removeNodes(removed)
    return removed.count
  }
}
