/// The best way to a place in a word.
struct UnigramStep {
  var score: Double
  var start: Int32
  var id: Int32
}

/// `Unigram`: the tokens of the highest sum of scores.
///
/// Source: Kudo, "Subword Regularization"; scores and ties are those of Hugging Face's library.
struct UnigramModel: TokenModel {
  let table: TokenTable
  let remembersWords = true
  private let trie: ByteTrie
  private let scores: [Double]
  private let unknown: Int32?
  private let unknownScore: Double
  private let byteIds: [Int32?]
  private let usesBytes: Bool

  /// Creates a model; the id of a token is its place, of equal tokens the last one's.
  init(_ table: TokenTable, scores: [Double], unknown: Int?, usesBytes: Bool) {
    self.table = table
    self.scores = scores
    self.unknown = unknown.map { Int32($0) }
    self.usesBytes = usesBytes
    let tokens = (0..<table.count).map { (bytes: table.token($0), value: table.ids[$0]) }
    trie = ByteTrie(tokens.filter { !$0.bytes.isEmpty })
    unknownScore = (scores.min() ?? .infinity) - 10
    let digits = Array("0123456789ABCDEF")
    byteIds = (0..<256).map { table.id(of: "<0x\(digits[$0 >> 4])\(digits[$0 & 15])>") }
  }

  func tokenize(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, into tokens: inout [RawToken],
    _ scratch: inout ModelScratch
  ) throws(TokenizerError) {
    let count = range.count
    scratch.path.removeAll(keepingCapacity: true)
    scratch.path.append(
      contentsOf: repeatElement(UnigramStep(score: 0, start: -1, id: 0), count: count + 1))
    var budget = StepBudget(count)
    let isKnown = scratch.path.withUnsafeMutableBufferPointer { path in
      walk(UnsafeBufferPointer(rebasing: bytes[range]), path, &budget)
    }
    try budget.check("the vocabulary")
    guard isKnown else { throw .noUnknownToken(String(decoding: bytes[range], as: UTF8.self)) }
    let first = tokens.count
    var end = count
    // Neighboring unknown characters are one token.
    var unknownEnd = -1
    while end > 0 {
      let step = scratch.path[end]
      let start = Int(step.start)
      if step.id == unknown {
        if unknownEnd < 0 { unknownEnd = end }
      } else {
        if unknownEnd >= 0 {
          try add(bytes, range.lowerBound + end, range.lowerBound + unknownEnd, &tokens)
          unknownEnd = -1
        }
        tokens.append(
          RawToken(step.id, range.lowerBound + start, range.lowerBound + end))
      }
      end = start
    }
    if unknownEnd >= 0 {
      try add(bytes, range.lowerBound, range.lowerBound + unknownEnd, &tokens)
    }
    tokens[first...].reverse()
  }

  /// Finds the best way to each place; false if an unknown character has no token.
  private func walk(
    _ text: UnsafeBufferPointer<UInt8>, _ path: UnsafeMutableBufferPointer<UnigramStep>,
    _ budget: inout StepBudget
  ) -> Bool {
    let scores = scores
    let unknown = unknown
    return trie.withReader { trie in
      scores.withUnsafeBufferPointer { scores in
        var start = 0
        while start < text.count {
          let here = path[start].score
          let width = UTF8Bytes.width(text[start])
          var (node, position, hasSingle) = (0, start, false)
          while position < text.count {
            node = trie.child(of: node, text[position])
            if node == 0 { break }
            position += 1
            let id = trie.value(node)
            guard id >= 0 else { continue }
            let score = scores[Int(id)] + here
            if path[position].start < 0 || score > path[position].score {
              path[position] = UnigramStep(score: score, start: Int32(start), id: id)
            }
            if position - start == width { hasSingle = true }
          }
          budget.spend(position - start)
          guard !budget.isSpent else { return false }
          if !hasSingle {
            let score = unknownScore + here
            if path[start + width].start < 0 || score > path[start + width].score {
              guard let unknown else { return false }
              path[start + width] = UnigramStep(score: score, start: Int32(start), id: unknown)
            }
          }
          start += width
        }
        return true
      }
    }
  }

  /// Adds the tokens of unknown characters, the last one first.
  private func add(
    _ bytes: UnsafeBufferPointer<UInt8>, _ lower: Int, _ upper: Int, _ tokens: inout [RawToken]
  ) throws(TokenizerError) {
    if let index = table.index(of: bytes, lower, upper) {
      tokens.append(RawToken(table.ids[index], lower, upper))
      return
    }
    if usesBytes {
      let ids = bytes[lower..<upper].compactMap { byteIds[Int($0)] }
      if ids.count == upper - lower {
        for id in ids.reversed() { tokens.append(RawToken(id, lower, upper)) }
        return
      }
    }
    guard let unknown else {
      throw .noUnknownToken(String(decoding: bytes[lower..<upper], as: UTF8.self))
    }
    tokens.append(RawToken(unknown, lower, upper, isTextual: true))
  }
}
