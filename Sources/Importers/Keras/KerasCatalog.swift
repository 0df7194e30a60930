import Forge

/// The layers of Keras that Forge has, by class name.
enum KerasCatalog {
  /// Reads the arguments of a layer.
  typealias Maker = @Sendable (KerasLayer) throws(KerasFault) -> KerasStep

  /// All layers; each family has its own file.
  private static let makers: [String: Maker] = [
    KerasConvolutions.makers, KerasConvolutions1D.makers, KerasDense.makers,
    KerasPoolings.makers, KerasGlobalPoolings.makers, KerasNormalizations.makers,
    KerasAffines.makers, KerasActivationLayers.makers, KerasMerges.makers, KerasBorders.makers,
    KerasRearrangements.makers, KerasSamplings.makers, KerasNoise.makers, KerasWrappers.makers,
    KerasApplications.makers, KerasDot.makers, KerasEmbedding.makers,
    KerasMasking.makers,
  ].reduce(into: [:]) { $0.merge($1) { first, _ in first } }

  /// Layers with several arguments of a call, which they read by ``KerasArguments``.
  private static let readers: [String: Maker] = [
    KerasRecurrent.makers, KerasAttention.makers, KerasGlobalPoolings.readers,
  ].reduce(into: [:]) { $0.merge($1) { first, _ in first } }

  /// What a layer does.
  static func step(for layer: KerasLayer) throws(KerasFault) -> KerasStep {
    if layer.isOperation { return try KerasOperations.step(for: layer) }
    if layer.kind == "TFOpLambda" || layer.kind == "SlicingOpLambda" {
      return try KerasOperations.tensorFlowStep(for: layer)
    }
    if let reader = readers[layer.kind] { return try reader(layer) }
    guard let maker = makers[layer.kind] else { throw .unsupported(nil) }
    return try maker(layer).ofInputs(layer)
  }
}

extension KerasStep {
  /// The step, or with channels first the step between two transpositions.
  func arranged(for layer: KerasLayer) -> KerasStep {
    layer.isChannelsFirst ? onChannelsFirst : self
  }

  /// The step, followed by what an activation needs besides its function in the layer.
  func then(_ activation: KerasActivation) -> KerasStep {
    then(activation.after?.step, named: activation.after?.name ?? "")
  }
}
