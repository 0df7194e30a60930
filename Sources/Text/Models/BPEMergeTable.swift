/// The merges of BPE: for two ids their rank and the id of both together.
struct BPEMergeTable: Sendable {
  private var keys: [UInt64]
  private var ranks: [Int32]
  private var results: [Int32]
  private(set) var count = 0
  private static let none = UInt64.max

  /// A table for as many merges.
  init(capacity: Int) {
    var size = 16
    while size < capacity * 2 { size *= 2 }
    keys = [UInt64](repeating: Self.none, count: size)
    ranks = [Int32](repeating: 0, count: size)
    results = ranks
  }

  @inline(__always)
  private static func key(_ left: Int32, _ right: Int32) -> UInt64 {
    UInt64(UInt32(bitPattern: left)) << 32 | UInt64(UInt32(bitPattern: right))
  }

  /// Adds a merge; one that is there already gets the new rank.
  mutating func add(_ left: Int32, _ right: Int32, rank: Int32, result: Int32) {
    let key = Self.key(left, right)
    var slot = Int(truncatingIfNeeded: TokenTable.mix(key)) & (keys.count - 1)
    while keys[slot] != Self.none, keys[slot] != key { slot = (slot + 1) & (keys.count - 1) }
    if keys[slot] == Self.none { count += 1 }
    (keys[slot], ranks[slot], results[slot]) = (key, rank, result)
  }

  /// The rank and the result of a merge; a negative rank if there is none.
  @inline(__always)
  func merge(_ left: Int32, _ right: Int32) -> (rank: Int32, result: Int32) {
    let key = Self.key(left, right)
    return keys.withUnsafeBufferPointer { keys in
      var slot = Int(truncatingIfNeeded: TokenTable.mix(key)) & (keys.count - 1)
      while true {
        let found = keys[slot]
        if found == key {
          return ranks.withUnsafeBufferPointer { ranks in
            results.withUnsafeBufferPointer { (ranks[slot], $0[slot]) }
          }
        }
        if found == Self.none { return (-1, -1) }
        slot = (slot + 1) & (keys.count - 1)
      }
    }
  }
}
