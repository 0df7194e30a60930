/// `ByteLevel`: splits as GPT-2 does, and spells bytes with the characters that stand for them.
struct ByteLevelPreTokenizer: PreTokenizer {
  /// Whether a text that does not begin with a space gets one.
  let addsSpace: Bool
  /// Whether the text is split as GPT-2 does.
  let splits: Bool
  /// Whether the bytes stay as they are, because the model reads them so.
  let keepsBytes: Bool

  func split(_ text: inout PieceText) throws(TokenizerError) {
    if addsSpace, text.pieces.contains(where: { needsSpace($0, text.text) }) {
      try text.rewrite { part throws(TokenizerError) in
        if part.bytes.first != 0x20 { try part.prepend([0x20]) }
      }
    }
    if splits {
      try text.split { bytes, range, emit throws(TokenizerError) in
        Self.split(bytes, range, emit)
      }
    }
    if keepsBytes {
      text.hasRawBytes = true
    } else {
      try text.rewrite { part throws(TokenizerError) in ByteLevelNormalizer.spell(&part) }
    }
  }

  private func needsSpace(_ piece: Piece, _ text: AlignedText) -> Bool {
    piece.token < 0 && text.bytes[Int(piece.lower)] != 0x20
  }

  // MARK: The pattern of GPT-2

  // 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+

  private enum Kind: UInt8 { case letter, number, space, other }

  private static let letters = PatternSets.property("L") ?? ScalarSet()
  private static let numbers = PatternSets.property("N") ?? ScalarSet()
  private static let ascii: [Kind] = (0..<128).map { slowKind($0) }

  private static func slowKind(_ scalar: UInt32) -> Kind {
    letters.contains(scalar)
      ? .letter
      : numbers.contains(scalar)
        ? .number : PatternSets.spaces.contains(scalar) ? .space : .other
  }

  /// Emits the words of a part of a text.
  static func split(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ emit: (Int, Int) -> Void
  ) {
    let end = range.upperBound
    let ascii = Self.ascii
    func kind(_ position: Int) -> (Kind, Int) {
      let byte = bytes[position]
      if byte < 0x80 { return (ascii[Int(byte)], 1) }
      let (scalar, width) = UTF8Bytes.scalar(bytes, position)
      return (slowKind(scalar), width)
    }
    var position = range.lowerBound
    while position < end {
      let start = position
      if bytes[position] == 0x27, let length = contraction(bytes, position, end) {
        position += length
        emit(start, position)
        continue
      }
      var (first, width) = kind(position)
      if bytes[position] == 0x20, position + 1 < end {
        let (next, nextWidth) = kind(position + 1)
        if next != .space {
          first = next
          width = 1 + nextWidth
        }
      }
      position += width
      if first != .space {
        while position < end {
          let (next, width) = kind(position)
          guard next == first else { break }
          position += width
        }
        emit(start, position)
        continue
      }
      // A run of white space leaves its last character to the word after it.
      var last = start
      while position < end {
        let (next, width) = kind(position)
        guard next == .space else { break }
        last = position
        position += width
      }
      if position < end, last > start { position = last }
      emit(start, position)
    }
  }

  /// The length of a contraction such as 's, at an apostrophe.
  private static func contraction(
    _ bytes: UnsafeBufferPointer<UInt8>, _ position: Int, _ end: Int
  ) -> Int? {
    guard position + 1 < end else { return nil }
    let first = bytes[position + 1]
    switch first {
    case UInt8(ascii: "s"), UInt8(ascii: "t"), UInt8(ascii: "m"), UInt8(ascii: "d"): return 2
    default: break
    }
    guard position + 2 < end else { return nil }
    let second = bytes[position + 2]
    let isPair =
      (first == UInt8(ascii: "r") || first == UInt8(ascii: "v")) && second == UInt8(ascii: "e")
      || (first == UInt8(ascii: "l") && second == UInt8(ascii: "l"))
    return isPair ? 3 : nil
  }
}
