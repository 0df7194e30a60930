import ForgeGraph
import ForgeLoaders
import ForgeOperations
import ForgeShapes

/// A model as primitive operations with its parameters, before it is made fast: what a file of
/// another format is written from.
package struct LoweredNetwork: Sendable {
  /// The layers and inputs.
  package let inference: Inference
  /// The operations, each of which belongs to one layer.
  package private(set) var graph: OperationGraph
  /// The parameters, in order of first use.
  package let parameters: [ParameterSpec]
  fileprivate let store: ParameterStore

  /// The values of a constant, in row-major order.
  ///
  /// - Throws: what the source of parameters throws.
  package func values(of recipe: ConstantRecipe) throws -> [Float] {
    try recipe.values { try store.values($0) }
  }

  /// The network with a quantization for each arithmetic that is one, as files have it that were
  /// quantized already.
  ///
  /// - Throws: what the source of the parameters throws.
  package func recognizingQuantizations() throws -> LoweredNetwork {
    var network = self
    let rewrites = try Rewrites.apply(
      [FoldConstants.self, RecognizeQuantization.self], to: &network.graph, constants: store,
      disabled: [])
    guard let places = rewrites.last?.places, places > 0 else { return self }
    network.graph.removeUnusedNodes()
    return network
  }

  /// The network with quantizations and their inverses around the tensors of a table.
  ///
  /// What the names of a table refer to is made first: batch normalizations are folded into
  /// products, for example.
  ///
  /// - Parameter table: the tensors, and the products whose weights are rounded.
  /// - Returns: the network, whose products read and make real numbers.
  /// - Throws: ``CompileError`` with the names that the network does not have, or with numbers of
  ///   the table out of range; what the source of the parameters throws.
  package func quantized(by table: QuantizationTable) throws -> LoweredNetwork {
    if let problem = table.problem {
      throw CompileError([
        .badOption("quantization", problem.received, needs: problem.needs)
      ])
    }
    var network = self
    _ = try Rewrites.apply(
      Rewrites.onNumbers, to: &network.graph, constants: store, disabled: [])
    _ = try QuantizeByTable(table).apply(
      to: &network.graph, TensorNames(network.graph, inference), constants: store)
    network.graph.removeUnusedNodes()
    return network
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
