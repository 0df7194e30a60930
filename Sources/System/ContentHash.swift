/// 256 bits that stand for bytes, even bytes that somebody has chosen to deceive.
///
/// The bytes are cut into blocks of 1 MiB, so that threads share the work. The hash is the digest
/// BLAKE2b of their number as a 64-bit integer, followed by the digests of the blocks.
package struct ContentHash: Hashable, Sendable {
  /// The hash as four words.
  package let words: SIMD4<UInt64>

  /// The bytes of a block.
  private static let blockBytes = 1 << 20

  /// A hash that was made earlier.
  package init(words: SIMD4<UInt64>) { self.words = words }

  /// Hashes bytes with some threads; the result does not depend on their number.
  package init(of bytes: UnsafeRawBufferPointer, threads: Int = 1) {
    let blocks = (bytes.count + Self.blockBytes - 1) / Self.blockBytes
    var parts = [UInt64](repeating: UInt64(bytes.count).littleEndian, count: 1 + 4 * blocks)
    parts.withUnsafeMutableBufferPointer { memory in
      // Each thread reads and writes blocks of its own, and is joined before the memory is used.
      nonisolated(unsafe) let (input, output) = (bytes, memory)
      SharedWork.run(parts: blocks, threads: threads) { block in
        let range = block * Self.blockBytes..<min((block + 1) * Self.blockBytes, input.count)
        let digest = Blake2b.digest(UnsafeRawBufferPointer(rebasing: input[range]))
        for index in 0..<4 { output[1 + 4 * block + index] = digest[index].littleEndian }
      }
    }
    words = parts.withUnsafeBytes { Blake2b.digest($0) }
  }

  /// The hash in 64 hexadecimal digits, in the order of its bytes.
  package var hex: String {
    (0..<4).map { index in
      let digits = String(words[index].byteSwapped, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
