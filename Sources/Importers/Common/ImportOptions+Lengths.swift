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
      for (axis, size) in stated.enumerated() where size.varies {
        do throws(ShapeError) { try size.check() } catch {
          throw ImportError(
            .unknownSize, "the sizes of input \"\(name)\" are out of range", path: path,
            received: Self.text(stated), needs: error.needs)
        }
        guard let sizes = size.progression else { continue }
        guard axis > 0 || stated.count == 1 || (!batchIsFirst && stated.count < 4) else {
          throw ImportError(
            .unknownSize, "the batch of input \"\(name)\" has no length", path: path,
            received: Self.text(stated), needs: "a batch of one size, such as 1",
            remedy: "predict batches with Forge's own batch")
        }
        if let first, first.sizes.count != sizes.count {
          throw ImportError(
            .unknownSize, "the inputs differ in the number of their lengths", path: path,
            received: "\(first.sizes.count) in \"\(first.name)\" (\(first.sizes.text)), "
              + "\(sizes.count) in \"\(name)\" (\(sizes.text))",
            needs: "one number, as each length of an input belongs to one of every other")
        }
        first = first ?? (name, sizes)
      }
    }
  }

  /// Checks that no size is the length of a sequence, for formats that state all sizes.
  ///
  /// - Throws: ``ImportError`` of kind `unsupported`.
  func refuseLengths(path: String?) throws(ImportError) {
    for (name, stated) in sizes.sorted(by: { $0.key < $1.key })
    where stated.contains(where: \.varies) {
      throw ImportError(
        .unsupported, "the input \"\(name)\" takes no sequences of changing length", path: path,
        received: Self.text(stated),
        needs: "fixed sizes: files of this format hold the sizes of "
          + "every layer", remedy: "state a number in place of .upTo")
    }
  }

  /// How to state sizes that a file leaves open, with an example.
  ///
  /// One open size besides the batch may be the length of a sequence.
  ///
  /// - Parameters:
  ///   - name: the input.
  ///   - sizes: its sizes, `nil` for those that are open; `nil` if the file states none.
  /// - Returns: the remedy of an error.
  static func remedy(forOpenSizesOf name: String, _ sizes: [Int?]?) -> String {
    let state = "state them in ImportOptions.sizes, as [\"\(name)\": "
    guard let sizes, !sizes.isEmpty else {
      return state + "[1, 3, 224, 224]], or [1, .upTo(512)] for sequences of up to 512"
    }
    let open = sizes.indices.filter { sizes[$0] == nil }
    let example = sizes.map { InputSize.exactly($0 ?? (sizes.count > 3 ? 224 : 128)) }
    guard open.count == 1, open[0] > 0 || sizes.count == 1 else {
      return state + text(example) + "]"
    }
    var sequence = example
    sequence[open[0]] = .upTo(512)
    return state + text(example) + "], or \(text(sequence)) for sequences of up to 512"
  }

  /// Sizes as they are written in source.
  static func text(_ sizes: [InputSize]) -> String {
    "[" + sizes.map(\.sourceText).joined(separator: ", ") + "]"
  }
}
