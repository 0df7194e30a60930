import ForgeOperations
import ForgeShapes

/// Removes operations that return their input, such as dropout or a reshape to the same sizes.
enum DropIdentities: Rewrite {
  static let name = "dropIdentities"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) -> Int {
    var replacement: [OperationGraph.Value: OperationGraph.Value] = [:]
    for node in graph.nodes {
      guard node.inputs.count == 1, node.residual == nil, node.activation == .linear,
        node.primitive.operation.isIdentity(
          from: graph.shape(of: node.inputs[0]), to: graph.shape(of: node.output))
      else { continue }
      replacement[node.output] = node.inputs[0]
    }
    return graph.replace(replacement)
  }
}
