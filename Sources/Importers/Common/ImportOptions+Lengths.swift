import Forge

extension ImportOptions {
  /// The sizes of an input, those that vary with their largest value; `nil` if none are stated.
  func largestSizes(of input: String) -> [Int]? { sizes[input]?.map(\.maximum) }

  /// Checks the lengths of sequences: all inputs have equally many, and none is the batch of an
  /// input: its first axis, for images and, with `batchIsFirst`, for all inputs.
  ///
  /// - Throws: ``ImportError`` of kind `unknownSize`.
  func checkLengths(path: String?, batchIsFirst: Bool) throws(ImportError) {
    var first: (name: String, sizes: SizeProgression)?
    for (name, stated) in sizes.sorted(by: { $0.key < $1.key }) {
      for (axis, size) in stated.enumerated() where size.isLength {
        try Self.check(size, among: stated, of: name, path: path)
        guard let sizes = size.progression else { continue }
        guard axis > 0 || stated.count == 1 || (!batchIsFirst && stated.count < 4) else {
          throw ImportError(
            .unknownSize, "the batch of input \"\(name)\" cannot be a length", path: path,
            received: Self.text(stated), needs: "a batch of one size, such as 1",
            remedy: "predict batches with Forge's own batch")
        }
        if let first, first.sizes.count != sizes.count {
          throw ImportError(
            .unknownSize, "the inputs' lengths have different numbers of sizes", path: path,
            received: "\(first.sizes.count) in \"\(first.name)\" (\(first.sizes.text)), "
              + "\(sizes.count) in \"\(name)\" (\(sizes.text))",
            needs: "the same number of sizes for all inputs, because they are used in pairs")
        }
        first = first ?? (name, sizes)
      }
    }
  }

  /// Checks the numbers of one of the sizes of an input.
  ///
  /// - Throws: ``ImportError`` of kind `unknownSize`.
  static func check(
    _ size: InputSize, among stated: [InputSize], of input: String, path: String?
  ) throws(ImportError) {
    do throws(ShapeError) { try size.check() } catch {
      throw ImportError(
        .unknownSize, "the sizes of input \"\(input)\" are out of range", path: path,
        received: text(stated), needs: error.needs)
    }
  }

  /// Checks that no size is the length of a sequence, for formats that state all sizes.
  ///
  /// - Throws: ``ImportError`` of kind `unsupported`.
  func refuseLengths(path: String?) throws(ImportError) {
    for (name, stated) in sizes.sorted(by: { $0.key < $1.key })
    where stated.contains(where: \.isLength) {
      throw ImportError(
        .unsupported, "the input \"\(name)\" takes no sequences of changing length", path: path,
        received: Self.text(stated),
        needs: "fixed sizes: files of this format hold the sizes of "
          + "every layer", remedy: "state a number in place of .upTo")
    }
  }

  /// How to state sizes that a file leaves open, with an example, in the words of ``style``.
  ///
  /// One open size besides the batch may be the length of a sequence.
  ///
  /// - Parameter inputs: the inputs.
  /// - Returns: the remedy of an error.
  func remedy(forOpenSizesOf inputs: [OpenInput]) -> String {
    let sequence = inputs.lazy.compactMap { input in input.sequence.map { (input.name, $0) } }.first
    let apart = inputs.lazy.compactMap { input in input.chosenApart.map { (input.name, $0) } }.first
    var remedies: [String]
    switch style {
    case .swift:
      let all = inputs.map { "\"\($0.name)\": \(Self.text($0.example))" }.joined(separator: ", ")
      remedies = ["state them in ImportOptions.sizes, as [\(all)]"]
      if let sequence { remedies.append("\(Self.text(sequence.1)) for sequences of up to 512") }
      if let apart { remedies.append("\(Self.text(apart.1)) for any sizes") }
    case .tool:
      remedies = [inputs.map { Self.argument($0.name, $0.example) }.joined(separator: " ")]
      if let (name, sizes) = sequence {
        remedies.append("\(Self.argument(name, sizes)) for sequences of up to 512")
      }
      if let (name, sizes) = apart {
        remedies.append("\(Self.argument(name, sizes)) for any sizes")
      }
    }
    return remedies.joined(separator: ", or ")
  }

  /// The sizes of an input as an argument of the tool: `--size x=1x..512`.
  static func argument(_ name: String, _ sizes: [InputSize]) -> String {
    let texts = sizes.map { size in
      if case .open(let name, let range, let step) = size {
        let first = range.lowerBound == 1 ? "" : "\(range.lowerBound)"
        return "(\(name):\(first)..\(range.upperBound)\(step == 1 ? "" : "/\(step)"))"
      }
      return size.isLength ? "..\(size.maximum)" : "\(size.maximum)"
    }
    let argument = "\(name)=\(texts.joined(separator: "x"))"
    let isPlain = argument.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "=._-/:+".contains($0))
    }
    return "--size " + (isPlain ? argument : "'\(argument.replacing("'", with: "'\\''"))'")
  }

  /// Sizes as they are written in source.
  static func text(_ sizes: [InputSize]) -> String {
    "[" + sizes.map(\.sourceText).joined(separator: ", ") + "]"
  }
}
