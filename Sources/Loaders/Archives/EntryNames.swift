import ForgeShapes

/// The names of a file's entries, taken apart into layers and what is theirs.
///
/// `conv1.weight`, `conv1/kernel:0`, `conv1/conv1/kernel:0`, `conv1_weights` and `conv1_w` are all
/// the weights of `conv1`.
struct EntryNames: Sendable {
  /// The layers in the order of the file.
  private(set) var layers: [EntryName] = []
  /// The entries of each layer by what they are called.
  private var entries: [EntryName: [EntryName: EntryName]] = [:]

  /// Takes names apart; those that do not end as a parameter's are passed over.
  ///
  /// - Parameters:
  ///   - names: the names of the entries.
  ///   - path: the file, for messages.
  /// - Throws: ``LoadError`` of kind `duplicate`, when two names mean the same.
  init(_ names: [EntryName], path: String) throws(LoadError) {
    for name in names {
      guard let (layer, word) = Self.split(name) else { continue }
      if entries[layer] == nil { layers.append(layer) }
      guard let first = entries[layer, default: [:]].updateValue(name, forKey: word) else {
        continue
      }
      throw .sameMeaning(path, first.text, name.text)
    }
  }

  /// The entry of a parameter; `nil` when there is none.
  func entry(for spec: ParameterSpec) -> EntryName? {
    guard let found = entries[EntryName(spec.layer)] else { return nil }
    return ParameterNames.words(for: spec).lazy.compactMap { found[$0] }.first
  }

  /// The entries of a layer that are parameters of some usual kind, sorted.
  func entries(of layer: String) -> [EntryName] {
    (entries[EntryName(layer)] ?? [:]).filter { ParameterNames.all.contains($0.key) }.values
      .sorted()
  }

  /// The words as capitals.
  private static let capitals = ParameterNames.all.map { word in
    EntryName(word.bytes.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 ? $0 - 32 : $0 })
  }

  // MARK: Bytes

  private typealias Bytes = ArraySlice<UInt8>

  /// The layer and the word of an entry.
  private static func split(_ name: EntryName) -> (layer: EntryName, word: EntryName)? {
    var stem = name.bytes[...]
    // TensorFlow numbers the outputs of an operation.
    if let colon = stem.lastIndex(of: UInt8(ascii: ":")),
      stem[colon...].dropFirst().allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    {
      stem = stem[..<colon]
    }
    guard let (layer, word) = known(stem) ?? other(stem) else { return nil }
    let own = withoutRepetition(layer)
    return own.isEmpty ? nil : (EntryName(own), word)
  }

  /// Keras has a layer's name twice: its group, and the name of the variable.
  private static func withoutRepetition(_ layer: Bytes) -> Bytes {
    let slash = UInt8(ascii: "/")
    guard let last = layer.lastIndex(of: slash) else { return layer }
    let rest = layer[..<last]
    let first = rest.lastIndex(of: slash).map { $0 + 1 } ?? rest.startIndex
    return rest[first...] == layer[(last + 1)...] ? rest : layer
  }

  private static func known(_ stem: Bytes) -> (Bytes, EntryName)? {
    for (word, capital) in zip(ParameterNames.all, capitals)
    where stem.count > word.count {
      let end = stem.suffix(word.count)
      guard end.elementsEqual(word.bytes) || end.elementsEqual(capital.bytes) else { continue }
      let rest = stem.dropLast(word.count)
      guard let separator = rest.last, "/._".utf8.contains(separator) else { continue }
      return (rest.dropLast(), word)
    }
    return nil
  }

  /// A parameter of a user's own layer has a name of its own.
  private static func other(_ stem: Bytes) -> (Bytes, EntryName)? {
    guard let separator = stem.lastIndex(where: { "/.".utf8.contains($0) }) else { return nil }
    return (stem[..<separator], EntryName(stem[separator...].dropFirst()))
  }
}
