import ForgeShapes

/// The part of a layer to which a file gives a parameter.
///
/// Keras makes attention of dense layers, and a layer of two directions of two layers; PyTorch has
/// the dense layers, too. `mha/query/kernel` and `mha.q_proj.weight` are the `queryWeights` of
/// `mha`, `bi/backward_lstm/lstm_cell/kernel` are the `backwardWeights` of `bi`.
struct LayerPart {
  /// Names of the part; one that ends in `_` stands for all names that begin with it.
  let names: [EntryName]
  /// The parameter as the part has it.
  let spec: ParameterSpec

  /// The words with which the types of parameters of a part begin, and the names of the part.
  private static let words: [(word: String, names: [EntryName])] = [
    ("query", ["query", "q_proj"]), ("key", ["key", "k_proj"]), ("value", ["value", "v_proj"]),
    ("output", ["attention_output", "out_proj", "o_proj"]), ("backward", ["backward_"]),
  ]
  /// What all other parameters belong to: the first direction, or queries, keys and values at once.
  private static let others: [EntryName] = ["forward_", "in_proj"]

  init(_ spec: ParameterSpec) {
    let name = spec.type.name
    let found = Self.words.first { word, _ in
      name.hasPrefix(word) && name.dropFirst(word.count).first?.isUppercase == true
    }
    guard let (word, names) = found else {
      (names, self.spec) = (Self.others, spec)
      return
    }
    let rest = name.dropFirst(word.count)
    let type = ParameterType(rest.prefix(1).lowercased() + rest.dropFirst())
    self.names = names
    self.spec = ParameterSpec(
      layer: spec.layer, type, axes: spec.axes, sizes: spec.sizes, keras: spec.kerasAxes,
      pytorch: spec.pytorchAxes)
  }

  /// Whether a file calls the part so.
  func isNamed(_ name: ArraySlice<UInt8>) -> Bool {
    names.contains { own in
      own.bytes.last == UInt8(ascii: "_")
        ? name.starts(with: own.bytes) : name.elementsEqual(own.bytes)
    }
  }
}

extension FileLayers {
  /// The layers of a file that are a part of a layer with a name, as indices: at most two levels
  /// below it.
  func parts(of name: String, _ part: LayerPart) -> [Int] {
    let whole = EntryName(name)
    return (inner[whole] ?? []).filter { index in
      let path = layers[index].name.bytes.dropFirst(whole.bytes.count + 1)
      return part.isNamed(path.prefix { !Self.separators.contains($0) })
    }
  }
}
