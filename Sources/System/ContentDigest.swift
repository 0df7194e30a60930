/// 128 bits that stand for bytes: bytes that were altered, cut or exchanged have others.
///
/// It finds accidents. Whoever chooses bytes on purpose can make two files of one digest.
package struct ContentDigest: Hashable, Sendable {
  package let low, high: UInt64

  package init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }

  /// The bytes that one thread reads at a time.
  private static let blockBytes = 1 << 20

  /// The digest of bytes, found by some threads; it does not depend on their number.
  package init(of bytes: UnsafeRawBufferPointer, threads: Int = 1) {
    let blocks = (bytes.count + Self.blockBytes - 1) / Self.blockBytes
    let digests = [UInt64](unsafeUninitializedCapacity: 2 * blocks) { memory, count in
      // Each thread reads and writes blocks of its own, and is joined before the memory is used.
      nonisolated(unsafe) let (input, output) = (bytes, memory)
      SharedWork.run(parts: blocks, threads: threads) { block in
        let digest = Self.digest(input, block)
        output.initializeElement(at: 2 * block, to: digest.low)
        output.initializeElement(at: 2 * block + 1, to: digest.high)
      }
      count = 2 * blocks
    }
    var hash = Lanes()
    digests.withUnsafeBytes { hash.add($0) }
    self = hash.finished(count: bytes.count)
  }

  private static func digest(_ bytes: UnsafeRawBufferPointer, _ block: Int) -> ContentDigest {
    let range = block * blockBytes..<min((block + 1) * blockBytes, bytes.count)
    var hash = Lanes()
    hash.add(UnsafeRawBufferPointer(rebasing: bytes[range]))
    return hash.finished(count: range.count)
  }
}

/// Eight words that take turns, so that a processor multiplies several at a time.
///
/// A step `a = rotated((a ^ word) · odd)` can be undone, so a word that differs makes the lane
/// differ whatever follows, unless a later word of the same lane differs too.
private struct Lanes {
  private typealias Words = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  private static let odd: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var words: Words = (1, 2, 3, 4, 5, 6, 7, 8)

  @inline(__always)
  private static func step(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    let product = (lane ^ word) &* odd
    return product << 29 | product >> 35
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var lanes = words
    var offset = 0
    while offset + 64 <= bytes.count {
      func word(_ index: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset + 8 * index, as: UInt64.self).littleEndian
      }
      lanes.0 = Self.step(lanes.0, word(0))
      lanes.1 = Self.step(lanes.1, word(1))
      lanes.2 = Self.step(lanes.2, word(2))
      lanes.3 = Self.step(lanes.3, word(3))
      lanes.4 = Self.step(lanes.4, word(4))
      lanes.5 = Self.step(lanes.5, word(5))
      lanes.6 = Self.step(lanes.6, word(6))
      lanes.7 = Self.step(lanes.7, word(7))
      offset += 64
    }
    // The rest, one byte at a time.
    while offset < bytes.count {
      lanes.0 = Self.step(lanes.0, UInt64(bytes[offset]) &+ 1)
      offset += 1
    }
    words = lanes
  }

  func finished(count: Int) -> ContentDigest {
    var (low, high) = (UInt64(count), ~UInt64(count))
    for lane in [
      words.0, words.1, words.2, words.3, words.4, words.5, words.6, words.7, UInt64(count),
    ] {
      low = Self.step(low, lane)
      high = Self.step(high &+ low, lane)
    }
    return ContentDigest(low: low ^ low >> 31, high: high ^ high >> 29)
  }
}
