import ForgeShapes

/// What a source has in place of the layers that it lacks.
///
/// The list of its layers and the remedy for a prefix are said once per compile.
package struct MissingNames {
  /// The names that a list shows.
  private static let shown = 3
  /// The most parameters and prefixes that are looked at, and the most prefixes whose shapes are
  /// compared, so that large files cost no more than others.
  private static let judged = 1000, compared = 8

  private let source: (any ParameterSource)?
  /// Whether the source renames those of another, so its type says nothing.
  private let isRenamed: Bool
  /// The parameters of the model.
  private let specs: [ParameterSpec]
  /// The names that the source has, requested when the first parameter is missing.
  private lazy var known = source.map { $0.goesByName ? $0.availableNames : [] } ?? []
  private lazy var knownSet = Set(known)
  private var isSaid = false

  package init(_ source: (any ParameterSource)?, isRenamed: Bool, specs: [ParameterSpec]) {
    self.source = source
    self.isRenamed = isRenamed
    self.specs = specs
  }

  /// What to say about a missing parameter.
  package mutating func details(for spec: ParameterSpec) -> (received: String?, remedy: String?) {
    guard let source else { return ("nil from the closure", nil) }
    if let absence = (source as? any AbsenceExplainingSource)?.absence(of: spec) {
      return (absence.received, absence.remedy)
    }
    let layer = spec.layer
    guard !knownSet.contains(layer), !known.isEmpty else { return (nil, nil) }
    let prefixes = prefixes(of: layer)
    let near = prefixes.isEmpty ? NearNames.nearest(to: layer, in: known) : []
    if !near.isEmpty {
      let names = near.map { "\"\($0)\"" }.joined(separator: " or ")
      return (nil, "did you mean \(names)?")
    }
    guard !isSaid else { return (nil, nil) }
    isSaid = true
    let candidates = candidates(prefixes)
    let fitting = candidates.first { $0.fitting > 0 && fits(spec, named: $0.prefix + layer) }
    return (
      list(first: candidates.map { $0.prefix + layer }), fitting.map { remedy(for: $0.prefix) }
    )
  }

  /// The source and its layers, those first that may be meant, then in the order of the source:
  /// `net.npz with 24 layers: "stem", "a/conv1", "a/conv2", …`.
  private mutating func list(first likely: [String]) -> String {
    let others = known.lazy.filter { !likely.contains($0) }.prefix(Self.shown)
    let names = (likely + others).prefix(Self.shown).map { "\"\($0)\"" }.joined(separator: ", ")
    return "\(source?.origin ?? "a source") with \(ShapeError.counted(known.count, "layer")): "
      + names + (known.count > Self.shown ? ", …" : "")
  }

  /// What the source puts before the name of a layer, if it ends with a separator.
  private mutating func prefixes(of layer: String) -> [String] {
    self.known.lazy.filter { $0.hasSuffix(layer) }
      .map { String($0.dropLast(layer.count)) }
      .filter { $0.last.map("/._:".contains) ?? false }
      .prefix(Self.judged).map(\.self)
  }

  /// Prefixes, best first, with the number of the model's parameters that fit in shape.
  ///
  /// Of equal ones that comes first with which more layers are found by name.
  private mutating func candidates(_ prefixes: [String]) -> [(prefix: String, fitting: Int)] {
    let known = knownSet
    let judged = specs.prefix(Self.judged)
    let found = prefixes.map { prefix in
      (prefix: prefix, found: judged.count { known.contains(prefix + $0.layer) })
    }.sorted { ($1.found, $0.prefix.count) < ($0.found, $1.prefix.count) }
    return found.prefix(Self.compared).map { prefix, _ in
      (prefix: prefix, fitting: judged.count { fits($0, named: prefix + $0.layer) })
    }.enumerated().sorted {
      ($1.element.fitting, $0.offset) < ($0.element.fitting, $1.offset)
    }.map(\.element)
  }

  /// Whether the source has a parameter of this shape under another name of its layer.
  private func fits(_ spec: ParameterSpec, named name: String) -> Bool {
    guard let data = try? source?.parameter(for: spec.named(name)) else { return false }
    return data.count == spec.count
      && data.sizes.map { spec.fits($0, in: data.layout) } ?? true
  }

  private mutating func remedy(for prefix: String) -> String {
    let known = knownSet
    let name = source.map { isRenamed ? "source" : "\(type(of: $0))(…)" } ?? "source"
    guard specs.allSatisfy({ known.contains(prefix + $0.layer) }) else {
      return "CombinedParameters([source, source.prefixed(\"\(prefix)\")])"
    }
    return "\(name).prefixed(\"\(prefix)\")"
  }
}
