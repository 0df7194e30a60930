import ForgeGraph
import ForgeLoaders
import ForgeShapes

extension Model {
  /// A parameter of a model with its values.
  package typealias LoadedParameter = (
    spec: ParameterSpec, data: any ParameterData, isOfDense: Bool
  )

  /// Whether the model has no mistake and its own source gives every parameter in an order that is
  /// known, so that it compiles; no values are read.
  package var takesItsParameters: Bool {
    guard let source = parameters, let inference = try? inferred(),
      let lowered = try? LoweredModel(inference),
      let prepared = try? source.prepared(for: lowered.parameters)
    else { return parameters == nil }
    let store = try? LoadStage.load(
      lowered, inference: inference, from: source, ask: { try prepared.parameter(for: $0) })
    return store != nil
  }

  /// The parameters of the model with values from a source, in order of use, shared ones once.
  ///
  /// - Throws: ``CompileError`` with every mistake in the model and with every parameter that is
  ///   missing or does not fit, and what the source throws while it is prepared.
  package func loaded(from source: some ParameterSource) throws -> [LoadedParameter] {
    let inference = try inferred()
    let lowered = try LoweredModel(inference)
    let prepared = try source.prepared(for: lowered.parameters)
    let store = try LoadStage.load(
      lowered, inference: inference, from: source, ask: { try prepared.parameter(for: $0) })
    var dense: Set<Int> = []
    for node in lowered.graph.nodes {
      guard case .dense = node.primitive else { continue }
      if case .parameter(let index) = lowered.graph.constant(node.inputs[1]) { dense.insert(index) }
    }
    return try store.specs.indices.map { index in
      let (spec, own) = (store.specs[index], lowered.parameters[index])
      // One value for each of a flattened image has one axis in a file with channels last.
      guard spec != own, !own.axes.contains(.inputs) else {
        return (spec, store.data[index], dense.contains(index))
      }
      return (own, ParameterValues(try store.values(index)), false)
    }
  }
}
