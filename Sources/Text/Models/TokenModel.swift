/// One token of a text, before it becomes part of a ``TokenizedText``.
struct RawToken {
  var id: Int32
  /// The bytes of the piece text that it covers.
  var lower: Int32
  var upper: Int32
  /// The number of its piece.
  var word: Int32
  /// Whether its text is that of the piece, not that of the vocabulary.
  var isTextual: Bool

  @inline(__always)
  init(_ id: Int32, _ lower: Int, _ upper: Int, word: Int32 = 0, isTextual: Bool = false) {
    (self.id, self.lower, self.upper) = (id, Int32(lower), Int32(upper))
    (self.word, self.isTextual) = (word, isTextual)
  }
}

/// What makes tokens of a word.
protocol TokenModel: Sendable {
  /// The vocabulary.
  var table: TokenTable { get }

  /// Whether a word that was seen is worth remembering.
  var remembersWords: Bool { get }

  /// Appends the tokens of a word, which is not empty.
  ///
  /// - Throws: ``TokenizerError`` of kind `unknownToken`.
  func tokenize(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, into tokens: inout [RawToken],
    _ scratch: inout ModelScratch
  ) throws(TokenizerError)
}

/// Memory that models use again and again.
struct ModelScratch {
  /// The symbols of a word for BPE.
  var symbols: [BPESymbol] = []
  /// Merges that may be next.
  var queue: [BPEMerge] = []
  /// The best ways through a word for Unigram.
  var path: [UnigramStep] = []
  /// Bytes of a word.
  var bytes: [UInt8] = []
}
