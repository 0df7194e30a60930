import ForgeGraph
import ForgeLoaders
import ForgeShapes

/// The parameters of a model whose layers have been renamed, or of which some have been removed.
struct EditedParameters: ParameterSource {
  private let source: any ParameterSource
  /// The parameters of the model before the change, for a source that goes by their order.
  private let specs: [ParameterSpec]
  /// The old names of renamed layers, by the new ones.
  private let oldNames: [String: String]
  /// The names that layers have no longer.
  private let lostNames: Set<String>

  /// The source for a changed model: the same one if names alone decide and none has changed.
  static func of(
    _ source: any ParameterSource, model: Inference, oldNames: [String: String]
  ) -> any ParameterSource {
    guard !oldNames.isEmpty || !source.goesByName else { return source }
    return EditedParameters(
      source: source, specs: model.nodes.filter { !$0.sharesParameters }.flatMap(\.parameters),
      oldNames: oldNames, lostNames: Set(oldNames.values).subtracting(oldNames.keys))
  }

  /// Every layer with parameters has a name.
  var goesByName: Bool { true }
  var origin: String? { source.origin }

  var availableNames: [String] {
    let newNames = Dictionary(oldNames.map { ($0.value, $0.key) }) { first, _ in first }
    return source.availableNames.map { newNames[$0] ?? $0 }
  }

  func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource {
    // A source that goes by order needs the layers that the change has removed, too.
    let requested = source.goesByName ? specs.compactMap(old) : self.specs
    return EditedParameters(
      source: try source.prepared(for: requested), specs: self.specs, oldNames: oldNames,
      lostNames: lostNames)
  }

  func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    try old(spec).flatMap { try source.parameter(for: $0) }
  }

  /// The parameter under the old name of its layer; `nil` for a new layer of a name that was
  /// another's.
  private func old(_ spec: ParameterSpec) -> ParameterSpec? {
    if let old = oldNames[spec.layer] { return spec.named(old) }
    return lostNames.contains(spec.layer) ? nil : spec
  }
}

extension EditedParameters: IdentifyingParameterSource {
  func identity(of spec: ParameterSpec) -> ValueIdentity? {
    guard let source = source as? any IdentifyingParameterSource, let oldSpec = old(spec) else {
      return nil
    }
    return source.identity(of: oldSpec)
  }
}

extension EditedParameters: AbsenceExplainingSource {
  func absence(of spec: ParameterSpec) -> ParameterAbsence? {
    guard let source = source as? any AbsenceExplainingSource, let oldSpec = old(spec) else {
      return nil
    }
    return source.absence(of: oldSpec)
  }
}
