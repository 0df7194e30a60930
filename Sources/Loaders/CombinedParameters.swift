import ForgeShapes

/// Combines several sources: each parameter comes from the first source that has it.
///
/// ```swift
/// // A new head on an old body.
/// let parameters = CombinedParameters([
///   ParameterDictionary(["fc": [.weights: kernel, .biases: bias]]),
///   try HDF5Parameters("mobilenet_no_top.h5"),
/// ])
/// ```
/// A source that matches in order is prepared only for the parameters missing from earlier sources.
public struct CombinedParameters: ParameterSource {
  private let sources: [any ParameterSource]

  /// Combines sources.
  ///
  /// - Parameter sources: the sources, in order of precedence.
  public init(_ sources: [any ParameterSource]) {
    self.sources = sources
  }

  /// Whether all sources match by name.
  public var goesByName: Bool { sources.allSatisfy(\.goesByName) }

  /// The names of all sources, without duplicates.
  public var availableNames: [String] {
    var seen: Set<String> = []
    return sources.flatMap(\.availableNames).filter { seen.insert($0).inserted }
  }

  /// The sources, each prepared.
  ///
  /// - Parameter specs: the parameters of the model, in the order of the plan.
  /// - Returns: the prepared sources, combined.
  /// - Throws: what the sources throw.
  public func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource {
    var rest = specs
    var prepared: [any ParameterSource] = []
    for (index, source) in sources.enumerated() {
      let ready = try source.prepared(for: source.goesByName ? specs : rest)
      prepared.append(ready)
      // Only later sources that match in order use `rest`.
      if sources[(index + 1)...].contains(where: { !$0.goesByName }) {
        rest = try rest.filter { try ready.parameter(for: $0) == nil }
        if rest.isEmpty { break }
      }
    }
    return CombinedParameters(prepared)
  }

  /// The values of a parameter from the first source that has it.
  ///
  /// - Parameter spec: the parameter.
  /// - Returns: the values, or `nil` when no source has any.
  /// - Throws: what the sources throw.
  public func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    for source in sources {
      if let data = try source.parameter(for: spec) { return data }
    }
    return nil
  }
}

extension CombinedParameters: IdentifyingParameterSource {
  /// The tensor of the first source that has the parameter.
  package func identity(of spec: ParameterSpec) -> ValueIdentity? {
    for source in sources {
      if let known = (source as? any IdentifyingParameterSource)?.identity(of: spec) {
        return known
      }
      if ((try? source.parameter(for: spec)) ?? nil) != nil { return nil }
    }
    return nil
  }
}

extension CombinedParameters: AbsenceExplainingSource {
  /// What the first source says that has something to say.
  package func absence(of spec: ParameterSpec) -> ParameterAbsence? {
    for case let source as any AbsenceExplainingSource in sources {
      if let absence = source.absence(of: spec) { return absence }
    }
    return nil
  }
}
