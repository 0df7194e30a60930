/// The checksums of HDF5 metadata and chunks.
enum HDF5Checksum {
  /// Bob Jenkins's lookup3 hash with an initial value of 0, used for metadata of newer versions.
  static func lookup3(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { lookup3($0) }
  }

  private static func lookup3(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var a = 0xdead_beef &+ UInt32(truncatingIfNeeded: bytes.count)
    var (b, c) = (a, a)
    func rotate(_ value: UInt32, _ bits: UInt32) -> UInt32 {
      value << bits | value >> (32 - bits)
    }
    func add(at offset: Int) {
      // The last words are padded with zeros.
      func word(_ offset: Int) -> UInt32 {
        bytes.dropFirst(offset).prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      }
      a &+= word(offset)
      b &+= word(offset + 4)
      c &+= word(offset + 8)
    }
    func mix(_ bits: UInt32) {
      a &-= c
      a ^= rotate(c, bits)
      c &+= b
      (a, b, c) = (b, c, a)
    }
    func finish(_ bits: UInt32) {
      (a, b, c) = (b, c, a)
      c ^= b
      c &-= rotate(b, bits)
    }
    for start in stride(from: 0, to: bytes.count, by: 12) {
      add(at: start)
      if bytes.count - start > 12 {
        for bits: UInt32 in [4, 6, 8, 16, 19, 4] { mix(bits) }
      } else {
        // The first step of `finish` rotates the values back.
        (a, b, c) = (c, a, b)
        for bits: UInt32 in [14, 11, 25, 16, 4, 14, 24] { finish(bits) }
      }
    }
    return c
  }

  /// Whether the last four bytes of a chunk are the checksum of the preceding bytes.
  static func fletcher32Matches(_ chunk: UnsafeRawBufferPointer) -> Bool {
    let stored = chunk.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let found = fletcher32(UnsafeRawBufferPointer(rebasing: chunk.dropLast(4)))
    // Early versions of libhdf5 swapped the bytes of both halves on little-endian machines.
    return stored == found || stored == (found & 0x00ff_00ff) << 8 | (found & 0xff00_ff00) >> 8
  }

  /// The Fletcher-32 checksum of big-endian words; an odd last byte is padded with a zero byte.
  private static func fletcher32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var first: UInt32 = 0
    var second: UInt32 = 0
    func fold() {
      first = first & 0xffff &+ first >> 16
      second = second & 0xffff &+ second >> 16
    }
    // The sums of 360 words cannot overflow 32 bits.
    for start in stride(from: 0, to: bytes.count, by: 720) {
      for index in stride(from: start, to: min(start + 720, bytes.count), by: 2) {
        let low = index + 1 < bytes.count ? UInt32(bytes[index + 1]) : 0
        first &+= UInt32(bytes[index]) << 8 | low
        second &+= first
      }
      fold()
    }
    fold()
    return second << 16 | first
  }
}
