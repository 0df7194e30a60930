/// The checksum that HDF5 files of the newer versions carry.
enum HDF5Checksum {
  /// Bob Jenkins's lookup3 hash with an initial value of 0, over the newer metadata.
  static func lookup3(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { lookup3($0) }
  }

  private static func lookup3(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
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
}
