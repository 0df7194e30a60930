import ForgeOperations

/// Replaces neighboring operands of a concatenation that together are all channels of one image
/// by the image.
///
/// A split whose parts are concatenated again, beside what was computed from them, is then no copy:
/// the image is written into the concatenation, and its parts are read there.
enum JoinChannelSlices: Rewrite {
  static let name = "joinChannelSlices"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    let index = GraphIndex(graph)
    var count = 0
    for position in graph.nodes.indices {
      let node = graph.nodes[position]
      guard case .concatenate(axis: let axis) = node.primitive, axis == 2 || axis == -1,
        graph.shape(of: node.output).isImage
      else { continue }
      var inputs: [OperationGraph.Value] = []
      var rest = node.inputs[...]
      while let next = rest.first {
        if let (image, parts) = joined(rest, graph, index), parts < node.inputs.count {
          inputs.append(image)
          rest = rest.dropFirst(parts)
          count += 1
        } else {
          inputs.append(next)
          rest = rest.dropFirst()
        }
      }
      graph.nodes[position].inputs = inputs
    }
    if count > 0 { graph.removeUnusedNodes() }
    return count
  }

  /// The image whose channels the first operands are in order, and the number of these operands.
  private static func joined(
    _ operands: ArraySlice<OperationGraph.Value>, _ graph: OperationGraph, _ index: GraphIndex
  ) -> (image: OperationGraph.Value, parts: Int)? {
    var image: OperationGraph.Value?
    var end = 0
    for (count, operand) in operands.enumerated() {
      guard let producer = index.producer[operand.index],
        case .gatherChannels(let order) = graph.nodes[producer].primitive,
        graph.nodes[producer].activation == .linear, graph.nodes[producer].residual == nil,
        order == Array(end..<end + order.count),
        image == nil || image == graph.nodes[producer].inputs[0]
      else { return nil }
      image = graph.nodes[producer].inputs[0]
      end += order.count
      if let image, graph.shape(of: image).channels == end { return (image, count + 1) }
    }
    return nil
  }
}
