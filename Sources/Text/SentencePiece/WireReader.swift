/// Walks the fields of a message of Protocol Buffers in memory.
///
/// The reader of the importers walks files whose weights stay on disk, and belongs to them; a
/// vocabulary is small and read whole. Source: Protocol Buffers, "Encoding".
struct WireReader {
  /// What a field holds.
  enum Value {
    case number(UInt64)
    case fixed32(UInt32)
    case bytes(ArraySlice<UInt8>)
  }

  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  private var damaged: TokenizerError { .malformed("a truncated or invalid message") }

  private mutating func varint() throws(TokenizerError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard position < bytes.endIndex else { throw damaged }
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
    }
    throw damaged
  }

  /// The next field and its number; `nil` at the end.
  mutating func next() throws(TokenizerError) -> (number: Int, value: Value)? {
    while position < bytes.endIndex {
      let key = try varint()
      let number = Int(truncatingIfNeeded: key >> 3 & 0x1FFF_FFFF)
      switch key & 7 {
      case 0: return (number, .number(try varint()))
      case 1:
        guard bytes.endIndex - position >= 8 else { throw damaged }
        position += 8
      case 2:
        let count = try varint()
        guard count <= UInt64(bytes.endIndex - position) else { throw damaged }
        let lower = position
        position += Int(count)
        return (number, .bytes(bytes[lower..<position]))
      case 5:
        guard bytes.endIndex - position >= 4 else { throw damaged }
        defer { position += 4 }
        return (
          number,
          .fixed32((0..<4).reduce(0) { $0 | UInt32(bytes[position + $1]) << UInt32(8 * $1) })
        )
      default: throw damaged
      }
    }
    return nil
  }
}
