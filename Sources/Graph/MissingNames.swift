import ForgeShapes

/// What a source has in place of the layers that it lacks.
///
/// The list of its layers and the remedy for a prefix are said once per compile.
package struct MissingNames {
  /// The names that a list shows.
  private static let shown = 3

  private let source: (any ParameterSource)?
  /// Whether the source renames those of another, so that its type says nothing.
  private let isRenamed: Bool
  /// The names of the model's layers with parameters.
  private let layers: [String]
  /// The names that the source has, requested when the first parameter is missing.
  private lazy var known = source.map { $0.goesByName ? $0.availableNames : [] } ?? []
  private lazy var knownSet = Set(known)
  private var isSaid = false

  package init(_ source: (any ParameterSource)?, isRenamed: Bool, layers: [String]) {
    self.source = source
    self.isRenamed = isRenamed
    self.layers = layers
  }

  /// What to say about a missing parameter of a layer.
  package mutating func details(for layer: String) -> (received: String?, remedy: String?) {
    guard !knownSet.contains(layer), !known.isEmpty else { return (nil, nil) }
    let prefix = prefix(of: layer)
    let near = prefix == nil ? NearNames.nearest(to: layer, in: known) : []
    if !near.isEmpty {
      let names = near.map { "\"\($0)\"" }.joined(separator: " or ")
      return (nil, "did you mean \(names)?")
    }
    guard !isSaid else { return (nil, nil) }
    isSaid = true
    return (list, prefix.map { remedy(for: $0) })
  }

  /// The source and its first layers: `net.npz with 24 layers: "stem", "a/conv1", "a/conv2", …`.
  private var list: String {
    mutating get {
      let names = known.prefix(Self.shown).map { "\"\($0)\"" }.joined(separator: ", ")
      return "\(source?.origin ?? "a source") with \(ShapeError.counted(known.count, "layer")): "
        + names + (known.count > Self.shown ? ", …" : "")
    }
  }

  /// What the source puts before the name of a layer, if it ends with a separator; of several, the
  /// one with which most layers of the model are found.
  private mutating func prefix(of layer: String) -> String? {
    let known = knownSet
    let candidates = self.known.filter { $0.hasSuffix(layer) }
      .map { $0.dropLast(layer.count) }.filter { $0.last.map("/._:".contains) ?? false }
    let scored = candidates.map { prefix in
      (prefix: String(prefix), count: layers.count { known.contains(prefix + $0) })
    }
    return scored.max { ($0.count, $1.prefix.count) < ($1.count, $0.prefix.count) }?.prefix
  }

  private mutating func remedy(for prefix: String) -> String {
    let known = knownSet
    let name = source.map { isRenamed ? "source" : "\(type(of: $0))(…)" } ?? "source"
    guard layers.allSatisfy({ known.contains(prefix + $0) }) else {
      return "CombinedParameters([source, source.prefixed(\"\(prefix)\")])"
    }
    return "\(name).prefixed(\"\(prefix)\")"
  }
}
