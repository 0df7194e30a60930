import ForgeGraph
import ForgeLoaders
import ForgeShapes

extension Model {
  /// A parameter of a model with its values.
  package typealias LoadedParameter = (
    spec: ParameterSpec, data: any ParameterData, isOfDense: Bool
  )

  /// Whether the model has no mistake and its own source gives every parameter in an order that is
  /// known, so it compiles; no values are read.
  package var takesItsParameters: Bool {
    parameters == nil || lowered.map { takesParameters($0, $1) } ?? false
  }

  /// Whether the model compiles, as ``takesItsParameters`` says, and a prediction with its largest
  /// sizes is within its limits.
  package var compilesWithinLimits: Bool {
    guard let (inference, lowered) = lowered,
      (try? CompileOptions().checkCost(of: lowered, within: limits, isVerified: false)) != nil
    else { return false }
    return parameters == nil || takesParameters(inference, lowered)
  }

  /// Whether layers state that weights are integers times known scales.
  ///
  /// The plan then depends on the weights; otherwise it depends on sizes alone.
  package var hasIntegerWeights: Bool {
    guard let graph = lowered?.1.graph else { return false }
    return !graph.weightScales.isEmpty || !graph.weightBlocks.isEmpty
  }

  /// The layers and the operations of a model without a mistake.
  private var lowered: (Inference, LoweredModel)? {
    guard let inference = try? inferred(), let lowered = try? LoweredModel(inference) else {
      return nil
    }
    return (inference, lowered)
  }

  private func takesParameters(_ inference: Inference, _ lowered: LoweredModel) -> Bool {
    guard let source = parameters,
      let prepared = try? source.prepared(for: lowered.parameters)
    else { return false }
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
