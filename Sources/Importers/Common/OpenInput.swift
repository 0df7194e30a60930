import Forge

/// An input whose sizes a file leaves open.
struct OpenInput {
  /// The name of the input.
  let name: String
  /// Its sizes, `nil` for those that are open; `nil` if the file states none.
  let sizes: [Int?]?

  /// The sizes for messages: `1×?×8`.
  var text: String {
    guard let sizes else { return "no sizes" }
    let text = sizes.map { $0.map(String.init) ?? "?" }.joined(separator: "×")
    return text.isEmpty ? "no axes" : text
  }

  /// Sizes that may be stated, for a remedy.
  var example: [InputSize] {
    guard let sizes, !sizes.isEmpty else { return [1, 3, 224, 224] }
    return sizes.map { .exactly($0 ?? (sizes.count > 3 ? 224 : 128)) }
  }

  /// Sizes with the length of a sequence, where one size besides the batch is open.
  var sequence: [InputSize]? {
    guard let sizes, !sizes.isEmpty else { return [1, .upTo(512)] }
    let open = sizes.indices.filter { sizes[$0] == nil }
    guard open.count == 1, open[0] > 0 || sizes.count == 1 else { return nil }
    var sequence = example
    sequence[open[0]] = .upTo(512)
    return sequence
  }
}

extension ImportError {
  /// The error of a file that leaves sizes of its inputs open, which also names what Forge does not
  /// have.
  ///
  /// - Parameters:
  ///   - inputs: the inputs, one at least.
  ///   - path: the file.
  ///   - options: the options, which say how sizes are stated.
  ///   - unsupported: what else keeps the file from being imported.
  /// - Returns: the error.
  static func openSizes(
    _ inputs: [OpenInput], path: String, _ options: ImportOptions, _ unsupported: [UnsupportedNode]
  ) -> ImportError {
    let remedy = options.remedy(forOpenSizesOf: inputs)
    let list = inputs.map { "\"\($0.name.printable)\" \($0.text)" }.joined(separator: "\n")
    guard unsupported.isEmpty else {
      let missing = ImportError.unsupported(unsupported, path: path)
      return ImportError(
        .unsupported, missing.headline + ", and leaves sizes open", path: path,
        received: [missing.received, list].compactMap(\.self).joined(separator: "\n"),
        remedy: remedy)
    }
    guard inputs.count == 1, let input = inputs.first else {
      return ImportError(
        .unknownSize, "the file leaves sizes of its inputs open", path: path, received: list,
        remedy: remedy)
    }
    guard input.sizes != nil else {
      return ImportError(
        .unknownSize, "the file does not state the sizes of input \"\(input.name)\"", path: path,
        remedy: remedy)
    }
    return ImportError(
      .unknownSize, "the file leaves a size of input \"\(input.name)\" open", path: path,
      received: input.text, remedy: remedy)
  }
}
