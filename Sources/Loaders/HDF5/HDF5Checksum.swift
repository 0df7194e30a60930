/// The checksums that HDF5 files carry.
enum HDF5Checksum {
  /// Bob Jenkins's lookup3 hash with an initial value of 0, over the newer metadata.
  static func lookup3(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    func rotate(_ value: UInt32, _ bits: UInt32) -> UInt32 {
      value << bits | value >> (32 - bits)
    }
    func word(_ offset: Int) -> UInt32 {
      // The last words are padded with zeros.
      (0..<4).reduce(UInt32(0)) { sum, index in
        let at = offset + index
        return at < bytes.count ? sum | UInt32(bytes[at]) << UInt32(8 * index) : sum
      }
    }
    var a = 0xdead_beef &+ UInt32(truncatingIfNeeded: bytes.count)
    var b = a
    var c = a
    var offset = 0
    while bytes.count - offset > 12 {
      a &+= word(offset)
      b &+= word(offset + 4)
      c &+= word(offset + 8)
      a &-= c
      a ^= rotate(c, 4)
      c &+= b
      b &-= a
      b ^= rotate(a, 6)
      a &+= c
      c &-= b
      c ^= rotate(b, 8)
      b &+= a
      a &-= c
      a ^= rotate(c, 16)
      c &+= b
      b &-= a
      b ^= rotate(a, 19)
      a &+= c
      c &-= b
      c ^= rotate(b, 4)
      b &+= a
      offset += 12
    }
    guard offset < bytes.count else { return c }
    a &+= word(offset)
    b &+= word(offset + 4)
    c &+= word(offset + 8)
    c ^= b
    c &-= rotate(b, 14)
    a ^= c
    a &-= rotate(c, 11)
    b ^= a
    b &-= rotate(a, 25)
    c ^= b
    c &-= rotate(b, 16)
    a ^= c
    a &-= rotate(c, 4)
    b ^= a
    b &-= rotate(a, 14)
    c ^= b
    c &-= rotate(b, 24)
    return c
  }

  /// Fletcher's sum over 16-bit words, the high byte first, as the filter of that name stores it.
  static func fletcher32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var sum1: UInt32 = 0
    var sum2: UInt32 = 0
    var offset = 0
    func fold(_ sum: UInt32) -> UInt32 { (sum & 0xffff) + (sum >> 16) }
    while offset + 1 < bytes.count {
      // 360 words cannot overflow 32 bits.
      let end = min(offset + 720, bytes.count - bytes.count % 2)
      while offset < end {
        sum1 &+= UInt32(bytes[offset]) << 8 | UInt32(bytes[offset + 1])
        sum2 &+= sum1
        offset += 2
      }
      sum1 = fold(sum1)
      sum2 = fold(sum2)
    }
    if offset < bytes.count {
      sum1 &+= UInt32(bytes[offset]) << 8
      sum2 &+= sum1
      sum1 = fold(sum1)
      sum2 = fold(sum2)
    }
    return fold(sum2) << 16 | fold(sum1)
  }
}
