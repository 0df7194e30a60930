/// Bytes of a message of Protocol Buffers, field by field.
struct WireWriter {
  private(set) var bytes: [UInt8] = []

  /// An integer, or the number of an enumeration.
  mutating func integer(_ field: Int, _ value: Int64) {
    key(field, 0)
    varint(UInt64(bitPattern: value))
  }

  /// A number of 32 bits.
  mutating func float(_ field: Int, _ value: Float) {
    key(field, 5)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 }
  }

  /// A text.
  mutating func text(_ field: Int, _ text: String) { self.bytes(field, Array(text.utf8)) }

  /// Bytes, or a message.
  mutating func bytes(_ field: Int, _ contents: [UInt8]) {
    prefix(field, count: contents.count)
    bytes += contents
  }

  /// A message that a closure fills.
  mutating func message(_ field: Int, _ fill: (inout WireWriter) -> Void) {
    var inner = WireWriter()
    fill(&inner)
    bytes(field, inner.bytes)
  }

  /// The key and the length of bytes that follow.
  mutating func prefix(_ field: Int, count: Int) {
    key(field, 2)
    varint(UInt64(count))
  }

  /// Bytes that are fields already.
  mutating func append(_ fields: [UInt8]) { bytes += fields }

  private mutating func key(_ field: Int, _ type: Int) { varint(UInt64(field << 3 | type)) }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
