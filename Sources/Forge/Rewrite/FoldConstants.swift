import ForgeOperations
import ForgeSystem

/// Evaluates operations on constants at compile time, with the reference executor.
///
/// Operations that make much more than they read stay, as do large products: a small file could
/// else state hours of work. They are computed in each prediction.
enum FoldConstants: Rewrite {
  static let name = "foldConstants"

  /// The most elements of a result, unless its operands have as many.
  private static let largestResult = 1 << 24
  /// The most work of a result, in units of a multiply-add.
  private static let largestWork = 1 << 31

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
      let shapes = node.inputs.map { graph.shape(of: $0) }
      let size = graph.shape(of: node.output).elementCount ?? 0
      let count = shapes.reduce(size) { $0 + ($1.elementCount ?? 0) }
      guard size <= max(largestResult, count - size),
        node.primitive.operation.work(
          for: shapes, output: graph.shape(of: node.output)) <= largestWork
      else { continue }
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
