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

  /// The parts of an attention, and the names that files have for them.
  private static let ofAttention: [(word: String, names: [EntryName])] = [
    ("query", ["query", "q_proj"]), ("key", ["key", "k_proj"]), ("value", ["value", "v_proj"]),
    ("output", ["attention_output", "out_proj", "o_proj"]),
  ]
  private static let backward = "backward"

  /// The part that has a parameter; `nil` if a layer of these parameters has no parts.
  ///
  /// - Parameters:
  ///   - spec: the parameter.
  ///   - specs: all parameters of its layer.
  init?(_ spec: ParameterSpec, among specs: [ParameterSpec]) {
    for (word, names) in Self.ofAttention {
      guard let type = Self.type(spec.type, without: word),
        type == .weights || type == .biases
      else { continue }
      (self.names, self.spec) = (names, Self.spec(spec, type))
      return
    }
    if let type = Self.type(spec.type, without: Self.backward) {
      (names, self.spec) = (["backward_"], Self.spec(spec, type))
    } else if specs.contains(where: { Self.type($0.type, without: Self.backward) != nil }) {
      (names, self.spec) = (["forward_"], spec)
    } else if specs.contains(where: { $0.type == .outputWeights }) {
      // Queries, keys and values at once.
      (names, self.spec) = (["in_proj"], spec)
    } else {
      return nil
    }
  }

  /// The type `weights` of `queryWeights` for the word `query`; `nil` for a type without the word.
  private static func type(_ type: ParameterType, without word: String) -> ParameterType? {
    guard type.name.hasPrefix(word) else { return nil }
    let rest = type.name.dropFirst(word.count)
    guard rest.first?.isUppercase == true else { return nil }
    return ParameterType(rest.prefix(1).lowercased() + rest.dropFirst())
  }

  private static func spec(_ spec: ParameterSpec, _ type: ParameterType) -> ParameterSpec {
    ParameterSpec(
      layer: spec.layer, type, axes: spec.axes, sizes: spec.sizes, keras: spec.kerasAxes,
      pytorch: spec.pytorchAxes)
  }

  /// Whether a file calls the part so.
  func isNamed(_ name: ArraySlice<UInt8>) -> Bool {
    names.contains { partName in
      partName.bytes.last == UInt8(ascii: "_")
        ? name.starts(with: partName.bytes) : name.elementsEqual(partName.bytes)
    }
  }
}

extension FileLayers {
  /// The layers of a file that are a part of a layer with a name, as indices: those right below it,
  /// or else one level further down, as the cells of recurrent layers are.
  func parts(of name: String, _ part: LayerPart) -> [Int] {
    let outer = EntryName(name)
    let paths = (inner[outer] ?? []).map { index in
      (index, layers[index].name.bytes.dropFirst(outer.bytes.count + 1))
    }
    let direct = paths.filter { part.isNamed($0.1) }
    guard direct.isEmpty else { return direct.map(\.0) }
    return paths.filter { _, path in
      part.isNamed(path.prefix { !Self.separators.contains($0) })
    }.map(\.0)
  }
}
