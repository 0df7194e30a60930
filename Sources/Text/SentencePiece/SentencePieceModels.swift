/// What makes pieces of a normalized text.
protocol SentencePieceModel: Sendable {
  /// Appends the pieces of a text; an id below 0 is unknown.
  func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, into tokens: inout [RawToken],
    _ scratch: inout ModelScratch) throws(TokenizerError)
}

/// Unigram in 32 bits, with the symbols of the user before all else.
struct SentencePieceUnigram: SentencePieceModel {
  private let trie: ByteTrie
  private let scores: [Float]
  private let isUser: [Bool]
  private let unknown: Int32
  private let unknownScore: Float
  /// Sums beyond this begin again at 0.
  private static let largestSum: Float = 100_000

  init(_ file: SentencePieceFile) {
    scores = file.scores
    isUser = file.kinds.map { $0 == .userDefined }
    unknown = file.kinds.firstIndex(of: .unknown).map { Int32($0) } ?? -1
    let known = file.kinds.indices.filter {
      file.kinds[$0] == .normal || file.kinds[$0] == .userDefined
    }
    let normal = file.kinds.indices.filter { file.kinds[$0] == .normal }
    unknownScore = (normal.map { file.scores[$0] }.min() ?? .greatestFiniteMagnitude) - 10
    trie = ByteTrie(known.map { (file.table.token($0), Int32($0)) })
  }

  func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, into tokens: inout [RawToken],
    _ scratch: inout ModelScratch
  ) throws(TokenizerError) {
    guard !text.isEmpty else { return }
    var path = [(score: Float, start: Int32, id: Int32)](
      repeating: (0, -1, -1), count: text.count + 1)
    var budget = StepBudget(text.count)
    path.withUnsafeMutableBufferPointer { walk(text, $0, &budget) }
    try budget.check("the vocabulary")
    let first = tokens.count
    var end = text.count
    while end > 0 {
      let step = path[end]
      tokens.append(RawToken(step.id, Int(step.start), end))
      end = Int(step.start)
    }
    tokens[first...].reverse()
  }

  private func walk(
    _ text: UnsafeBufferPointer<UInt8>,
    _ path: UnsafeMutableBufferPointer<(score: Float, start: Int32, id: Int32)>,
    _ budget: inout StepBudget
  ) {
    trie.withReader { trie in
      var (start, frontier) = (0, 0)
      while start < text.count {
        var here = path[start].score
        if abs(here) > Self.largestSum {
          for index in start...max(start, frontier) where index == start || path[index].start >= 0 {
            path[index].score -= here
          }
          here = 0
        }
        let width = min(UTF8Bytes.width(text[start]), text.count - start)
        var (node, position, hasSingle) = (0, start, false)
        while position < text.count {
          node = trie.child(of: node, text[position])
          if node == 0 { break }
          position += 1
          let id = trie.value(node)
          guard id >= 0 else { continue }
          frontier = max(frontier, position)
          let pieceScore =
            isUser[Int(id)] ? Float(0.1 * Double(position - start - 1)) : scores[Int(id)]
          let score = pieceScore + here
          if path[position].start < 0 || score > path[position].score {
            path[position] = (score, Int32(start), id)
          }
          if position - start == width { hasSingle = true }
        }
        budget.spend(position - start)
        guard !budget.isSpent else { return }
        if !hasSingle {
          frontier = max(frontier, start + width)
          let score = unknownScore + here
          if path[start + width].start < 0 || score > path[start + width].score {
            path[start + width] = (score, Int32(start), unknown)
          }
        }
        start += width
      }
    }
  }
}

/// BPE by the scores of pieces: the neighbors whose piece has the highest score merge first.
struct SentencePieceBPE: SentencePieceModel {
  private struct Symbol {
    var lower: Int32
    var upper: Int32
    var previous: Int32
    var next: Int32
    var isFrozen: Bool
  }

  private struct Pair {
    var score: Float
    var left: Int32
    var right: Int32
    var length: Int32

    /// Whether the pair comes before another one: by score, then by place.
    @inline(__always)
    func isBefore(_ other: Pair) -> Bool {
      score != other.score ? score > other.score : left < other.left
    }
  }

  private let table: TokenTable
  private let kinds: [SentencePieceFile.Kind]
  private let scores: [Float]
  private let symbols: ByteTrie?
  private let unknown: Int32

  init(_ file: SentencePieceFile, symbols: ByteTrie?) {
    (table, kinds, scores, self.symbols) = (file.table, file.kinds, file.scores, symbols)
    unknown = file.kinds.firstIndex(of: .unknown).map { Int32($0) } ?? -1
  }

  /// The piece that is a range of the text, if it may be made.
  @inline(__always)
  private func piece(_ text: UnsafeBufferPointer<UInt8>, _ lower: Int32, _ upper: Int32) -> Int? {
    guard let index = table.index(of: text, Int(lower), Int(upper)) else { return nil }
    switch kinds[index] {
    case .normal, .userDefined, .unused: return index
    case .unknown, .control, .byte: return nil
    }
  }

  func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, into tokens: inout [RawToken],
    _ scratch: inout ModelScratch
  ) throws(TokenizerError) {
    var list = split(text)
    var agenda = Agenda()
    // How a piece that is not used was made, to take it apart again.
    var origins: [Range<Int32>: Int32] = [:]
    func propose(_ left: Int32, _ right: Int32) {
      guard left >= 0, right >= 0 else { return }
      let (a, b) = (list[Int(left)], list[Int(right)])
      guard !a.isFrozen, !b.isFrozen, let piece = piece(text, a.lower, b.upper) else { return }
      agenda.push(
        Pair(score: scores[piece], left: left, right: right, length: b.upper - a.lower))
      if kinds[piece] == .unused { origins[a.lower..<b.upper] = a.upper }
    }
    for index in list.indices.dropFirst() { propose(Int32(index) - 1, Int32(index)) }
    while let top = agenda.pop() {
      let (left, right) = (list[Int(top.left)], list[Int(top.right)])
      guard left.lower < left.upper, right.lower < right.upper,
        left.upper - left.lower + right.upper - right.lower == top.length
      else { continue }
      list[Int(top.left)].upper = right.upper
      list[Int(top.left)].next = right.next
      if right.next >= 0 { list[Int(right.next)].previous = top.left }
      list[Int(top.right)].lower = right.upper
      propose(left.previous, top.left)
      propose(top.left, right.next)
    }
    var index = list.isEmpty ? -1 : 0
    while index >= 0 {
      emit(text, list[index].lower..<list[index].upper, origins, into: &tokens)
      index = Int(list[index].next)
    }
  }

  private func split(_ text: UnsafeBufferPointer<UInt8>) -> [Symbol] {
    var list: [Symbol] = []
    list.reserveCapacity(text.count)
    var position = 0
    while position < text.count {
      let symbolLength = SentencePieceText.symbol(symbols, text, position)
      let length = symbolLength ?? min(UTF8Bytes.width(text[position]), text.count - position)
      let index = Int32(list.count)
      list.append(
        Symbol(
          lower: Int32(position), upper: Int32(position + length), previous: index - 1,
          next: position + length < text.count ? index + 1 : -1, isFrozen: symbolLength != nil))
      position += length
    }
    return list
  }

  /// Appends a piece; one that is not used is taken apart, with a stack instead of recursion.
  private func emit(
    _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int32>,
    _ origins: [Range<Int32>: Int32], into tokens: inout [RawToken]
  ) {
    var stack = [range]
    while let part = stack.popLast() {
      let index = table.index(of: text, Int(part.lowerBound), Int(part.upperBound))
      var id = unknown
      if let index, kinds[index] == .normal || kinds[index] == .userDefined { id = Int32(index) }
      if let index, kinds[index] == .unused, let middle = origins[part] {
        stack.append(middle..<part.upperBound)
        stack.append(part.lowerBound..<middle)
        continue
      }
      tokens.append(RawToken(id, Int(part.lowerBound), Int(part.upperBound)))
    }
  }

  /// A heap of pairs.
  private struct Agenda {
    private var storage: [Pair] = []

    mutating func push(_ pair: Pair) {
      storage.append(pair)
      var child = storage.count - 1
      while child > 0 {
        let parent = (child - 1) / 2
        guard storage[child].isBefore(storage[parent]) else { break }
        storage.swapAt(child, parent)
        child = parent
      }
    }

    mutating func pop() -> Pair? {
      guard let top = storage.first, let last = storage.popLast() else { return nil }
      guard !storage.isEmpty else { return top }
      storage[0] = last
      var parent = 0
      while true {
        var child = 2 * parent + 1
        guard child < storage.count else { break }
        if child + 1 < storage.count, storage[child + 1].isBefore(storage[child]) { child += 1 }
        guard storage[child].isBefore(storage[parent]) else { break }
        storage.swapAt(child, parent)
        parent = child
      }
      return top
    }
  }
}
