import ForgeOperations

/// Fuses an activation into the preceding operation, which applies it as it stores its result.
enum FuseActivation: Rewrite {
  static let name = "fuseActivation"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    let index = GraphIndex(graph)
    var removed: Set<Int> = []
    // A producer that has absorbed an activation now makes the activation's output.
    var takenOver: Set<Int> = []
    for position in graph.nodes.indices {
      let node = graph.nodes[position]
      guard case .activation(let function) = node.primitive, node.activation == .linear,
        let producer = index.soleProducer(of: node.inputs[0]), !takenOver.contains(producer),
        !removed.contains(producer), graph.nodes[producer].primitive.traits.takesActivation,
        graph.nodes[producer].activation == .linear
      else { continue }
      graph.nodes[producer].activation = function
      graph.nodes[producer].output = node.output
      graph.nodes[producer].layers += node.layers
      removed.insert(position)
      takenOver.insert(producer)
    }
    graph.removeNodes(removed)
    return removed.count
  }
}
