import ForgeOperations

/// Fuses the addition of a shortcut into the preceding convolution, which adds it as it stores.
enum FuseResidual: Rewrite {
  static let name = "fuseResidual"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    let index = GraphIndex(graph)
    var removed: Set<Int> = []
    for position in graph.nodes.indices {
      let node = graph.nodes[position]
      guard case .binary(.add) = node.primitive, node.inputs.count == 2,
        node.inputs[0] != node.inputs[1], graph.shape(of: node.output).isKnown,
        node.inputs.allSatisfy({ graph.shape(of: $0) == graph.shape(of: node.output) })
      else { continue }
      // The addition is fused into the later operand: the other one is computed before it.
      let candidates = node.inputs.compactMap { input -> Int? in
        guard let producer = index.soleProducer(of: input), !removed.contains(producer),
          graph.nodes[producer].primitive.traits.addsResidual,
          graph.nodes[producer].residual == nil,
          graph.nodes[producer].activation == .linear
        else { return nil }
        return producer
      }
      guard let producer = candidates.max() else { continue }
      let fused = graph.nodes[producer]
      let shortcut = node.inputs[0] == fused.output ? node.inputs[1] : node.inputs[0]
      graph.move(fused, to: position)
      graph.nodes[position].residual = shortcut
      removed.insert(producer)
    }
    graph.removeNodes(removed)
    return removed.count
  }
}
