/// A part of a word that BPE has merged so far.
struct BPESymbol {
  var id: Int32
  /// The number of bytes; 0 for one that was merged away.
  var length: Int32
  var previous: Int32
  var next: Int32
  /// The rank of the merge with the next symbol, and its result; −1 for none.
  var rank: Int32
  var result: Int32
}

/// A merge that may be next.
struct BPEMerge {
  var rank: Int32
  var position: Int32
  var result: Int32

  @inline(__always)
  static func < (a: BPEMerge, b: BPEMerge) -> Bool {
    a.rank != b.rank ? a.rank < b.rank : a.position < b.position
  }
}

/// `BPE`: characters that merge pair by pair, the pair of the lowest rank first.
///
/// Source: Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units".
struct BPEModel: TokenModel {
  /// What a model does besides merging.
  struct Options: Sendable {
    var unknown: String?
    var prefix: [UInt8] = []
    var suffix: [UInt8] = []
    var fusesUnknown = false
    var usesBytes = false
    var ignoresMerges = false
  }

  let table: TokenTable
  let remembersWords = true
  private let merges: BPEMergeTable
  private let options: Options
  private let unknown: Int32?
  /// The ids of tokens such as <0x0A>; `nil` for a byte without one.
  private let byteIds: [Int32?]
  /// The ids of bytes where the model reads bytes; −1 for none.
  private let rawIds: [Int32]
  /// The tokens by the bytes that they stand for, where the model reads bytes.
  private let rawTable: TokenTable?
  /// Whether the model reads bytes, not the characters that stand for them.
  let readsBytes: Bool

  /// Creates a model.
  ///
  /// - Throws: ``TokenizerError`` of kind `tooLarge`.
  init(
    _ table: TokenTable, _ merges: BPEMergeTable, _ options: Options, readsBytes: Bool
  ) throws(TokenizerError) {
    (self.table, self.merges, self.options) = (table, merges, options)
    self.readsBytes = readsBytes
    unknown = options.unknown.flatMap { table.id(of: $0) }
    let digits = Array("0123456789ABCDEF")
    byteIds = (0..<256).map { table.id(of: "<0x\(digits[$0 >> 4])\(digits[$0 & 15])>") }
    guard readsBytes else {
      (rawIds, rawTable) = ([], nil)
      return
    }
    rawIds = (0..<256).map { table.id(of: ByteAlphabet.spelling(UInt8($0))) ?? -1 }
    var raw = TokenTable()
    if options.ignoresMerges {
      for index in 0..<table.count {
        let bytes = table.token(index).withUnsafeBufferPointer { ByteAlphabet.bytes($0) }
        if let bytes { try raw.add(bytes, id: table.ids[index]) }
      }
    }
    rawTable = raw
  }

  func tokenize(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, into tokens: inout [RawToken],
    _ scratch: inout ModelScratch
  ) throws(TokenizerError) {
    if options.ignoresMerges {
      let table = rawTable ?? table
      if let index = table.index(of: bytes, range.lowerBound, range.upperBound) {
        tokens.append(RawToken(table.ids[index], range.lowerBound, range.upperBound))
        return
      }
    }
    scratch.symbols.removeAll(keepingCapacity: true)
    if readsBytes {
      try readBytes(bytes, range, &scratch.symbols)
    } else {
      try readScalars(bytes, range, &scratch)
    }
    merge(&scratch)
    var position = range.lowerBound
    for symbol in scratch.symbols where symbol.length != 0 {
      tokens.append(RawToken(symbol.id, position, position + Int(symbol.length)))
      position += Int(symbol.length)
    }
  }

  // MARK: The first symbols

  @inline(__always)
  private static func add(_ id: Int32, _ length: Int, to symbols: inout [BPESymbol]) {
    let index = Int32(symbols.count)
    symbols.append(
      BPESymbol(
        id: id, length: Int32(length), previous: index - 1, next: index + 1, rank: -1,
        result: -1))
  }

  /// Unknown symbols that wait for their neighbors.
  private struct Unknown {
    var id: Int32 = -1
    var length = 0

    mutating func flush(to symbols: inout [BPESymbol]) {
      if length > 0 { BPEModel.add(id, length, to: &symbols) }
      length = 0
    }
  }

  private func addUnknown(
    _ length: Int, _ waiting: inout Unknown, _ symbols: inout [BPESymbol]
  ) throws(TokenizerError) {
    guard let name = options.unknown else { return }
    guard let unknown else {
      throw .invalid("the model", "no token \"\(name)\"", needs: "the unknown token")
    }
    if !options.fusesUnknown { waiting.flush(to: &symbols) }
    waiting.id = unknown
    waiting.length += length
  }

  private func readBytes(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ symbols: inout [BPESymbol]
  ) throws(TokenizerError) {
    var waiting = Unknown()
    for position in range {
      let byte = bytes[position]
      if rawIds[Int(byte)] >= 0 {
        waiting.flush(to: &symbols)
        Self.add(rawIds[Int(byte)], 1, to: &symbols)
      } else if options.usesBytes, let ids = ids(ofBytes: ByteAlphabet.spelling(byte)) {
        for id in ids { Self.add(id, 1, to: &symbols) }
      } else {
        try addUnknown(1, &waiting, &symbols)
      }
    }
    waiting.flush(to: &symbols)
  }

  /// The ids of tokens such as <0x0A> for bytes; `nil` unless all are there.
  private func ids(ofBytes bytes: some Collection<UInt8>) -> [Int32]? {
    let ids = bytes.compactMap { byteIds[Int($0)] }
    return ids.count == bytes.count ? ids : nil
  }

  private func readScalars(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ scratch: inout ModelScratch
  ) throws(TokenizerError) {
    var waiting = Unknown()
    var position = range.lowerBound
    let isPlain = options.prefix.isEmpty && options.suffix.isEmpty
    while position < range.upperBound {
      let width = UTF8Bytes.width(bytes[position])
      let end = position + width
      var index: Int?
      if isPlain {
        index = table.index(of: bytes, position, end)
      } else {
        scratch.bytes.removeAll(keepingCapacity: true)
        if position > range.lowerBound { scratch.bytes += options.prefix }
        scratch.bytes += bytes[position..<end]
        if end == range.upperBound { scratch.bytes += options.suffix }
        index = table.index(of: scratch.bytes)
      }
      if let index {
        waiting.flush(to: &scratch.symbols)
        Self.add(table.ids[index], width, to: &scratch.symbols)
      } else if options.usesBytes,
        let ids = isPlain ? ids(ofBytes: bytes[position..<end]) : ids(ofBytes: scratch.bytes)
      {
        // Bytes do not end a run of unknown characters, so it comes after them.
        for id in ids { Self.add(id, 1, to: &scratch.symbols) }
      } else {
        try addUnknown(width, &waiting, &scratch.symbols)
      }
      position = end
    }
    waiting.flush(to: &scratch.symbols)
  }

  // MARK: Merging

  private static let fewSymbols = 24

  private func merge(_ scratch: inout ModelScratch) {
    let count = scratch.symbols.count
    guard count > 1 else { return }
    scratch.symbols[count - 1].next = -1
    for index in 0..<count - 1 {
      (scratch.symbols[index].rank, scratch.symbols[index].result) =
        merges.merge(scratch.symbols[index].id, scratch.symbols[index + 1].id)
    }
    if count <= Self.fewSymbols {
      mergeFew(&scratch.symbols)
    } else {
      mergeMany(&scratch)
    }
  }

  /// Looks through all pairs for the one of the lowest rank, again and again.
  private func mergeFew(_ symbols: inout [BPESymbol]) {
    symbols.withUnsafeMutableBufferPointer { symbols in
      while true {
        var (best, rank) = (-1, Int32.max)
        var index = 0
        while index >= 0 {
          let symbol = symbols[index]
          if symbol.rank >= 0, symbol.rank < rank { (best, rank) = (index, symbol.rank) }
          index = Int(symbol.next)
        }
        guard best >= 0 else { return }
        join(symbols, best)
      }
    }
  }

  /// Merges a symbol with the next one, and looks up the pairs that come of it.
  @inline(__always)
  private func join(_ symbols: UnsafeMutableBufferPointer<BPESymbol>, _ position: Int) {
    let next = Int(symbols[position].next)
    symbols[position].id = symbols[position].result
    symbols[position].length += symbols[next].length
    symbols[position].next = symbols[next].next
    symbols[next].length = 0
    let after = Int(symbols[position].next)
    if after >= 0 {
      symbols[after].previous = Int32(position)
      (symbols[position].rank, symbols[position].result) =
        merges.merge(symbols[position].id, symbols[after].id)
    } else {
      symbols[position].rank = -1
    }
    let before = Int(symbols[position].previous)
    if before >= 0 {
      (symbols[before].rank, symbols[before].result) =
        merges.merge(symbols[before].id, symbols[position].id)
    }
  }

  /// Takes pairs from a queue ordered by rank and place; those that are out of date are dropped.
  private func mergeMany(_ scratch: inout ModelScratch) {
    var queue = MergeQueue(scratch.queue)
    scratch.symbols.withUnsafeMutableBufferPointer { symbols in
      for index in symbols.indices where symbols[index].rank >= 0 {
        queue.push(
          BPEMerge(
            rank: symbols[index].rank, position: Int32(index), result: symbols[index].result))
      }
      while let top = queue.pop() {
        let position = Int(top.position)
        guard symbols[position].length != 0, symbols[position].rank == top.rank,
          symbols[position].result == top.result, symbols[position].next >= 0
        else { continue }
        join(symbols, position)
        if symbols[position].rank >= 0 {
          queue.push(
            BPEMerge(
              rank: symbols[position].rank, position: top.position,
              result: symbols[position].result))
        }
        let before = symbols[position].previous
        if before >= 0, symbols[Int(before)].rank >= 0 {
          queue.push(
            BPEMerge(
              rank: symbols[Int(before)].rank, position: before,
              result: symbols[Int(before)].result))
        }
      }
    }
    scratch.queue = queue.storage
  }
}

/// A heap of merges.
struct MergeQueue {
  private(set) var storage: [BPEMerge]

  init(_ memory: [BPEMerge]) {
    storage = memory
    storage.removeAll(keepingCapacity: true)
  }

  mutating func push(_ merge: BPEMerge) {
    storage.append(merge)
    var child = storage.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard storage[child] < storage[parent] else { break }
      storage.swapAt(child, parent)
      child = parent
    }
  }

  mutating func pop() -> BPEMerge? {
    guard let top = storage.first, let last = storage.popLast() else { return nil }
    guard !storage.isEmpty else { return top }
    storage[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < storage.count else { break }
      if child + 1 < storage.count, storage[child + 1] < storage[child] { child += 1 }
      guard storage[child] < storage[parent] else { break }
      storage.swapAt(child, parent)
      parent = child
    }
    return top
  }
}
