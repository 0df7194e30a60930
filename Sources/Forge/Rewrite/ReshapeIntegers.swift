import ForgeOperations

/// Reshapes 8-bit integers instead of the real numbers that they stand for.
///
/// A quantization moves before a reshape, and its inverse behind it, so that a reshape does not
/// separate an operation from its quantization.
enum ReshapeIntegers: Rewrite {
  static let name = "reshapeIntegers"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) throws -> Int {
    var count = 0
    var index = GraphIndex(graph)
    // In order, so an inverse moves behind all reshapes.
    for position in graph.nodes.indices where graph.nodes[position].isBareReshape {
      guard let producer = index.producer[graph.nodes[position].inputs[0].index],
        case .dequantize = graph.nodes[producer].primitive,
        graph.nodes[producer].activation == .linear,
        index.uses[graph.nodes[producer].output.index] == 1
      else { continue }
      exchange(producer, position, in: &graph, &index)
      count += 1
    }
    for position in graph.nodes.indices.reversed() {
      guard case .quantize = graph.nodes[position].primitive,
        let producer = index.soleProducer(of: graph.nodes[position].inputs[0]),
        graph.nodes[producer].isBareReshape
      else { continue }
      exchange(producer, position, in: &graph, &index)
      count += 1
    }
    return count
  }

  /// Exchanges a reshape and an operation of each element, of which one reads the other.
  private static func exchange(
    _ producer: Int, _ position: Int, in graph: inout OperationGraph, _ index: inout GraphIndex
  ) {
    let earlier = [producer, position].map { graph.nodes[$0] }
    let (first, second) = (earlier[0], earlier[1])
    // An operation of each element keeps the shape of its input, a reshape makes that of the end.
    let shape = graph.shape(of: second.isBareReshape ? second.output : first.inputs[0])
    let value = graph.addValue(shape, .node)
    graph.nodes[producer].primitive = second.primitive
    graph.nodes[producer].output = value
    graph.nodes[producer].layers = second.layers
    graph.nodes[position].primitive = first.primitive
    graph.nodes[position].inputs = [value]
    graph.nodes[position].layers = first.layers
    index.update([producer, position], from: earlier, in: graph)
  }
}

extension OperationGraph.Node {
  /// Whether the node reshapes its operand and does nothing else.
  fileprivate var isBareReshape: Bool {
    guard case .reshape = primitive else { return false }
    return activation == .linear && residual == nil
  }
}
