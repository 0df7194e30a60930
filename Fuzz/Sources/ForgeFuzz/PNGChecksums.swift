/// Puts the checksums of a PNG file right, so that changes get past them.
///
/// The checks themselves are tested elsewhere: an altered file is refused there at once.
func withChecksums(_ bytes: [UInt8]) -> [UInt8] {
  var bytes = bytes
  var chunk = 8
  while chunk + 12 <= bytes.count {
    let length = bytes[chunk..<chunk + 4].reduce(0) { $0 << 8 | Int($1) }
    let end = chunk + 8 + length
    guard end + 4 <= bytes.count else { break }
    let sum = cyclicRedundancyCheck(bytes[chunk + 4..<end])
    for place in 0..<4 {
      bytes[end + place] = UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * place))
    }
    chunk = end + 4
  }
  return bytes
}

private func cyclicRedundancyCheck(_ bytes: ArraySlice<UInt8>) -> UInt32 {
  ~bytes.reduce(UInt32.max) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
}

private let table: [UInt32] = (0..<256).map { byte in
  (0..<8).reduce(UInt32(byte)) { value, _ in
    value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
  }
}
