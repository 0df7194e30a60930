/// A token that is looked for in the text before the model sees it.
public struct AddedToken: Sendable, Hashable {
  /// The text of the token.
  public let content: String
  /// Its id.
  public let id: Int32
  /// Whether it matches only as a whole word.
  public let isSingleWord: Bool
  /// Whether it takes the white space before it.
  public let stripsLeft: Bool
  /// Whether it takes the white space after it.
  public let stripsRight: Bool
  /// Whether it is looked for in the normalized text.
  public let isNormalized: Bool
  /// Whether decoding can leave it out.
  public let isSpecial: Bool
}

/// Added tokens that are looked for in one text, all at once: the leftmost, longest ones.
struct AddedTokenFinder: Sendable {
  private let trie: ByteTrie
  private let tokens: [AddedToken]
  /// Whether a token begins with a byte.
  private let first: [Bool]

  /// Looks for tokens by the texts that stand for them.
  init?(_ entries: [(bytes: [UInt8], token: AddedToken)]) {
    let entries = entries.filter { !$0.bytes.isEmpty }
    guard !entries.isEmpty else { return nil }
    tokens = entries.map(\.token)
    trie = ByteTrie(entries.enumerated().map { ($0.element.bytes[...], Int32($0.offset)) })
    var first = [Bool](repeating: false, count: 256)
    for entry in entries { first[Int(entry.bytes[0])] = true }
    self.first = first
  }

  /// Splits the pieces of a text at the tokens.
  ///
  /// - Throws: ``TokenizerError`` of kind `tooManySteps`.
  func split(_ text: inout PieceText) throws(TokenizerError) {
    var result: [Piece] = []
    var isSame = true
    var budget = StepBudget(text.text.count)
    text.text.bytes.withUnsafeBufferPointer { bytes in
      for piece in text.pieces {
        guard piece.token < 0 else {
          result.append(piece)
          continue
        }
        if split(bytes, piece.range, &budget, into: &result) { isSame = false }
      }
    }
    try budget.check("the added tokens")
    if !isSame { text.pieces = result }
  }

  /// Appends the parts of a piece; false if there is no token in it.
  private func split(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ budget: inout StepBudget,
    into result: inout [Piece]
  ) -> Bool {
    var position = range.lowerBound
    var last = range.lowerBound
    var hasToken = false
    while position < range.upperBound, !budget.isSpent {
      guard first[Int(bytes[position])],
        let (end, index) = match(bytes, position, range.upperBound, &budget)
      else {
        position += 1
        continue
      }
      let token = tokens[index]
      var (lower, upper) = (position, end)
      position = end
      if token.isSingleWord, isBesideWord(bytes, lower, upper, range) { continue }
      if token.stripsLeft {
        while lower > range.lowerBound {
          let before = UTF8Bytes.before(bytes, lower)
          guard ScalarSet.whitespace.contains(UTF8Bytes.scalar(bytes, before).value) else { break }
          lower = before
        }
        lower = max(lower, last)
      }
      if token.stripsRight {
        while upper < range.upperBound {
          let (scalar, width) = UTF8Bytes.scalar(bytes, upper)
          guard ScalarSet.whitespace.contains(scalar) else { break }
          upper += width
        }
      }
      if last < lower { result.append(Piece(last, lower)) }
      if lower < upper { result.append(Piece(lower, upper, token: token.id)) }
      last = upper
      hasToken = true
    }
    if last < range.upperBound { result.append(Piece(last, range.upperBound)) }
    return hasToken
  }

  private func match(
    _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int, _ budget: inout StepBudget
  ) -> (end: Int, index: Int)? {
    trie.withReader { trie in
      var (node, position) = (0, start)
      var found: (Int, Int)?
      while position < end {
        node = trie.child(of: node, bytes[position])
        if node == 0 { break }
        position += 1
        if trie.value(node) >= 0 { found = (position, Int(trie.value(node))) }
      }
      budget.spend(position - start)
      return found
    }
  }

  private func isBesideWord(
    _ bytes: UnsafeBufferPointer<UInt8>, _ lower: Int, _ upper: Int, _ range: Range<Int>
  ) -> Bool {
    let words = ScalarSet.words
    if lower > range.lowerBound {
      let before = UTF8Bytes.before(bytes, lower)
      if words.contains(UTF8Bytes.scalar(bytes, before).value) { return true }
    }
    return upper < range.upperBound && words.contains(UTF8Bytes.scalar(bytes, upper).value)
  }
}

/// The added tokens of a tokenizer.
struct AddedTokens: Sendable {
  /// The tokens by id.
  private(set) var byID: [Int32: AddedToken] = [:]
  /// The texts of tokens after normalization, where it changes them.
  private var normalized: [Int32: [UInt8]] = [:]
  private var ids = TokenTable()
  private var special = TokenTable()
  private(set) var plainFinder: AddedTokenFinder?
  private(set) var normalizedFinder: AddedTokenFinder?

  /// No tokens.
  init() {}

  /// Adds tokens as Hugging Face's library does: a text of the vocabulary keeps its id, any other
  /// one gets the next free id, whatever the file says.
  ///
  /// - Throws: ``TokenizerError``.
  init(
    _ tokens: [AddedToken], model: TokenTable, normalizer: (any Normalizer)?
  ) throws(TokenizerError) {
    var next = Int(model.count)
    var size = 0
    for token in tokens where !token.content.isEmpty {
      let bytes = Array(token.content.utf8)
      var id = ids.id(of: bytes) ?? model.id(of: bytes)
      if id == nil {
        guard next < Int32.max else { throw TokenizerError(.tooLarge, "ids are too large") }
        id = Int32(next)
        next += 1
      }
      guard let id else { continue }
      if token.isNormalized, let normalizer {
        var text = AlignedText(bytes)
        try normalizer.normalize(&text)
        if text.bytes != bytes { normalized[id] = text.bytes }
        size += text.count
        guard size <= AlignedText.maximumCount else {
          throw TokenizerError(.tooLarge, "the added tokens are too long")
        }
      }
      try ids.add(bytes, id: id)
      if token.isSpecial { try special.add(bytes, id: id) }
      byID[id] = AddedToken(
        content: token.content, id: id, isSingleWord: token.isSingleWord,
        stripsLeft: token.stripsLeft, stripsRight: token.stripsRight,
        isNormalized: token.isNormalized, isSpecial: token.isSpecial)
    }
    let all = byID.values.sorted { $0.id < $1.id }
    plainFinder = AddedTokenFinder(
      all.filter { !$0.isNormalized }.map { (Array($0.content.utf8), $0) })
    normalizedFinder = AddedTokenFinder(
      all.filter(\.isNormalized).map { (normalized[$0.id] ?? Array($0.content.utf8), $0) })
  }

  /// The id of a token.
  func id(of token: [UInt8]) -> Int32? { ids.id(of: token) }

  /// The text that decoding sees for an id.
  func text(of id: Int32) -> String? {
    guard let token = byID[id] else { return nil }
    return normalized[id].map { String(decoding: $0, as: UTF8.self) } ?? token.content
  }

  /// Whether a text is that of a special token.
  func isSpecial(_ text: String) -> Bool {
    special.count > 0 && special.index(of: Array(text.utf8)) != nil
  }
}
