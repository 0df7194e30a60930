/// `WordPiece`: the longest token that a word begins with, then the longest one that continues it.
///
/// Source: the tokenizer of BERT.
struct WordPieceModel: TokenModel {
  let table: TokenTable
  private let trie: ByteTrie
  /// Where tokens that continue a word begin in the tree; 0 for a prefix that no token has.
  private let continuation: Int?
  private let unknown: Int32?
  private let maximumLength: Int
  let remembersWords = false

  /// Creates a model.
  init(_ table: TokenTable, unknown: String, prefix: String, maximumLength: Int) {
    self.table = table
    let tokens = (0..<table.count).map { (bytes: table.token($0), value: table.ids[$0]) }
    let trie = ByteTrie(tokens.filter { !$0.bytes.isEmpty })
    self.trie = trie
    continuation = trie.withReader { $0.node(prefix.utf8) }
    self.unknown = table.id(of: unknown)
    self.maximumLength = maximumLength
  }

  func tokenize(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, into tokens: inout [RawToken],
    _ scratch: inout ModelScratch
  ) throws(TokenizerError) {
    let before = tokens.count
    if range.count > maximumLength {
      let count = UTF8Bytes.scalarCount(UnsafeBufferPointer(rebasing: bytes[range]))
      guard count <= maximumLength else { return try addUnknown(bytes, range, &tokens) }
    }
    var budget = StepBudget(range.count)
    let isWhole = trie.withReader { trie in
      var start = range.lowerBound
      var root: Int? = 0
      while start < range.upperBound {
        guard var node = root else { return false }
        var (end, id) = (start, Int32(-1))
        var position = start
        while position < range.upperBound {
          node = trie.child(of: node, bytes[position])
          if node == 0 { break }
          position += 1
          if trie.value(node) >= 0 { (end, id) = (position, trie.value(node)) }
        }
        budget.spend(position - start)
        guard end > start, !budget.isSpent else { return false }
        tokens.append(RawToken(id, start, end))
        start = end
        root = continuation
      }
      return true
    }
    try budget.check("the vocabulary")
    if !isWhole {
      tokens.removeLast(tokens.count - before)
      try addUnknown(bytes, range, &tokens)
    }
  }

  private func addUnknown(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ tokens: inout [RawToken]
  ) throws(TokenizerError) {
    guard let unknown else { throw .noUnknownToken(String(decoding: bytes[range], as: UTF8.self)) }
    tokens.append(RawToken(unknown, range.lowerBound, range.upperBound))
  }
}

/// `WordLevel`: each word is a token, or unknown.
struct WordLevelModel: TokenModel {
  let table: TokenTable
  private let unknown: Int32?
  let remembersWords = false

  /// Creates a model.
  init(_ table: TokenTable, unknown: String) {
    self.table = table
    self.unknown = table.id(of: unknown)
  }

  func tokenize(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, into tokens: inout [RawToken],
    _ scratch: inout ModelScratch
  ) throws(TokenizerError) {
    let index = table.index(of: bytes, range.lowerBound, range.upperBound)
    guard let id = index.map({ table.ids[$0] }) ?? unknown else {
      throw .noUnknownToken(String(decoding: bytes[range], as: UTF8.self))
    }
    tokens.append(RawToken(id, range.lowerBound, range.upperBound))
  }
}
