import ForgeGraph
import ForgeLoaders
import ForgeOperations
import ForgeShapes

/// A model as primitive operations with its parameters, before any rewrite: what a file of another
/// format is written from.
package struct LoweredNetwork: Sendable {
  /// The layers and inputs.
  package let inference: Inference
  /// The operations, each of which belongs to one layer.
  package let graph: OperationGraph
  /// The parameters, in order of first use.
  package let parameters: [ParameterSpec]
  fileprivate let store: ParameterStore

  /// The values of a constant, in row-major order.
  ///
  /// - Throws: what the source of parameters throws.
  package func values(of recipe: ConstantRecipe) throws -> [Float] {
    try recipe.values { try store.values($0) }
  }
}

extension Model {
  /// Lowers the model and finds its parameters, without reading them.
  ///
  /// - Parameter length: the length of sequences; the largest one if `nil`.
  /// - Returns: the operations with their parameters.
  /// - Throws: ``CompileError`` with every mistake in the model and with every parameter that is
  ///   missing or does not fit.
  package func loweredNetwork(length: Int? = nil) throws(CompileError) -> LoweredNetwork {
    let inference = try inferred()
    let lowered = try LoweredModel(inference, length: length)
    guard lowered.parameters.isEmpty || parameters != nil else {
      var seen: Set<String> = []
      throw CompileError([
        .noSource(lowered.parameters.map(\.layer).filter { seen.insert($0).inserted })
      ])
    }
    let store =
      try parameters.map { source throws(CompileError) in
        try LoadStage.load(lowered, inference: inference, from: source)
      } ?? ParameterStore(specs: [], data: [])
    return LoweredNetwork(
      inference: inference, graph: lowered.graph, parameters: lowered.parameters, store: store)
  }
}
