/// Work on the bytes of UTF-8.
enum UTF8Bytes {
  /// Whether bytes are UTF-8.
  static func isValid(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { isASCII($0) } || String(validating: bytes, as: UTF8.self) != nil
  }

  /// Whether all bytes are ASCII.
  static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    let raw = UnsafeRawPointer(start)
    var position = 0
    while position + 8 <= bytes.count {
      let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { return false }
      position += 8
    }
    while position < bytes.count {
      if start[position] >= 0x80 { return false }
      position += 1
    }
    return true
  }

  /// The length of the sequence that begins with a byte of valid UTF-8.
  @inline(__always)
  static func width(_ first: UInt8) -> Int {
    first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
  }

  /// Whether a byte is inside a sequence.
  @inline(__always)
  static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// The scalar at a place in valid UTF-8, and its length.
  @inline(__always)
  static func scalar(
    _ bytes: UnsafeBufferPointer<UInt8>, _ position: Int
  ) -> (value: UInt32, width: Int) {
    let first = UInt32(bytes[position])
    if first < 0x80 { return (first, 1) }
    let second = UInt32(bytes[position + 1] & 0x3F)
    if first < 0xE0 { return ((first & 0x1F) << 6 | second, 2) }
    let third = UInt32(bytes[position + 2] & 0x3F)
    if first < 0xF0 { return ((first & 0x0F) << 12 | second << 6 | third, 3) }
    let fourth = UInt32(bytes[position + 3] & 0x3F)
    return ((first & 0x07) << 18 | second << 12 | third << 6 | fourth, 4)
  }

  /// The number of bytes of a scalar.
  @inline(__always)
  static func width(of scalar: UInt32) -> Int {
    scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
  }

  /// Appends a scalar.
  @inline(__always)
  static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
    if scalar < 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: scalar))
    } else if scalar < 0x800 {
      bytes.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
    } else if scalar < 0x10000 {
      bytes.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | (scalar >> 6) & 0x3F))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
    } else {
      bytes.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | (scalar >> 12) & 0x3F))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | (scalar >> 6) & 0x3F))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
    }
  }

  /// The place of the scalar before a place in valid UTF-8.
  @inline(__always)
  static func before(_ bytes: UnsafeBufferPointer<UInt8>, _ position: Int) -> Int {
    var start = position - 1
    while start > 0, isContinuation(bytes[start]) { start -= 1 }
    return start
  }

  /// The number of scalars.
  static func scalarCount(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var count = 0
    for byte in bytes where !isContinuation(byte) { count += 1 }
    return count
  }
}
