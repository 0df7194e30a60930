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
      guard case .crop = graph.nodes[position].primitive,
        let producer = index.soleProducer(of: graph.nodes[position].inputs[0]),
        case .activation = graph.nodes[producer].primitive,
        graph.nodes[producer].activation == .linear
      else { continue }
      if let source = index.soleProducer(of: graph.nodes[producer].inputs[0]),
        graph.nodes[source].primitive.traits.takesActivation,
        graph.nodes[source].activation == .linear
      {
        continue
      }
      // crop(f(x)) becomes f(crop(x)).
      let earlier = [producer, position].map { graph.nodes[$0] }
      graph.exchange(producer, position)
      index.update([producer, position], from: earlier, in: graph)
      count += 1
    }
    return count
  }
}
