/// A SHA-256 digest of bytes that arrive in parts.
///
/// Source: FIPS 180-4, Secure Hash Standard, 2015.
package struct SHA256 {
  private var state: [UInt32] = [
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB,
    0x5BE0_CD19,
  ]
  /// The bytes that do not fill a block.
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = {
    var primes: [UInt64] = []
    var next: UInt64 = 2
    while primes.count < 64 {
      if primes.allSatisfy({ !next.isMultiple(of: $0) }) { primes.append(next) }
      next += 1
    }
    return primes.map { prime in
      // The largest r with r³ ≤ prime · 2⁹⁶, of which the lower 32 bits are the fraction.
      var root: UInt64 = 0
      for bit in (0..<35).reversed() {
        let trial = root | 1 << UInt64(bit)
        let square = trial.multipliedFullWidth(by: trial)
        let low = square.low.multipliedFullWidth(by: trial)
        let high = square.high.multipliedReportingOverflow(by: trial)
        let (sum, carry) = high.partialValue.addingReportingOverflow(low.high)
        let limit = prime << 32
        if !high.overflow, !carry, sum < limit || (sum == limit && low.low == 0) { root = trial }
      }
      return UInt32(truncatingIfNeeded: root)
    }
  }()

  /// Creates the digest of no bytes.
  package init() {}

  /// Adds bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count &+= UInt64(bytes.count)
    var bytes = UnsafeRawBufferPointer(rebasing: bytes[...])
    if !rest.isEmpty {
      let taken = min(64 - rest.count, bytes.count)
      rest.append(contentsOf: bytes[..<taken])
      bytes = UnsafeRawBufferPointer(rebasing: bytes[taken...])
      guard rest.count == 64 else { return }
      let block = rest
      block.withUnsafeBytes { compress($0) }
      rest.removeAll(keepingCapacity: true)
    }
    let blocksEnd = bytes.count / 64 * 64
    compress(UnsafeRawBufferPointer(rebasing: bytes[..<blocksEnd]))
    rest.append(contentsOf: bytes[blocksEnd...])
  }

  /// The digest in hexadecimal digits.
  package mutating func finish() -> String {
    let length = count &* 8
    var end: [UInt8] = [0x80]
    while (rest.count + end.count) % 64 != 56 { end.append(0) }
    end += (0..<8).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * UInt64($0))) }
    end.withUnsafeBytes { update($0) }
    return state.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  /// Adds whole blocks of 64 bytes.
  private mutating func compress(_ bytes: UnsafeRawBufferPointer) {
    func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
      word >> count | word << (32 - count)
    }
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      Self.constants.withUnsafeBufferPointer { constants in
        for block in stride(from: 0, to: bytes.count, by: 64) {
          for index in 0..<16 {
            words[index] = UInt32(
              bigEndian: bytes.loadUnaligned(fromByteOffset: block + 4 * index, as: UInt32.self))
          }
          for index in 16..<64 {
            let (a, b) = (words[index - 15], words[index - 2])
            let first = rotated(a, 7) ^ rotated(a, 18) ^ a >> 3
            let second = rotated(b, 17) ^ rotated(b, 19) ^ b >> 10
            words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
          }
          var (a, b, c, d) = (state[0], state[1], state[2], state[3])
          var (e, f, g, h) = (state[4], state[5], state[6], state[7])
          for index in 0..<64 {
            let sum = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let choice = e & f ^ ~e & g
            let first = h &+ sum &+ choice &+ constants[index] &+ words[index]
            let other = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
            let second = other &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
          }
          for (index, word) in [a, b, c, d, e, f, g, h].enumerated() {
            state[index] = state[index] &+ word
          }
        }
      }
    }
  }
}
