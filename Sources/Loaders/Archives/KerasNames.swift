/// The layer names of a `.keras` archive, from the description of the model.
///
/// Keras 3 stores a layer's values under its class and a number, such as `layers/conv2d_1`. Later
/// versions also store the user's name. Otherwise the numbers count the layers of each class in the
/// order of the description.
package enum KerasNames {
  /// The maximum nesting of models.
  private static let maximumDepth = 16
  private static let maximumJSONDepth = 256

  /// Maps the user's name of each layer, `inner/conv1` in a nested model, to its name in the HDF5
  /// file; empty if the file has the user's names.
  ///
  /// - Throws: ``LoadError``: `damaged`, `duplicate` or `refused`.
  static func names(
    _ configuration: String, in archive: InputFile, known source: HDF5Parameters,
    _ budget: LoadBudget
  ) throws(LoadError) -> [EntryName: EntryName] {
    guard source.goesByName, try !hasNames(source.file) else { return [:] }
    return try archive.locating(KerasArchive.configurationEntry.text) { () throws(LoadError) in
      let text = ByteCursor(Array(configuration.utf8)[...], "a JSON string")
      let json = try JSONReader.value(
        text, maximumDepth: maximumJSONDepth, allowsNonFinite: true, budget)
      var names: [EntryName: EntryName] = [:]
      // Keras 2 has the dense layers of attention as private properties.
      let isPrivate = source.file.entries.contains { $0.name.contains("/_query_dense/") }
      try collect(
        json, user: [], file: [], depth: 0, attention: isPrivate ? "_" : "", into: &names, budget)
      return names
    }
  }

  /// Whether the file has the user's names.
  private static func hasNames(_ file: HDF5File) throws(LoadError) -> Bool {
    for entry in file.entries where entry.name.hasPrefix("/layers/") {
      let group = entry.name.split(separator: "/").dropLast().joined(separator: "/")
      return try file.texts(ofAttribute: "name", at: "/" + group) != nil
    }
    return false
  }

  /// Adds the names of a model's layers.
  ///
  /// The budget bounds their total size, because each name includes those of all outer models.
  private static func collect(
    _ model: JSONValue, user: [UInt8], file: [UInt8], depth: Int, attention prefix: String,
    into names: inout [EntryName: EntryName], _ budget: LoadBudget
  ) throws(LoadError) {
    guard depth < maximumDepth,
      let layers = model["config"]?["layers"]?.array
    else { return }
    var counts: [EntryName: Int] = [:]
    for layer in layers {
      guard let kind = layer["class_name"]?.text,
        let text = layer["config"]?["name"]?.text ?? layer["name"]?.text
      else { continue }
      try budget.check(nameBytes: kind.utf8.count)
      try budget.take(steps: kind.utf8.count)
      try budget.check(nameBytes: text.utf8.count)
      let name = EntryName(text)
      let container = EntryName(snakeCase(kind))
      let number = counts[container, default: 0]
      counts[container] = number + 1
      let numbered = number == 0 ? container.bytes : container.bytes + "_\(number)".utf8
      let inFile = try budget.name(file + numbered)
      let full = try budget.name(user + name.bytes)
      names[full] = inFile
      // A layer of a nested model is also found by its bare name, unless the outer model uses it.
      if !user.isEmpty, names[name] == nil { names[name] = inFile }
      let slash = UInt8(ascii: "/")
      for (inner, role) in innerLayers(of: layer, kind, attention: prefix) {
        try budget.check(nameBytes: inner.utf8.count)
        names[try budget.name(full.bytes + [slash] + Array(inner.utf8))] = try budget.name(
          inFile.bytes + [slash] + Array(role.utf8))
      }
      try collect(
        layer, user: full.bytes + [slash], file: inFile.bytes + [slash], depth: depth + 1,
        attention: prefix, into: &names, budget)
    }
  }

  /// The layers inside of a layer that are stored by their roles: their names and their roles.
  private static func innerLayers(
    of layer: JSONValue, _ kind: String, attention prefix: String
  ) -> [(name: String, role: String)] {
    switch kind {
    case "Bidirectional":
      let names = [EntryName("layer"), "backward_layer"].map {
        layer["config"]?[$0]?["config"]?["name"]?.text
      }
      guard let forward = names[0] else { return [] }
      let backward = names[1] ?? forward
      // Keras 2 adds the direction to the names that the description has.
      return [
        ("forward_" + forward, "forward_layer"), ("backward_" + backward, "backward_layer"),
        (backward, "backward_layer"), (forward, "forward_layer"),
      ]
    case "MultiHeadAttention", "GroupQueryAttention", "GroupedQueryAttention":
      return [
        ("query", "query_dense"), ("key", "key_dense"), ("value", "value_dense"),
        ("attention_output", "output_dense"),
      ].map { ($0, prefix + $1) }
    default: return []
    }
  }

  /// The snake-case form of a class name in Keras: `BatchNormalization` becomes
  /// `batch_normalization`.
  package static func snakeCase(_ name: String) -> String {
    let letters = name.filter { $0.isLetter || $0.isNumber || $0 == "_" }.map(\.self)
    func isSmall(_ index: Int) -> Bool { letters.indices ~= index && "a"..."z" ~= letters[index] }
    // An underscore precedes a capital that follows or precedes a lowercase letter.
    var parts: [Character] = []
    for (index, letter) in letters.enumerated() {
      if index > 0, "A"..."Z" ~= letter, isSmall(index - 1) || isSmall(index + 1) {
        parts.append("_")
      }
      parts.append(letter)
    }
    return String(parts).lowercased()
  }
}
