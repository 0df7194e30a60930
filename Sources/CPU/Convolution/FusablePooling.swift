import ForgeOperations
import ForgeShapes

/// The 2×2 maximum poolings with stride 2 that convolution kernels can apply to their results.
enum FusablePooling {
  /// Returns the position of the pooling behind each node that nothing else reads, by the node's
  /// position.
  static func positions(in graph: OperationGraph) -> [Int: Int] {
    // Most graphs have none, and counting the readers of all values takes long.
    guard graph.nodes.contains(where: { $0.primitive.isMaximumPooling }) else { return [:] }
    let readers = readers(graph)
    var positions: [Int: Int] = [:]
    for (position, node) in graph.nodes.enumerated() {
      guard node.residual == nil, let readers = readers[node.output.index], readers.count == 1,
        let reader = readers.first, !graph.outputs.contains(node.output),
        canFuse(graph.nodes[reader], after: node, sizes: graph.imageSizes(of: node.output))
      else { continue }
      positions[position] = reader
    }
    return positions
  }

  /// Returns the positions of the nodes that read each value, by value index.
  private static func readers(_ graph: OperationGraph) -> [Int: [Int]] {
    var readers: [Int: [Int]] = [:]
    for (position, node) in graph.nodes.enumerated() {
      for operand in graph.operands(of: node) {
        readers[operand.index, default: []].append(position)
      }
    }
    return readers
  }

  private static func canFuse(
    _ pooling: OperationGraph.Node, after node: OperationGraph.Node, sizes: [Int]
  ) -> Bool {
    let two = Size(width: 2, height: 2)
    guard case .pooling(.maximum, let geometry) = pooling.primitive, geometry.kernel == two,
      geometry.stride == two, geometry.dilation == .one
    else { return false }
    let edges = geometry.edges(width: sizes[1], height: sizes[0])
    guard edges.top == 0, edges.left == 0, edges.bottom <= 1, edges.right <= 1 else { return false }
    // The step applies the activation last. It is the pooling's own, or a monotonic one, which
    // commutes exactly with the maximum.
    return node.activation == .linear
      || (pooling.activation == .linear && node.activation.isMonotonic)
  }
}

extension Primitive {
  /// Whether it is the maximum of a window.
  fileprivate var isMaximumPooling: Bool {
    if case .pooling(.maximum, _) = self { true } else { false }
  }
}
