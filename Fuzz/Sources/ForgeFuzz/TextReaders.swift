import ForgeText

// Tokenizers: the file, and for one that is accepted texts in both directions.

/// Small limits, so that a run spends its time on the forms of files.
private let limits = TokenizerLimits(
  fileBytes: 1 << 18, tokens: 1 << 14, parts: 32, patternSize: 512, patternSteps: 1 << 14,
  textBytes: 1 << 16)

/// `tokenizer.json`.
@_cdecl("forge_fuzz_tokenizer")
public func fuzzTokenizer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  return attempt(TokenizerError.self) { try use(try Tokenizer(json: bytes, limits: limits)) }
}

/// Models of SentencePiece.
@_cdecl("forge_fuzz_sentencepiece")
public func fuzzSentencePiece(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  return attempt(TokenizerError.self) {
    try use(try Tokenizer(sentencePiece: bytes, limits: limits))
  }
}

/// Encodes and decodes; offsets must lie within the text.
private func use(_ tokenizer: Tokenizer) throws {
  let texts = ["", "The  Größe 漢字 don't\r\n123 <mask> [CLS]x", "a\u{301}\u{323} 👨‍👩‍👧 \u{0} ▁▁ 1/2"]
  for text in texts {
    for second in [nil, "pair 42"] {
      do {
        let encoding =
          try second.map { try tokenizer.encode(text, $0) } ?? tokenizer.encode(text)
        check(encoding, text.utf8.count, text.unicodeScalars.count, hasPair: second != nil)
        guard encoding.count < 4096 else { continue }
        touch(try tokenizer.decode(encoding.ids))
        var stream = tokenizer.decodeStream()
        for id in encoding.ids.prefix(32) { touch(try stream.append(id) ?? "") }
        touch(stream.finish())
      } catch let error as TokenizerError {
        // A model without an unknown token, or a rule that cannot be kept, is not a finding.
        guard !error.description.isEmpty else { fatalError("an error without words") }
      }
    }
  }
}

private func check(_ encoding: TokenizedText, _ bytes: Int, _ scalars: Int, hasPair: Bool) {
  let count = encoding.count
  guard encoding.tokens.count == count, encoding.typeIDs.count == count,
    encoding.wordIDs.count == count, encoding.sequenceIDs.count == count,
    encoding.byteOffsets.count == count, encoding.scalarOffsets.count == count,
    encoding.attentionMask.count == count, encoding.specialTokensMask.count == count
  else { fatalError("arrays of different lengths") }
  for token in encoding.tokens { touch(token) }
  guard !hasPair else { return }
  for (byte, scalar) in zip(encoding.byteOffsets, encoding.scalarOffsets) {
    // Tokens that stand for more bytes than the word has keep the places that they claim.
    guard byte.lower >= 0, scalar.lower >= 0, scalar.lower <= max(bytes, scalars) else {
      fatalError("\(byte) and \(scalar) in a text of \(bytes) bytes")
    }
  }
}

private func touch(_ text: String) {
  var text = text
  text.withUTF8 { touch(UnsafeRawBufferPointer($0)) }
}
