/// The tokens of words that were seen, in bounded memory: a full cache starts again.
struct WordCache {
  private struct Entry {
    var hash: UInt64
    var key: UInt32
    var length: UInt32
    var first: UInt32
    var count: UInt32
  }

  private var slots = [UInt32](repeating: 0, count: 1 << 12)
  private var entries: [Entry] = []
  private var keys: [UInt8] = []
  private var tokens: [RawToken] = []

  private static let maximumEntries = 1 << 15
  private static let maximumBytes = 1 << 20
  private static let maximumTokens = 1 << 18
  /// Longer words are not kept.
  static let maximumLength = 256

  /// Appends the tokens of a word; false if it is not there.
  @inline(__always)
  func append(
    _ bytes: UnsafeBufferPointer<UInt8>, _ lower: Int, _ upper: Int, hash: UInt64, word: Int32,
    to result: inout [RawToken]
  ) -> Bool {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      let entry = entries[Int(slots[slot]) - 1]
      if entry.hash == hash, Int(entry.length) == upper - lower {
        let isSame = keys.withUnsafeBufferPointer { keys in
          for offset in 0..<upper - lower
          where keys[Int(entry.key) + offset] != bytes[lower + offset] {
            return false
          }
          return true
        }
        if isSame {
          for index in Int(entry.first)..<Int(entry.first + entry.count) {
            var token = tokens[index]
            token.lower += Int32(lower)
            token.upper += Int32(lower)
            token.word = word
            result.append(token)
          }
          return true
        }
      }
      slot = (slot + 1) & mask
    }
    return false
  }

  /// Remembers the tokens of a word.
  mutating func insert(
    _ bytes: UnsafeBufferPointer<UInt8>, _ lower: Int, _ upper: Int, hash: UInt64,
    _ new: ArraySlice<RawToken>
  ) {
    if entries.count >= Self.maximumEntries || keys.count >= Self.maximumBytes
      || tokens.count >= Self.maximumTokens
    {
      for index in slots.indices { slots[index] = 0 }
      entries.removeAll(keepingCapacity: true)
      keys.removeAll(keepingCapacity: true)
      tokens.removeAll(keepingCapacity: true)
    }
    entries.append(
      Entry(
        hash: hash, key: UInt32(keys.count), length: UInt32(upper - lower),
        first: UInt32(tokens.count), count: UInt32(new.count)))
    keys += bytes[lower..<upper]
    for token in new {
      var token = token
      token.lower -= Int32(lower)
      token.upper -= Int32(lower)
      tokens.append(token)
    }
    if entries.count * 2 > slots.count {
      slots = [UInt32](repeating: 0, count: slots.count * 2)
      for index in entries.indices { place(index) }
    } else {
      place(entries.count - 1)
    }
  }

  private mutating func place(_ index: Int) {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: entries[index].hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt32(index + 1)
  }
}
