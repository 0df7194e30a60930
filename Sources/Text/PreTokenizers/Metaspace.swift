/// `Metaspace`: spaces become a visible character, and each word begins with it.
struct MetaspacePreTokenizer: PreTokenizer {
  /// Where the character is put before a text that does not begin with it.
  enum Prepend: String, Sendable { case first, never, always }

  /// The character that stands for a space.
  let replacement: UInt32
  let prepend: Prepend
  /// Whether the text is split before each such character.
  let splits: Bool

  private var spelling: [UInt8] {
    var bytes: [UInt8] = []
    UTF8Bytes.append(replacement, to: &bytes)
    return bytes
  }

  func split(_ text: inout PieceText) throws(TokenizerError) {
    let spelling = spelling
    var result = AlignedText(capacity: text.text.count + text.text.count / 4 + 8)
    var pieces: [Piece] = []
    pieces.reserveCapacity(text.text.count / 4)
    let source = text.text
    for piece in text.pieces {
      let start = result.count
      guard piece.token < 0 else {
        result.append(source, piece.range)
        pieces.append(Piece(start, result.count, token: piece.token))
        continue
      }
      let first = Int(piece.lower)
      let hasSpace =
        source.bytes[first] == 0x20 || source.bytes[piece.range].starts(with: spelling)
      let isPrepended =
        !hasSpace
        && (prepend == .always
          || (prepend == .first && source.original(first, first + 1).lower == 0))
      if isPrepended {
        let width = UTF8Bytes.width(source.bytes[first])
        result.append(spelling, for: source.original(first, first + width))
      }
      replaceSpaces(source, piece.range, spelling, into: &result)
      guard splits else {
        pieces.append(Piece(start, result.count))
        continue
      }
      split(result, start, spelling, into: &pieces)
    }
    text.text = result
    text.pieces = pieces
  }

  private func replaceSpaces(
    _ source: AlignedText, _ range: Range<Int>, _ spelling: [UInt8],
    into result: inout AlignedText
  ) {
    var start = range.lowerBound
    for position in range where source.bytes[position] == 0x20 {
      result.append(source, start..<position)
      result.append(spelling, for: source.original(position, position + 1))
      start = position + 1
    }
    result.append(source, start..<range.upperBound)
  }

  /// A piece begins at each character that stands for a space.
  private func split(
    _ text: AlignedText, _ lower: Int, _ spelling: [UInt8], into pieces: inout [Piece]
  ) {
    text.bytes.withUnsafeBufferPointer { bytes in
      let upper = bytes.count
      var collector = SplitCollector(.mergedWithNext, from: lower)
      var position = lower
      while position < upper {
        let width = UTF8Bytes.width(bytes[position])
        if bytes[position] == spelling[0], width == spelling.count,
          bytes[position..<position + width].elementsEqual(spelling)
        {
          collector.match(position, position + width)
        }
        position += width
      }
      collector.finish(upper) { if $0 < $1 { pieces.append(Piece($0, $1)) } }
    }
  }
}
