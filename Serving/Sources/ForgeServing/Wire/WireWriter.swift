/// Writes messages in the protobuf wire format.
///
/// Fields with default values are left out.
package struct WireWriter {
  package private(set) var bytes: [UInt8] = []

  package init(capacity: Int = 64) { bytes.reserveCapacity(capacity) }

  /// Writes a number of variable length.
  package mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func key(_ number: Int, _ type: UInt64) {
    varint(UInt64(number) << 3 | type)
  }

  /// Writes an integer.
  mutating func integer(_ number: Int, _ value: UInt64) {
    guard value != 0 else { return }
    key(number, 0)
    varint(value)
  }

  /// Writes a signed integer.
  mutating func integer(_ number: Int, _ value: Int) {
    integer(number, UInt64(bitPattern: Int64(value)))
  }

  /// Writes a Boolean.
  mutating func flag(_ number: Int, _ value: Bool) { integer(number, value ? UInt64(1) : 0) }

  /// Writes a text.
  mutating func text(_ number: Int, _ value: String) {
    guard !value.isEmpty else { return }
    field(number, value.utf8)
  }

  /// Writes bytes, empty ones too.
  mutating func field(_ number: Int, _ value: some Collection<UInt8>) {
    key(number, 2)
    varint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  /// Writes a message, an empty one too.
  mutating func message(_ number: Int, _ body: (inout WireWriter) -> Void) {
    var inner = WireWriter()
    body(&inner)
    field(number, inner.bytes)
  }

  /// Writes packed integers.
  mutating func integers(_ number: Int, _ values: [Int]) {
    guard !values.isEmpty else { return }
    var inner = WireWriter()
    for value in values { inner.varint(UInt64(bitPattern: Int64(value))) }
    field(number, inner.bytes)
  }
}
