import ForgeShapes

/// The names of a file's entries, taken apart into layers and what is theirs.
///
/// `conv1.weight`, `conv1/kernel:0`, `conv1/conv1/kernel:0`, `conv1_weights` and `conv1_w` are all
/// the weights of `conv1`.
struct EntryNames: Sendable {
  /// The layers in the order of the file.
  private(set) var layers: [String] = []
  /// The entries of each layer by what they are called.
  private var entries: [String: [String: String]] = [:]

  /// Takes names apart; those that do not end as a parameter's are passed over.
  ///
  /// - Parameters:
  ///   - names: the names of the entries.
  ///   - path: the file, for messages.
  /// - Throws: ``LoadError`` of kind `duplicate`, when two names mean the same.
  init(_ names: [String], path: String) throws(LoadError) {
    for name in names {
      guard let (layer, word) = Self.split(name) else { continue }
      if entries[layer] == nil { layers.append(layer) }
      guard let first = entries[layer, default: [:]].updateValue(name, forKey: word) else {
        continue
      }
      throw .sameMeaning(path, first, name)
    }
  }

  /// The entry of a parameter; `nil` when there is none.
  func entry(for spec: ParameterSpec) -> String? {
    guard let found = entries[spec.layer] else { return nil }
    return Self.words(for: spec).lazy.compactMap { found[$0] }.first
  }

  /// The entries of a layer that are parameters of some usual kind, sorted.
  func entries(of layer: String) -> [String] {
    (entries[layer] ?? [:]).filter { Self.known.contains($0.key) }.values.sorted()
  }

  // MARK: Words

  /// What files call a parameter of each type, the likeliest first.
  private static let words: [ParameterType: [String]] = [
    .weights: ["weights", "weight", "kernel", "w", "embeddings"],
    .biases: ["biases", "bias", "b"],
    .gamma: ["gamma", "weight", "scale"],
    .beta: ["beta", "bias"],
    .mean: ["mean", "moving_mean", "running_mean"],
    .variance: ["variance", "moving_variance", "running_variance", "running_var", "var"],
    .slopes: ["slopes", "alpha", "weight"],
  ]

  /// A separable convolution has two kernels.
  private static let kernels = (depthwise: "depthwise_kernel", pointwise: "pointwise_kernel")

  private static func words(for spec: ParameterSpec) -> [String] {
    let words = words[spec.type] ?? [spec.type.name]
    guard spec.type == .weights else { return words }
    return [spec.axes.contains(.multiplier) ? kernels.depthwise : kernels.pointwise] + words
  }

  /// All of these words, the longest first: `running_mean` is not the mean of `running`.
  private static let known = Set(words.values.joined() + [kernels.depthwise, kernels.pointwise])
    .sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }

  /// The layer and the word of an entry.
  private static func split(_ name: String) -> (layer: String, word: String)? {
    var stem = name[...]
    // TensorFlow numbers the outputs of an operation.
    if let colon = stem.lastIndex(of: ":"), stem[colon...].dropFirst().allSatisfy(\.isNumber) {
      stem = stem[..<colon]
    }
    guard let (layer, word) = known(stem) ?? other(stem) else { return nil }
    // Keras has a layer's name twice: its group, and the name of the variable.
    let parts = layer.split(separator: "/", omittingEmptySubsequences: false)
    let isTwice = parts.count > 1 && parts[parts.count - 1] == parts[parts.count - 2]
    let own = isTwice ? parts.dropLast().joined(separator: "/") : String(layer)
    return own.isEmpty ? nil : (own, word)
  }

  private static func known(_ stem: Substring) -> (Substring, String)? {
    for word in known where stem.hasSuffix(word) || stem.hasSuffix(word.uppercased()) {
      let rest = stem.dropLast(word.count)
      guard let separator = rest.last, "/._".contains(separator) else { continue }
      return (rest.dropLast(), word)
    }
    return nil
  }

  /// A parameter of a user's own layer has a name of its own.
  private static func other(_ stem: Substring) -> (Substring, String)? {
    guard let separator = stem.lastIndex(where: { "/.".contains($0) }) else { return nil }
    return (stem[..<separator], String(stem[separator...].dropFirst()))
  }
}
