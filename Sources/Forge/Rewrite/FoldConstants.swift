import ForgeOperations
import ForgeSystem

/// Evaluates operations on constants at compile time, with the reference executor.
enum FoldConstants: Rewrite {
  static let name = "foldConstants"

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) throws -> Int {
    var replacement: [OperationGraph.Value: OperationGraph.Value] = [:]
    for node in graph.nodes {
      let inputs = node.inputs.map { replacement[$0] ?? $0 }
      let recipes = inputs.compactMap { graph.constant($0) }
      guard recipes.count == inputs.count, graph.shape(of: node.output).isKnown,
        node.residual == nil,
        !inputs.contains(where: { graph.computedInPredictions.contains($0.index) })
      else { continue }
      // The reference executor computes with arrays of doubles.
      let counts = node.inputs.map { graph.shape(of: $0).elementCount ?? 0 }
      let count = counts.reduce(graph.shape(of: node.output).elementCount ?? 0, +)
      try MemoryProbe.check(byteCount: 2 * count * MemoryLayout<Double>.stride)
      var operands: [ReferenceTensor] = []
      for (input, recipe) in zip(inputs, recipes) {
        let values = try constants.values(of: recipe)
        operands.append(
          try ReferenceTensor(sizes: graph.shape(of: input).sizes ?? [], floats: values))
      }
      var result = try node.primitive.reference(on: operands)
      if node.activation != .linear {
        result = try Primitive.activation(node.activation).reference(on: [result])
      }
      replacement[node.output] = graph.addValue(
        graph.shape(of: node.output), .constant(.literal(result.floats)))
    }
    return graph.replace(replacement)
  }
}
