/// A part of a text that is tokenized on its own: a word, or an added token.
struct Piece {
  var lower: Int32
  var upper: Int32
  /// The id of an added token, or −1.
  var token: Int32

  @inline(__always)
  init(_ lower: Int, _ upper: Int, token: Int32 = -1) {
    (self.lower, self.upper, self.token) = (Int32(lower), Int32(upper), token)
  }

  var range: Range<Int> { Int(lower)..<Int(upper) }
}

/// A text and the pieces that it falls into.
struct PieceText {
  var text: AlignedText
  var pieces: [Piece]
  /// Whether the model reads bytes where its vocabulary has the characters that stand for them.
  var hasRawBytes = false

  init(_ bytes: [UInt8]) {
    text = AlignedText(bytes)
    pieces = bytes.isEmpty ? [] : [Piece(0, bytes.count)]
  }

  /// Emits the bounds of pieces within a range of bytes.
  typealias Splitter = (
    UnsafeBufferPointer<UInt8>, Range<Int>, (Int, Int) -> Void
  ) throws(TokenizerError) -> Void

  /// Replaces each piece that is not a token by pieces within it; empty ones are dropped.
  mutating func split(
    _ body: Splitter
  ) throws(TokenizerError) {
    var result: [Piece] = []
    result.reserveCapacity(max(pieces.count, text.count / 4))
    var failure: TokenizerError?
    text.bytes.withUnsafeBufferPointer { bytes in
      for piece in pieces {
        guard piece.token < 0 else {
          result.append(piece)
          continue
        }
        do throws(TokenizerError) {
          try body(bytes, piece.range) { lower, upper in
            if lower < upper { result.append(Piece(lower, upper)) }
          }
        } catch {
          failure = error
          return
        }
      }
    }
    if let failure { throw failure }
    pieces = result
  }

  /// Replaces the text of each piece that is not a token.
  mutating func rewrite(
    _ body: (inout AlignedText) throws(TokenizerError) -> Void
  ) throws(TokenizerError) {
    if pieces.count == 1, pieces[0].token < 0, pieces[0].range == 0..<text.count {
      try body(&text)
      try AlignedText.check(count: text.count)
      pieces = text.count == 0 ? [] : [Piece(0, text.count)]
      return
    }
    var result = AlignedText(capacity: text.count + text.count / 8)
    var list: [Piece] = []
    for piece in pieces {
      let start = result.count
      if piece.token < 0 {
        var part = text.slice(piece.range)
        try body(&part)
        try AlignedText.check(count: result.count + part.count)
        result.append(part, 0..<part.count)
      } else {
        result.append(text, piece.range)
      }
      if result.count > start { list.append(Piece(start, result.count, token: piece.token)) }
    }
    text = result
    pieces = list
  }
}
