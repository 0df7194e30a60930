import ForgeOperations

/// Removes a reshape that undoes an earlier one.
enum DropReshapesBack: Rewrite {
  static let name = "dropReshapesBack"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    let index = GraphIndex(graph)
    var replacement: [OperationGraph.Value: OperationGraph.Value] = [:]
    for node in graph.nodes where isReshape(node) {
      guard let producer = index.producer[node.inputs[0].index],
        isReshape(graph.nodes[producer]),
        graph.shape(of: graph.nodes[producer].inputs[0]).isKnown,
        graph.shape(of: graph.nodes[producer].inputs[0]) == graph.shape(of: node.output)
      else { continue }
      replacement[node.output] = graph.nodes[producer].inputs[0]
    }
    return graph.replace(replacement)
  }

  private static func isReshape(_ node: OperationGraph.Node) -> Bool {
    guard case .reshape = node.primitive else { return false }
    return node.residual == nil && node.activation == .linear
  }
}
