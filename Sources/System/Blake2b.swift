/// The hash function BLAKE2b without a key, with a digest of 32 bytes.
///
/// Source: M.-J. Saarinen, J.-P. Aumasson, The BLAKE2 Cryptographic Hash and Message Authentication
/// Code, RFC 7693, 2015.
enum Blake2b {
  /// The digest of bytes as four little-endian words.
  static func digest(_ bytes: UnsafeRawBufferPointer) -> SIMD4<UInt64> {
    var state = initial
    // The parameters: a digest of 32 bytes, no key, no tree.
    state[0] ^= 0x0101_0020
    var offset = 0
    while bytes.count - offset > blockBytes {
      offset += blockBytes
      compress(
        UnsafeRawBufferPointer(rebasing: bytes[offset - blockBytes..<offset]), into: &state,
        count: UInt64(offset), isLast: false)
    }
    var last = [UInt8](bytes[offset...])
    last += repeatElement(0, count: blockBytes - last.count)
    last.withUnsafeBytes {
      compress($0, into: &state, count: UInt64(bytes.count), isLast: true)
    }
    return state.lowHalf
  }

  private static let blockBytes = 128

  /// The fractions of the square roots of the first eight primes.
  private static let initial = SIMD8<UInt64>(
    0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1,
    0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F, 0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179)

  /// The order of the words of a block in each of twelve rounds.
  private static let orders: [UInt8] = {
    let rounds: [[UInt8]] = [
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
      [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
      [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
      [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
      [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
      [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
      [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
      [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
      [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
      [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
    ]
    return (rounds + rounds.prefix(2)).flatMap(\.self)
  }()

  /// Mixes a block into the state; `count` is the number of bytes up to its end.
  private static func compress(
    _ block: UnsafeRawBufferPointer, into state: inout SIMD8<UInt64>, count: UInt64, isLast: Bool
  ) {
    var (v0, v1, v2, v3) = (state[0], state[1], state[2], state[3])
    var (v4, v5, v6, v7) = (state[4], state[5], state[6], state[7])
    var (v8, v9, v10, v11) = (initial[0], initial[1], initial[2], initial[3])
    var (v12, v13, v14, v15) = (initial[4] ^ count, initial[5], initial[6], initial[7])
    if isLast { v14 = ~v14 }
    orders.withUnsafeBufferPointer { orders in
      var place = 0
      @inline(__always) func word() -> UInt64 {
        let offset = 8 * Int(orders[place])
        place += 1
        return block.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
      }
      for _ in 0..<12 {
        mix(&v0, &v4, &v8, &v12, word(), word())
        mix(&v1, &v5, &v9, &v13, word(), word())
        mix(&v2, &v6, &v10, &v14, word(), word())
        mix(&v3, &v7, &v11, &v15, word(), word())
        mix(&v0, &v5, &v10, &v15, word(), word())
        mix(&v1, &v6, &v11, &v12, word(), word())
        mix(&v2, &v7, &v8, &v13, word(), word())
        mix(&v3, &v4, &v9, &v14, word(), word())
      }
    }
    state ^= SIMD8(
      v0 ^ v8, v1 ^ v9, v2 ^ v10, v3 ^ v11, v4 ^ v12, v5 ^ v13, v6 ^ v14, v7 ^ v15)
  }

  @inline(__always)
  private static func mix(
    _ a: inout UInt64, _ b: inout UInt64, _ c: inout UInt64, _ d: inout UInt64, _ x: UInt64,
    _ y: UInt64
  ) {
    func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
      word &>> count | word &<< (64 &- count)
    }
    a = a &+ b &+ x
    d = rotated(d ^ a, 32)
    c = c &+ d
    b = rotated(b ^ c, 24)
    a = a &+ b &+ y
    d = rotated(d ^ a, 16)
    c = c &+ d
    b = rotated(b ^ c, 63)
  }
}
