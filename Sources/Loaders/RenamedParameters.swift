import ForgeShapes

/// A source under other layer names; see `renamed(_:)` of a source.
public struct RenamedParameters: ParameterSource {
  private let source: any ParameterSource
  private let rename: @Sendable (String) -> String?
  /// The names of the model's layers with values; empty if unknown.
  public let availableNames: [String]

  fileprivate init(
    _ source: any ParameterSource, availableNames: [String],
    rename: @escaping @Sendable (String) -> String?
  ) {
    self.source = source
    self.availableNames = availableNames
    self.rename = rename
  }

  /// The file or folder of the source.
  public var origin: String? { source.origin }

  /// Whether the source matches by name.
  public var goesByName: Bool { source.goesByName }

  /// The source, prepared for the parameters under its own names.
  ///
  /// - Parameter specs: the parameters of the model, in the order of the plan.
  /// - Returns: the prepared source under the model's names.
  /// - Throws: what the source throws.
  public func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource {
    let renamed = specs.compactMap { spec in rename(spec.layer).map(spec.named) }
    return RenamedParameters(
      try source.prepared(for: renamed), availableNames: availableNames, rename: rename)
  }

  /// The values of a parameter under the source's name.
  ///
  /// - Parameter spec: the parameter.
  /// - Returns: the values, or `nil`.
  /// - Throws: what the source throws.
  public func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    guard let name = rename(spec.layer) else { return nil }
    return try source.parameter(for: spec.named(name))
  }
}

extension RenamedParameters: IdentifyingParameterSource {
  /// The tensor that the source knows under its own name of the layer.
  package func identity(of spec: ParameterSpec) -> ValueIdentity? {
    guard let source = source as? any IdentifyingParameterSource, let name = rename(spec.layer)
    else { return nil }
    return source.identity(of: spec.named(name))
  }
}

extension RenamedParameters: AbsenceExplainingSource {
  /// What the source says, under its own name of the layer.
  package func absence(of spec: ParameterSpec) -> ParameterAbsence? {
    guard let source = source as? any AbsenceExplainingSource, let name = rename(spec.layer) else {
      return nil
    }
    return source.absence(of: spec.named(name))
  }
}

extension ParameterSource {
  /// The same parameters for a model whose layers have other names.
  ///
  /// ```swift
  /// // The file calls "stem" what the model calls "conv1".
  /// let parameters = try HDF5Parameters("model.h5").renamed { $0 == "conv1" ? "stem" : $0 }
  /// ```
  ///
  /// - Parameter rename: returns the source's name for a layer of the model; `nil` if it has none.
  /// - Returns: the source under the model's names.
  public func renamed(
    _ rename: @escaping @Sendable (_ layer: String) -> String?
  ) -> RenamedParameters {
    RenamedParameters(self, availableNames: [], rename: rename)
  }

  /// The same parameters for a model whose layer names lack a prefix of the source's names.
  ///
  /// - Parameter prefix: the prefix of every name in the source, such as `encoder/`.
  /// - Returns: the source under the model's names.
  public func prefixed(_ prefix: String) -> RenamedParameters {
    let names = availableNames.filter { $0.hasPrefix(prefix) }.map {
      String($0.dropFirst(prefix.count))
    }
    return RenamedParameters(self, availableNames: names) { prefix + $0 }
  }
}
