/// Reads the fields of a message in the protobuf wire format from bytes.
///
/// Fields are ranges of the message until they are asked for, so that no length makes it copy or
/// allocate. The caller bounds the number of entries that it keeps.
package struct WireReader {
  /// A field: its number and its value.
  struct Field {
    /// The number of the field.
    let number: Int
    /// The value.
    let value: Value

    /// The value by its wire type.
    enum Value {
      case varint(UInt64)
      case fixed64(UInt64)
      case fixed32(UInt32)
      case bytes(ArraySlice<UInt8>)
    }
  }

  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  static let truncated = ServingError.invalid("the message is truncated")

  /// The next field; `nil` at the end.
  ///
  /// - Throws: ``ServingError`` when the bytes are not a message.
  mutating func next() throws(ServingError) -> Field? {
    guard !rest.isEmpty else { return nil }
    let key = try varint()
    guard let number = Int(exactly: key >> 3), (1..<1 << 29).contains(number) else {
      throw .invalid("the message has a field with an invalid number")
    }
    switch key & 7 {
    case 0: return Field(number: number, value: .varint(try varint()))
    case 1: return Field(number: number, value: .fixed64(try integer(UInt64.self)))
    case 5: return Field(number: number, value: .fixed32(try integer(UInt32.self)))
    case 2:
      let count = try varint()
      guard let count = Int(exactly: count), count <= rest.count else { throw Self.truncated }
      let bytes = rest.prefix(count)
      rest = rest.dropFirst(count)
      return Field(number: number, value: .bytes(bytes))
    default: throw .invalid("the message has a field of an unknown kind")
    }
  }

  /// Whether nothing is left.
  package var isAtEnd: Bool { rest.isEmpty }

  /// Reads a number of variable length.
  package mutating func varint() throws(ServingError) -> UInt64 {
    var value: UInt64 = 0
    var shift = 0
    while shift < 64 {
      guard let byte = rest.first else { throw Self.truncated }
      rest = rest.dropFirst()
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return value }
      shift += 7
    }
    throw .invalid("the message has a number of more than 10 bytes")
  }

  /// Reads a little-endian integer.
  mutating func integer<Value: FixedWidthInteger>(_: Value.Type) throws(ServingError) -> Value {
    let size = MemoryLayout<Value>.size
    guard rest.count >= size else { throw Self.truncated }
    let value = rest.withUnsafeBytes { $0.loadUnaligned(as: Value.self) }
    rest = rest.dropFirst(size)
    return Value(littleEndian: value)
  }
}

extension WireReader.Field {
  private var wrongKind: ServingError {
    .invalid("field \(number) of the message is of another kind")
  }

  /// The bytes of a field.
  var bytes: ArraySlice<UInt8> {
    get throws(ServingError) {
      guard case .bytes(let bytes) = value else { throw wrongKind }
      return bytes
    }
  }

  /// The text of a field.
  var text: String {
    get throws(ServingError) {
      guard let text = String(validating: try bytes, as: UTF8.self) else {
        throw .invalid("field \(number) of the message is not UTF-8")
      }
      return text
    }
  }

  /// The integer of a field.
  var integer: UInt64 {
    get throws(ServingError) {
      guard case .varint(let value) = value else { throw wrongKind }
      return value
    }
  }

  /// The number of a field with 64 bits.
  var double: Double {
    get throws(ServingError) {
      guard case .fixed64(let bits) = value else { throw wrongKind }
      return Double(bitPattern: bits)
    }
  }

  /// Reads repeated integers, packed or one by one.
  func integers(_ body: (UInt64) throws(ServingError) -> Void) throws(ServingError) {
    switch value {
    case .varint(let value): try body(value)
    case .bytes(let bytes):
      var reader = WireReader(bytes)
      while !reader.isAtEnd { try body(try reader.varint()) }
    default: throw wrongKind
    }
  }

  /// The bytes of repeated numbers of a fixed size, packed or one by one.
  func appendFixed(to content: inout [UInt8]) throws(ServingError) {
    switch value {
    case .fixed32(let bits):
      withUnsafeBytes(of: bits.littleEndian) { content.append(contentsOf: $0) }
    case .fixed64(let bits):
      withUnsafeBytes(of: bits.littleEndian) { content.append(contentsOf: $0) }
    case .bytes(let bytes): content.append(contentsOf: bytes)
    case .varint: throw wrongKind
    }
  }
}
