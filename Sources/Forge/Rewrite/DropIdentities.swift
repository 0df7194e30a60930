import ForgeOperations
import ForgeShapes

/// Removes operations that give what they are given: dropout, a reshape to the same sizes, and such.
enum DropIdentities: Rewrite {
  static let name = "dropIdentities"

  static func apply(to graph: inout OperationGraph, constants: ParameterStore) -> Int {
    var replacement: [OperationGraph.Value: OperationGraph.Value] = [:]
    var removed: Set<Int> = []
    for (index, node) in graph.nodes.enumerated() {
      guard let input = node.inputs.first, node.inputs.count == 1 || node.isSingleConcatenation,
        node.residual == nil, node.activation == .linear,
        isIdentity(
          node.primitive, input: graph.shape(of: input), output: graph.shape(of: node.output))
      else { continue }
      replacement[node.output] = input
      removed.insert(index)
    }
    graph.removeNodes(removed)
    graph.replaceUses(replacement)
    return removed.count
  }

  private static func isIdentity(_ primitive: Primitive, input: Shape, output: Shape) -> Bool {
    switch primitive {
    case .identity, .activation(.linear): true
    case .reshape: input == output && input.isKnown
    case .permute(let order): order == Array(order.indices)
    case .gatherChannels(let order): order == Array(order.indices) && order.count == input.channels
    case .pad(let edges), .crop(let edges): edges == .none
    case .concatenate: true
    case .resize(.factor(let factor), _): factor == .one
    default: false
    }
  }
}

extension OperationGraph.Node {
  fileprivate var isSingleConcatenation: Bool {
    if case .concatenate = primitive { inputs.count == 1 } else { false }
  }
}
