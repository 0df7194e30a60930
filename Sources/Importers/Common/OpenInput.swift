import Forge

/// An input whose sizes a file leaves open.
struct OpenInput {
  /// The name of the input.
  let name: String
  /// Its sizes, `nil` for those that are open and 1 for an open batch; `nil` if the file states
  /// none.
  let sizes: [Int?]?
  /// The names that the file gives to its sizes, for each axis; empty if it names none.
  var names: [String?] = []

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

extension OpenInput {
  /// The name that the file gives to the size of an axis; `nil` if it gives none, or a mark such as
  /// `?`.
  func axisName(_ axis: Int) -> String? {
    let name = names.indices.contains(axis) ? names[axis] : nil
    return name.flatMap { $0.contains { $0.isLetter || $0.isNumber } ? $0 : nil }
  }

  /// The axes that predictions choose.
  ///
  /// An open first axis is the batch, unless the names of the file say otherwise: another axis has
  /// its name or is called a batch, or the first axes of the inputs have several names.
  ///
  /// - Parameter inputs: all inputs of the file.
  /// - Returns: the axes, in ascending order.
  func openAxes(among inputs: [OpenInput]) -> [Int] {
    let open = (sizes ?? []).indices.filter { sizes?[$0] == nil && !isCalledBatch($0) }
    guard let first = axisName(0), !isCalledBatch(0) else { return open }
    let isElsewhere = inputs.contains { input in
      input.names.indices.contains { axis in
        (axis > 0 || input.names.count == 1)
          && (input.axisName(axis) == first || input.isCalledBatch(axis))
      }
    }
    let names = Set(inputs.compactMap { $0.names.count > 1 ? $0.axisName(0) : nil })
    return isElsewhere || names.count > 1 ? [0] + open.filter { $0 > 0 } : open
  }

  private func isCalledBatch(_ axis: Int) -> Bool {
    axisName(axis)?.lowercased().contains("batch") ?? false
  }

  /// The name of an open size: that of the file, or one made from the input and the axis.
  func sizeName(_ axis: Int) -> String {
    let isSide = sizes?.count == 4 && axis > 1
    let fallback = isSide ? axis == 2 ? "height" : "width" : "n\(axis)"
    return Self.sizeName(axisName(axis) ?? "\(self.name).\(fallback)")
  }

  /// A name of a size without characters that the tool's arguments use otherwise.
  static func sizeName(_ name: String) -> String {
    String(name.map { $0.isLetter || $0.isNumber || "+._".contains($0) ? $0 : "_" })
  }

  /// Sizes that predictions choose apart, where several besides the batch are open.
  var chosenApart: [InputSize]? {
    guard let sizes else { return nil }
    let open = sizes.indices.filter { sizes[$0] == nil && ($0 > 0 || sizes.count == 1) }
    guard open.count > 1 else { return nil }
    var chosen = example
    for axis in open {
      let isSide = sizes.count == 4 && axis > 1
      chosen[axis] = .open(isSide ? axis == 2 ? "h" : "w" : "n\(axis)", 1...(isSide ? 1024 : 512))
    }
    return chosen
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
