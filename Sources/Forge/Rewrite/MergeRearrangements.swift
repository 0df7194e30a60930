import ForgeOperations
import ForgeShapes

/// Replaces permutations and reshapes that are equal to an earlier one of the same value by it.
///
/// An importer permutes a tensor for each layer that reads it in another layout. The rewrite runs
/// late, because the patterns of earlier ones look for results that have one use.
enum MergeRearrangements: Rewrite {
  static let name = "mergeRearrangements"

  /// What equal rearrangements have in common.
  private struct Rearrangement: Hashable {
    let input: OperationGraph.Value
    /// The order of the axes; empty for a reshape.
    let order: [Int]
    let shape: Shape
  }

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    var earlier: [Rearrangement: Int] = [:]
    var replacement: [OperationGraph.Value: OperationGraph.Value] = [:]
    for (position, node) in graph.nodes.enumerated() {
      guard let found = rearrangement(node, replacement, graph) else { continue }
      if let first = earlier[found] {
        replacement[node.output] = graph.nodes[first].output
        graph.nodes[first].layers += node.layers.filter { !graph.nodes[first].layers.contains($0) }
      } else {
        earlier[found] = position
      }
    }
    return graph.replace(replacement)
  }

  private static func rearrangement(
    _ node: OperationGraph.Node, _ replacement: [OperationGraph.Value: OperationGraph.Value],
    _ graph: OperationGraph
  ) -> Rearrangement? {
    guard node.residual == nil, node.activation == .linear, let source = node.inputs.first else {
      return nil
    }
    let order: [Int]
    switch node.primitive {
    case .permute(let axes): order = axes
    // The sizes of two reshapes may be equal for the longest sequence alone.
    case .reshape where !graph.hasVaryingLength: order = []
    default: return nil
    }
    return Rearrangement(
      input: replacement[source] ?? source, order: order, shape: graph.shape(of: node.output))
  }
}
