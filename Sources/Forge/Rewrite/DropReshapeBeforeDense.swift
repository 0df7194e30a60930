import ForgeOperations

/// Removes a reshape before a dense layer: it does not change the order of the elements.
enum DropReshapeBeforeDense: Rewrite {
  static let name = "dropReshapeBeforeDense"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    let index = GraphIndex(graph)
    var count = 0
    for position in graph.nodes.indices {
      guard case .dense = graph.nodes[position].primitive else { continue }
      while let producer = index.producer[graph.nodes[position].inputs[0].index],
        graph.nodes[producer].primitive.traits.keepsElements,
        graph.nodes[producer].activation == .linear
      {
        graph.bypass(producer, before: position)
        count += 1
      }
    }
    return count
  }
}
