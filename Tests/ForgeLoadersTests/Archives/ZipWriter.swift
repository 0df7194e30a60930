/// Writes zip archives that no program would write.
struct ZipWriter {
  /// The bytes of the archive, once ``finish()`` was called.
  private(set) var bytes: [UInt8] = []
  private var directory: [UInt8] = []
  private var count = 0

  /// Adds an entry.
  ///
  /// - Parameters:
  ///   - name: the bytes of its name.
  ///   - stored: the bytes in the archive.
  ///   - claimed: the bytes it claims to have; as many as are stored when `nil`.
  ///   - checksum: the checksum it claims to have.
  ///   - isDeflated: whether it claims to be deflated.
  mutating func add(
    _ name: [UInt8], _ stored: [UInt8], count claimed: Int? = nil, checksum: UInt32,
    isDeflated: Bool
  ) {
    let place = bytes.count
    let size = claimed ?? stored.count
    let method = isDeflated ? 8 : 0
    let fields =
      number(Int(checksum), 4) + number(0xffff_ffff, 4) + number(0xffff_ffff, 4)
      + number(name.count, 2)
    let extra = number(1, 2) + number(16, 2) + number(size, 8) + number(stored.count, 8)
    bytes += number(0x0403_4b50, 4) + number(45, 2) + number(0, 2) + number(method, 2)
    bytes += number(0, 4) + fields + number(extra.count, 2) + name + extra + stored
    directory += number(0x0201_4b50, 4) + number(45, 2) + number(45, 2) + number(0, 2)
    directory += number(method, 2) + number(0, 4) + fields + number(extra.count, 2)
    directory += number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) + number(place, 4)
    directory += name + extra
    count += 1
  }

  /// Adds an entry that is stored as it is, or deflated.
  mutating func add(_ name: String, _ content: [UInt8], isDeflated: Bool = false) {
    add(
      Array(name.utf8), isDeflated ? Self.deflated(content) : content, count: content.count,
      checksum: Self.checksum(content), isDeflated: isDeflated)
  }

  /// The whole archive.
  mutating func finish() -> [UInt8] {
    let start = bytes.count
    bytes += directory + number(0x0605_4b50, 4) + number(0, 4) + number(count, 2)
    bytes += number(count, 2) + number(directory.count, 4) + number(start, 4) + number(0, 2)
    return bytes
  }

  private func number(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  // MARK: Deflate

  /// Bytes as deflate data that is short where a byte is repeated, as zlib would make it.
  static func deflated(_ content: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    var bits: UInt64 = 0
    var filled: UInt64 = 0
    func put(_ value: UInt64, _ width: UInt64) {
      bits |= value << filled
      filled += width
      while filled >= 8 {
        out.append(UInt8(truncatingIfNeeded: bits))
        bits >>= 8
        filled -= 8
      }
    }
    // Codes stand with their highest bit first.
    func putCode(_ code: UInt64, _ width: UInt64) {
      for bit in (0..<width).reversed() { put(code >> bit & 1, 1) }
    }
    // One block, the last, with the codes that are fixed.
    put(1, 1)
    put(1, 2)
    var place = 0
    while place < content.count {
      let byte = content[place]
      putCode(byte < 144 ? 0x30 + UInt64(byte) : 0x190 + UInt64(byte) - 144, byte < 144 ? 8 : 9)
      place += 1
      var run = content[place...].prefix { $0 == byte }.count
      // 258 bytes as the one before.
      while run >= 258 {
        putCode(0xc5, 8)
        putCode(0, 5)
        place += 258
        run -= 258
      }
    }
    putCode(0, 7)
    put(0, 7)
    return out
  }

  /// The CRC-32 of bytes.
  static func checksum(_ content: [UInt8]) -> UInt32 {
    var value: UInt32 = 0xffff_ffff
    for byte in content {
      value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8
    }
    return ~value
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? 0xedb8_8320 ^ value >> 1 : value >> 1
    }
  }
}
