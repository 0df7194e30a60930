extension Tokenizer {
  /// The tokens of a text.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - addsTokens: whether tokens such as [CLS] are added.
  /// - Returns: the tokens, cut and filled up as the tokenizer says.
  /// - Throws: ``TokenizerError``: `invalidText` for a text that is too long, `unknownToken`,
  ///   `tooManySteps`, `truncation`.
  public func encode(
    _ text: String, addsTokens: Bool = true
  ) throws(TokenizerError) -> TokenizedText {
    try encode([.text(text)], addsTokens: addsTokens, pads: true)
  }

  /// The tokens of a pair of texts.
  ///
  /// - Parameters:
  ///   - text: the first text.
  ///   - second: the second text.
  ///   - addsTokens: whether tokens such as [SEP] are added.
  /// - Returns: the tokens, cut and filled up as the tokenizer says.
  /// - Throws: ``TokenizerError`` as ``encode(_:addsTokens:)``.
  public func encode(
    _ text: String, _ second: String, addsTokens: Bool = true
  ) throws(TokenizerError) -> TokenizedText {
    try encode([.text(text), .text(second)], addsTokens: addsTokens, pads: true)
  }

  /// The tokens of a text in UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: the text.
  ///   - addsTokens: whether tokens such as [CLS] are added.
  /// - Returns: the tokens, cut and filled up as the tokenizer says.
  /// - Throws: ``TokenizerError`` as ``encode(_:addsTokens:)``; `invalidText` for bytes that are
  ///   not UTF-8.
  public func encode(
    utf8 bytes: [UInt8], addsTokens: Bool = true
  ) throws(TokenizerError) -> TokenizedText {
    guard UTF8Bytes.isValid(bytes) else {
      throw TokenizerError(.invalidText, "the text is not UTF-8")
    }
    return try encode([.bytes(bytes)], addsTokens: addsTokens, pads: true)
  }

  /// The tokens of a text that was split into words before.
  ///
  /// Offsets count within each word, and the words are those of ``Encoding/wordIDs``.
  ///
  /// - Parameters:
  ///   - words: the words.
  ///   - addsTokens: whether tokens such as [CLS] are added.
  /// - Returns: the tokens, cut and filled up as the tokenizer says.
  /// - Throws: ``TokenizerError`` as ``encode(_:addsTokens:)``.
  public func encode(
    words: [String], addsTokens: Bool = true
  ) throws(TokenizerError) -> TokenizedText {
    try encode([.words(words)], addsTokens: addsTokens, pads: true)
  }

  /// One text of an encoding.
  enum Input: Sendable {
    case text(String)
    case bytes([UInt8])
    case words([String])
  }

  /// Encodes one or two texts.
  func encode(
    _ inputs: [Input], addsTokens: Bool, pads: Bool
  ) throws(TokenizerError) -> TokenizedText {
    try core.withWorkspace { workspace throws(TokenizerError) in
      try encode(inputs, addsTokens: addsTokens, pads: pads, workspace)
    }
  }

  func encode(
    _ inputs: [Input], addsTokens: Bool, pads: Bool, _ workspace: Workspace
  ) throws(TokenizerError) -> TokenizedText {
    var first = try encode(inputs[0], sequence: 0, workspace)
    var second = inputs.count > 1 ? try encode(inputs[1], sequence: 1, workspace) : nil
    if let truncation {
      let added =
        addsTokens ? core.postProcessor?.addedCount(isPair: second != nil) ?? 0 : 0
      try truncation.apply(&first, &second, adding: added)
    }
    var result = finish(first, second, addsTokens: addsTokens)
    if pads, let padding {
      var list = [result]
      padding.apply(&list)
      result = list[0]
    }
    return result
  }

  private func finish(
    _ first: TokenizedText, _ second: TokenizedText?, addsTokens: Bool
  ) -> TokenizedText {
    guard let processor = core.postProcessor else {
      guard let second else { return first }
      var result = TokenizedText()
      for (index, encoding) in [first, second].enumerated() {
        var encoding = encoding
        encoding.setSequence(index)
        result.append(encoding)
      }
      return result
    }
    var encodings = second.map { [first, $0] } ?? [first]
    for index in encodings.indices {
      encodings[index].setSequence(index)
      for part in encodings[index].overflowing.indices {
        encodings[index].overflowing[part].setSequence(index)
      }
    }
    encodings = processor.process(encodings, addsTokens: addsTokens)
    guard encodings.count != 1 else { return encodings[0] }
    var result = TokenizedText()
    for encoding in encodings { result.append(encoding) }
    return result
  }

  private func encode(
    _ input: Input, sequence: Int32, _ workspace: Workspace
  ) throws(TokenizerError) -> TokenizedText {
    switch input {
    case .text(let text):
      return try core.encode(Array(text.utf8), type: sequence, word: nil, workspace)
    case .bytes(let bytes):
      return try core.encode(bytes, type: sequence, word: nil, workspace)
    case .words(let words):
      var result = TokenizedText()
      for (index, word) in words.enumerated() {
        result.append(
          try core.encode(Array(word.utf8), type: sequence, word: Int32(index), workspace))
      }
      return result
    }
  }
}

extension TokenizerCore {
  /// The tokens of a text, without any that are added.
  func encode(
    _ bytes: [UInt8], type: Int32, word: Int32?, _ workspace: Workspace
  ) throws(TokenizerError) -> TokenizedText {
    guard bytes.count <= limits.textBytes else { throw tooLong(bytes.count) }
    workspace.tokens.removeAll(keepingCapacity: true)
    if let sentencePiece {
      return try sentencePiece.encode(bytes, self, type: type, word: word, workspace)
    }
    let text = try split(bytes)
    guard text.text.count <= limits.textBytes else { throw tooLong(text.text.count) }
    try tokenize(text, workspace)
    return EncodingBuilder(bytes, self).build(text, workspace.tokens, type: type, word: word)
  }

  private func tooLong(_ count: Int) -> TokenizerError {
    TokenizerError(
      .invalidText, "the text is too long", received: "\(count) bytes",
      needs: "at most \(limits.textBytes)", remedy: "raise textBytes in TokenizerLimits")
  }

  /// The pieces of a text that the model sees one by one.
  func split(_ bytes: [UInt8]) throws(TokenizerError) -> PieceText {
    var text = PieceText(bytes)
    try added.plainFinder?.split(&text)
    if let normalizer {
      try text.rewrite { part throws(TokenizerError) in try normalizer.normalize(&part) }
    }
    try added.normalizedFinder?.split(&text)
    try preTokenizer?.split(&text)
    return text
  }

  private func tokenize(_ text: PieceText, _ workspace: Workspace) throws(TokenizerError) {
    let remembers = model.remembersWords
    var failure: TokenizerError?
    text.text.bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      for (index, piece) in text.pieces.enumerated() {
        let (lower, upper) = (Int(piece.lower), Int(piece.upper))
        let word = Int32(truncatingIfNeeded: index)
        guard piece.token < 0 else {
          workspace.tokens.append(
            RawToken(piece.token, lower, upper, word: word, isTextual: true))
          continue
        }
        let isShort = remembers && upper - lower < WordCache.maximumLength
        let hash = isShort ? TokenTable.hash(start + lower, upper - lower) : 0
        if isShort,
          workspace.cache.append(
            bytes, lower, upper, hash: hash, word: word, to: &workspace.tokens)
        {
          continue
        }
        let before = workspace.tokens.count
        do throws(TokenizerError) {
          try model.tokenize(
            bytes, lower..<upper, into: &workspace.tokens, &workspace.scratch)
        } catch {
          failure = error
          return
        }
        for token in before..<workspace.tokens.count { workspace.tokens[token].word = word }
        if isShort {
          workspace.cache.insert(
            bytes, lower, upper, hash: hash, workspace.tokens[before...])
        }
      }
    }
    if let failure { throw failure }
  }
}

/// Makes an encoding of raw tokens: offsets in the original text, in bytes and in scalars.
struct EncodingBuilder {
  private let core: TokenizerCore
  private let count: Int
  /// For each byte the number of its scalar; empty for ASCII.
  private var scalars: [Int32] = []

  init(_ bytes: [UInt8], _ core: TokenizerCore) {
    self.core = core
    count = bytes.count
    bytes.withUnsafeBufferPointer { bytes in
      guard !UTF8Bytes.isASCII(bytes) else { return }
      scalars.reserveCapacity(bytes.count)
      var scalar: Int32 = -1
      for byte in bytes {
        if !UTF8Bytes.isContinuation(byte) { scalar += 1 }
        scalars.append(scalar)
      }
    }
  }

  /// The encoding.
  func build(_ text: PieceText, _ tokens: [RawToken], type: Int32, word: Int32?) -> TokenizedText {
    var result = TokenizedText()
    let total = tokens.count
    result.ids.reserveCapacity(total)
    result.tokens.reserveCapacity(total)
    result.byteOffsets.reserveCapacity(total)
    result.words.reserveCapacity(total)
    if !scalars.isEmpty { result.scalarOffsets.reserveCapacity(total) }
    for token in tokens {
      result.ids.append(token.id)
      result.words.append(word ?? token.word)
      let (lower, upper) = (Int(token.lower), Int(token.upper))
      if token.isTextual {
        result.tokens.append(String(decoding: text.text.bytes[lower..<upper], as: UTF8.self))
      } else {
        result.tokens.append(core.name(token.id) ?? "")
      }
      let range: TextRange
      if lower < upper, upper <= text.text.count {
        let original = text.text.original(lower, upper)
        range = TextRange(Int(original.lower), Int(original.upper))
      } else {
        range = TextRange(lower, lower)
      }
      result.byteOffsets.append(range)
      if !scalars.isEmpty { result.scalarOffsets.append(inScalars(range)) }
    }
    if scalars.isEmpty { result.scalarOffsets = result.byteOffsets }
    result.typeIDs = [Int32](repeating: type, count: total)
    result.attentionMask = [Int32](repeating: 1, count: total)
    result.specialTokensMask = [Int32](repeating: 0, count: total)
    return result
  }

  /// The number of scalars before a place.
  func scalar(_ position: Int) -> Int {
    guard !scalars.isEmpty else { return position }
    return position < count ? Int(scalars[position]) : Int(scalars[count - 1]) + 1
  }

  /// A range of bytes in scalars.
  @inline(__always)
  func inScalars(_ range: TextRange) -> TextRange {
    guard !scalars.isEmpty, range.lower < count else { return range }
    let lower = Int(scalars[range.lower])
    guard range.upper >= count else { return TextRange(lower, Int(scalars[range.upper])) }
    return TextRange(lower, range.upper > 0 ? Int(scalars[count - 1]) + 1 : lower)
  }
}
