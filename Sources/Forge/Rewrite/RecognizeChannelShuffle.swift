import ForgeOperations
import ForgeShapes

/// Replaces rearrangements of the channels of an image by one new order of its channels.
///
/// A channel shuffle is written as a reshape that splits the channels in groups, a transposition of
/// these, and a reshape back. A slice of channels is an order of fewer channels.
enum RecognizeChannelShuffle: Rewrite {
  static let name = "recognizeChannelShuffle"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    let index = GraphIndex(graph)
    var count = 0
    for position in graph.nodes.indices {
      guard let (input, order, layers) = shuffle(graph, index, position) else { continue }
      graph.nodes[position].primitive = .gatherChannels(order)
      graph.nodes[position].inputs = [input]
      graph.nodes[position].layers = layers
      count += 1
    }
    // Two reorderings of channels in a row become one.
    for position in graph.nodes.indices {
      guard case .gatherChannels(let order) = graph.nodes[position].primitive,
        let producer = index.producer[graph.nodes[position].inputs[0].index],
        case .gatherChannels(let first) = graph.nodes[producer].primitive,
        graph.nodes[producer].activation == .linear, graph.nodes[producer].residual == nil
      else { continue }
      graph.nodes[position].primitive = .gatherChannels(order.map { first[$0] })
      graph.bypass(producer, before: position)
      count += 1
    }
    if count > 0 { graph.removeUnusedNodes() }
    return count
  }

  private static func shuffle(
    _ graph: OperationGraph, _ index: GraphIndex, _ position: Int
  ) -> (input: OperationGraph.Value, order: [Int], layers: [Int])? {
    let node = graph.nodes[position]
    let output = graph.shape(of: node.output)
    guard output.isImage, let sizes = output.sizes, node.residual == nil, sizes[2] > 1 else {
      return nil
    }
    switch node.primitive {
    case .slice(let starts, _, let steps):
      let input = graph.shape(of: node.inputs[0])
      guard input.isImage, input.sizes?[0] == sizes[0], input.sizes?[1] == sizes[1],
        steps[0] == 1, steps[1] == 1, !graph.isPartForShorterLengths(node, steps: steps)
      else { return nil }
      return (node.inputs[0], (0..<sizes[2]).map { starts[2] + $0 * steps[2] }, node.layers)
    case .reshape:
      guard let middle = index.soleProducer(of: node.inputs[0]),
        case .permute(let order) = graph.nodes[middle].primitive, isBare(graph.nodes[middle]),
        let first = index.soleProducer(of: graph.nodes[middle].inputs[0]),
        case .reshape = graph.nodes[first].primitive, isBare(graph.nodes[first]),
        graph.shape(of: graph.nodes[first].inputs[0]) == output,
        let groups = graph.shape(of: graph.nodes[first].output).sizes,
        groups.count > 3, groups[0] == sizes[0], groups[1] == sizes[1], order[0] == 0,
        order[1] == 1
      else { return nil }
      return (
        graph.nodes[first].inputs[0], channels(Array(groups[2...]), order[2...].map { $0 - 2 }),
        graph.nodes[first].layers + graph.nodes[middle].layers + node.layers
      )
    default: return nil
    }
  }

  /// The order of the elements of a tensor of the given sizes after a permutation of its axes.
  private static func channels(_ sizes: [Int], _ order: [Int]) -> [Int] {
    let strides = Shape.strides(of: sizes)
    return order.reduce([0]) { elements, axis in
      elements.flatMap { element in (0..<sizes[axis]).map { element + $0 * strides[axis] } }
    }
  }

  private static func isBare(_ node: OperationGraph.Node) -> Bool {
    node.residual == nil && node.activation == .linear
  }
}
