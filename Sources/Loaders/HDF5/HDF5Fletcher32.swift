/// The checksum that the filter fletcher32 puts behind a chunk.
enum HDF5Fletcher32 {
  /// Whether `sum`, the four bytes behind `bytes`, is their checksum.
  static func matches(_ bytes: UnsafeRawBufferPointer, _ sum: UnsafeRawBufferPointer) -> Bool {
    guard sum.count == 4 else { return false }
    let stored = sum.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let found = checksum(bytes)
    // Early versions of libhdf5 swapped the bytes of both halves on little-endian machines.
    let swapped = (found & 0x00ff_00ff) << 8 | (found & 0xff00_ff00) >> 8
    return stored == found || stored == swapped
  }

  /// Fletcher's checksum over big-endian words of 16 bits; a last byte alone counts as their first.
  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var first: UInt32 = 0
    var second: UInt32 = 0
    var index = 0
    let words = bytes.count / 2
    while index < words {
      // 360 words cannot overflow 32 bits.
      let end = min(index + 360, words)
      while index < end {
        first &+= UInt32(bytes[2 * index]) << 8 | UInt32(bytes[2 * index + 1])
        second &+= first
        index += 1
      }
      first = first & 0xffff &+ first >> 16
      second = second & 0xffff &+ second >> 16
    }
    if bytes.count % 2 == 1, let last = bytes.last {
      first &+= UInt32(last) << 8
      second &+= first
      first = first & 0xffff &+ first >> 16
      second = second & 0xffff &+ second >> 16
    }
    first = first & 0xffff &+ first >> 16
    second = second & 0xffff &+ second >> 16
    return second << 16 | first
  }
}
