import ForgeOperations
import ForgeShapes

/// Replaces pointwise convolutions of one image by one, whose channels are those of all.
///
/// They make the queries, keys and values of attention, which may be rotated by their positions or
/// appended to a cache first. The image is then read once, and threads meet once. The parts, whole
/// blocks of 16 channels, are views.
enum JoinProducts: Rewrite {
  static let name = "joinProducts"

  /// The channels of each part are a multiple of this, so that no part is a copy.
  private static let block = 16

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    var groups: [OperationGraph.Value: [Int]] = [:]
    let madeForAttention = madeForAttention(in: graph)
    for (position, node) in graph.nodes.enumerated()
    where madeForAttention.contains(node.output) && outputs(of: node, graph) != nil {
      groups[node.inputs[0], default: []].append(position)
    }
    let joined = groups.values.filter { $0.count > 1 }
    guard !joined.isEmpty else { return 0 }
    /// The nodes that replace that of a position.
    var replacements: [Int: [OperationGraph.Node]] = [:]
    for positions in joined.sorted(by: { $0[0] < $1[0] }) {
      let nodes = positions.map { graph.nodes[$0] }
      guard let product = product(of: nodes, &graph) else { continue }
      for position in positions { replacements[position] = [] }
      // All parts are made where the first one was: their operands are constants and the image.
      replacements[positions[0]] = [product] + parts(of: product.output, nodes, graph)
    }
    graph.replaceNodes(replacements)
    return replacements.values.reduce(0) { $0 + ($1.isEmpty ? 0 : 1) }
  }

  /// The values from which nothing but queries, keys and values is made.
  private static func madeForAttention(in graph: OperationGraph) -> Set<OperationGraph.Value> {
    let allUses = GraphIndex(graph).uses
    var found: Set<OperationGraph.Value> = []
    var uses: [OperationGraph.Value: Int] = [:]
    // The readers of a value come before the node that makes it.
    for node in graph.nodes.reversed() {
      let read: [OperationGraph.Value]
      switch node.primitive {
      case .attention: read = Array(node.inputs.prefix(3))
      // A cache, and the parts of tables that belong to its positions.
      case .appendRows, .rowsFrom, .advance: read = [node.inputs[1]]
      case .rotate: read = found.contains(node.output) ? [node.inputs[0]] : []
      default: read = []
      }
      for value in read {
        uses[value, default: 0] += 1
        if uses[value] == allUses[value.index] { found.insert(value) }
      }
    }
    return found
  }

  /// The number of outputs of a convolution that can be joined, else `nil`.
  private static func outputs(of node: OperationGraph.Node, _ graph: OperationGraph) -> Int? {
    guard case .convolution(let geometry, let outputs, groups: 1) = node.primitive,
      geometry.isPointwise, outputs.isMultiple(of: block), node.residual == nil,
      node.activation == .linear,
      node.inputs.dropFirst().allSatisfy({ graph.constant($0) != nil })
    else { return nil }
    return outputs
  }

  /// The convolution that makes the channels of all nodes, one after the other.
  private static func product(
    of nodes: [OperationGraph.Node], _ graph: inout OperationGraph
  ) -> OperationGraph.Node? {
    guard case .convolution(let geometry, _, groups: _) = nodes[0].primitive else { return nil }
    let counts = nodes.compactMap { outputs(of: $0, graph) }
    let all = counts.reduce(0, +)
    let weights = nodes.compactMap { graph.constant($0.inputs[1]) }
    let sizes = nodes.compactMap { graph.shape(of: $0.inputs[1]).elementCount }
    guard counts.count == nodes.count, weights.count == nodes.count, sizes.count == nodes.count,
      all <= ConvolutionGeometry.maximumArgument
    else { return nil }
    var inputs = [nodes[0].inputs[0]]
    inputs.append(
      graph.addValue(
        Shape([all] + graph.shape(of: nodes[0].inputs[1]).dimensions.dropFirst()),
        .constant(.joined(weights, counts: sizes))))
    if nodes.contains(where: { $0.inputs.count > 2 }) {
      let biases = zip(nodes, counts).map { node, count in
        node.inputs.dropFirst(2).first.flatMap { graph.constant($0) }
          ?? .literal(Array(repeating: 0, count: count))
      }
      inputs.append(
        graph.addValue(Shape(sizes: [all]), .constant(.joined(biases, counts: counts))))
    }
    var shape = graph.shape(of: nodes[0].output).dimensions
    shape[2] = all
    var product = nodes[0]
    product.primitive = .convolution(geometry, outputs: all, groups: 1)
    product.inputs = inputs
    product.output = graph.addValue(Shape(shape), .node)
    product.layers = nodes.flatMap(\.layers)
    return product
  }

  /// The nodes that take the channels of each node from the product.
  private static func parts(
    of product: OperationGraph.Value, _ nodes: [OperationGraph.Node], _ graph: OperationGraph
  ) -> [OperationGraph.Node] {
    var start = 0
    return nodes.map { node in
      let count = outputs(of: node, graph) ?? 0
      defer { start += count }
      var part = node
      part.primitive = .gatherChannels(Array(start..<start + count))
      part.inputs = [product]
      return part
    }
  }
}
