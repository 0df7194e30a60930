import ForgeOperations
import ForgeShapes

/// Removes a reshape that undoes an earlier one, as between the layers of sequences.
///
/// These are images of one row inside and sequences outside. Functions of each element and scales
/// of channels between two such layers are applied to the image, so that convolutions can take them
/// over.
enum DropReshapesBack: Rewrite {
  static let name = "dropReshapesBack"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    var count = 0
    var index = GraphIndex(graph)
    for position in graph.nodes.indices {
      guard let producer = index.soleProducer(of: graph.nodes[position].inputs[0]),
        isOfEachChannel(graph.nodes[position]), isSequence(graph.nodes[producer], in: graph)
      else { continue }
      // f(reshape(x)) becomes reshape(f(x)).
      let (first, second) = (graph.nodes[producer], graph.nodes[position])
      let value = graph.addValue(graph.shape(of: first.inputs[0]), .node)
      graph.nodes[producer].primitive = second.primitive
      graph.nodes[producer].inputs = [first.inputs[0]] + second.inputs.dropFirst()
      graph.nodes[producer].output = value
      graph.nodes[producer].layers = second.layers
      graph.nodes[position].primitive = first.primitive
      graph.nodes[position].inputs = [value]
      graph.nodes[position].layers = first.layers
      index = GraphIndex(graph)
      count += 1
    }
    var replacement: [OperationGraph.Value: OperationGraph.Value] = [:]
    for node in graph.nodes where isReshape(node) {
      guard let producer = index.producer[node.inputs[0].index],
        isReshape(graph.nodes[producer]),
        graph.shape(of: graph.nodes[producer].inputs[0]).isKnown,
        graph.shape(of: graph.nodes[producer].inputs[0]) == graph.shape(of: node.output)
      else { continue }
      replacement[node.output] = graph.nodes[producer].inputs[0]
    }
    return count + graph.replace(replacement)
  }

  private static func isReshape(_ node: OperationGraph.Node) -> Bool {
    guard case .reshape = node.primitive else { return false }
    return node.residual == nil && node.activation == .linear
  }

  /// Whether a node is a reshape of an image of one row to a sequence.
  private static func isSequence(
    _ node: OperationGraph.Node, in graph: OperationGraph
  ) -> Bool {
    guard isReshape(node) else { return false }
    let (input, output) = (graph.shape(of: node.inputs[0]), graph.shape(of: node.output))
    return input.isImage && input.dimensions == [1] + output.dimensions
  }

  /// Whether a node treats each channel on its own, with constants if any.
  private static func isOfEachChannel(_ node: OperationGraph.Node) -> Bool {
    guard node.residual == nil else { return false }
    switch node.primitive {
    case .activation: return true
    default: return node.primitive.operation is any AffineOperation
    }
  }
}
