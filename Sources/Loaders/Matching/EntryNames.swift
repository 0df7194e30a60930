import ForgeShapes

/// Splits the names of entries into layers and parameters.
///
/// `conv1.weight`, `conv1/kernel:0`, `conv1/conv1/kernel:0`, `conv1_weights` and `conv1_w` all mean
/// the weights of `conv1`.
enum EntryNames {
  /// The layers of the entries, in the order of the file.
  ///
  /// Names without the form of a layer and a parameter are ignored.
  ///
  /// - Throws: ``LoadError`` of kind `duplicate` when two names mean the same.
  static func layers(_ names: some Sequence<EntryName>) throws(LoadError) -> FileLayers {
    var layers: [FileLayer] = []
    var indices: [EntryName: Int] = [:]
    var seen: [EntryName: [EntryName: EntryName]] = [:]
    for name in names {
      guard let (layer, word) = split(name) else { continue }
      if let first = seen[layer, default: [:]].updateValue(name, forKey: word) {
        throw .sameMeaning(first.text, name.text)
      }
      let index = indices[layer] ?? layers.count
      if index == layers.count {
        indices[layer] = index
        layers.append(FileLayer(name: layer))
      }
      layers[index].parameters.append(.init(name: word, entry: name))
    }
    return FileLayers(form: .entries, layers: layers)
  }

  /// The spellings of each parameter word: lowercase and uppercase.
  private static let spellings = ParameterNames.all.flatMap { word in
    let capitals = word.bytes.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 ? $0 - 32 : $0 }
    return [(word.bytes, word), (capitals, word)]
  }

  /// The layer and the parameter word of an entry.
  static func split(_ name: EntryName) -> (layer: EntryName, word: EntryName)? {
    // TensorFlow numbers the outputs of an operation.
    let stem = name.bytes[...].withoutNumber(after: ":")
    guard let (layer, word) = stacked(stem) ?? known(stem) ?? other(stem) else { return nil }
    let layerName = withoutRepetition(layer)
    return layerName.isEmpty ? nil : (EntryName(layerName), word)
  }

  /// Removes the repeated layer name that Keras writes: `conv1/conv1`.
  private static func withoutRepetition(_ layer: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let slash = UInt8(ascii: "/")
    guard let last = layer.lastIndex(of: slash) else { return layer }
    let rest = layer[..<last]
    let first = rest.lastIndex(of: slash).map { $0 + 1 } ?? rest.startIndex
    return rest[first...] == layer[(last + 1)...] ? rest : layer
  }

  /// A parameter of a layer of PyTorch's stacked recurrent layers.
  ///
  /// `rnn.weight_ih_l1` is the `weight_ih_l0` of a layer `rnn.l1`; the first layer is `rnn`.
  private static func stacked(_ stem: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, EntryName)? {
    let (isDigit, reverse) = (UInt8(ascii: "0")...UInt8(ascii: "9"), Array("_reverse".utf8))
    let ending = stem.suffix(reverse.count).elementsEqual(reverse) ? reverse : []
    let numbered = stem.dropLast(ending.count)
    let digits = numbered.reversed().prefix { isDigit ~= $0 }.count
    let number = numbered.suffix(digits)
    guard digits > 0, number.first != UInt8(ascii: "0"),
      let (layer, word) = known(numbered.dropLast(digits) + Array("0".utf8) + ending),
      word.bytes.dropLast(ending.count).suffix(3).elementsEqual("_l0".utf8)
    else { return nil }
    return (layer + Array(".l".utf8) + number, word)
  }

  private static func known(_ stem: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, EntryName)? {
    for (spelling, word) in spellings
    where stem.count > spelling.count && stem.suffix(spelling.count).elementsEqual(spelling) {
      let rest = stem.dropLast(spelling.count)
      guard let separator = rest.last, "/._".utf8.contains(separator) else { continue }
      return (rest.dropLast(), word)
    }
    return nil
  }

  /// A parameter of a custom layer, which may have any name.
  private static func other(_ stem: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, EntryName)? {
    guard let separator = stem.lastIndex(where: { "/.".utf8.contains($0) }) else { return nil }
    return (stem[..<separator], EntryName(stem[separator...].dropFirst()))
  }
}

extension ArraySlice<UInt8> {
  /// The bytes before the last `mark` if only digits follow it; otherwise all bytes.
  func withoutNumber(after mark: Unicode.Scalar) -> ArraySlice {
    guard let lastMark = lastIndex(of: UInt8(ascii: mark)),
      self[lastMark...].dropFirst().allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return self }
    return self[..<lastMark]
  }
}
