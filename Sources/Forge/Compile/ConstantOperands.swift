import ForgeGraph
import ForgeOperations
import ForgeShapes

/// The operands that are packed during planning and so must be constants.
enum ConstantOperands {
  /// The problems with the operands of a rewritten graph, at most one per operation.
  ///
  /// Custom layers may compute weights from parameters and constants, but not from inputs.
  static func problems(_ graph: OperationGraph, inference: Inference) -> [Problem] {
    graph.nodes.compactMap { node in
      guard node.primitive.traits.packsOperands,
        let operand = node.inputs.indices.dropFirst().first(where: {
          graph.constant(node.inputs[$0]) == nil
        })
      else { return nil }
      let layer = node.layers.first.flatMap { inference.layer(at: $0) }
      return .computedOperand(
        at: layer?.place, layer?.reference, operand: operand, of: node.primitive.name)
    }
  }
}
