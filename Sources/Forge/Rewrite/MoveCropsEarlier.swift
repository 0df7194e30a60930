import ForgeOperations

/// Crops an image before an elementwise function instead of after it.
///
/// The function stays in place if the preceding operation can apply it as it stores its result. It
/// is then free, whereas a crop of the stored result would read the memory again.
enum MoveCropsEarlier: Rewrite {
  static let name = "moveCropsEarlier"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) throws -> Int {
    var count = 0
    var index = GraphIndex(graph)
    for position in graph.nodes.indices {
      guard case .crop(let edges) = graph.nodes[position].primitive,
        let producer = index.soleProducer(of: graph.nodes[position].inputs[0]),
        case .activation(let function) = graph.nodes[producer].primitive,
        graph.nodes[producer].activation == .linear
      else { continue }
      // crop(f(x)) at this position becomes f(crop(x)): the crop moves to the function's position.
      let image = graph.nodes[producer].inputs[0]
      if let source = index.soleProducer(of: image),
        graph.nodes[source].primitive.traits.takesActivation,
        graph.nodes[source].activation == .linear
      {
        continue
      }
      let cut = graph.addValue(graph.shape(of: graph.nodes[position].output), .node)
      let layers = (graph.nodes[producer].layers, graph.nodes[position].layers)
      graph.nodes[producer].primitive = .crop(edges)
      graph.nodes[producer].inputs = [image]
      graph.nodes[producer].output = cut
      graph.nodes[producer].layers = layers.1
      graph.nodes[position].primitive = .activation(function)
      graph.nodes[position].inputs = [cut]
      graph.nodes[position].layers = layers.0
      index = GraphIndex(graph)
      count += 1
    }
    return count
  }
}
