import Forge

/// One field of a message, with readers for the types of Protocol Buffers.
///
/// A reader throws `malformed` for a field of another wire type. Integers are read as they are
/// stored, of which a smaller type takes the last bits.
package struct WireField {
  /// What is stored, by wire type.
  package enum Content {
    case varint(UInt64)
    case fixed64(UInt64)
    case fixed32(UInt32)
    case bytes(Range<Int>)
  }

  /// The number of the field in its message.
  package let number: Int
  package let content: Content
  package let file: WireFile
  /// The depth of the message with the field.
  package let depth: Int

  // MARK: Numbers

  /// An integer of a type without zigzag.
  package func int64() throws(ImportError) -> Int64 {
    guard case .varint(let value) = content else { throw file.malformed }
    return Int64(bitPattern: value)
  }

  /// An integer.
  package func int() throws(ImportError) -> Int { Int(try int64()) }

  /// A 32-bit integer, or the number of an enumeration.
  package func int32() throws(ImportError) -> Int32 { Int32(truncatingIfNeeded: try int64()) }

  /// A Boolean.
  package func bool() throws(ImportError) -> Bool { try int64() != 0 }

  /// A number of 32 bits.
  package func float() throws(ImportError) -> Float {
    guard case .fixed32(let bits) = content else { throw file.malformed }
    return Float(bitPattern: bits)
  }

  /// A number of 64 bits.
  package func double() throws(ImportError) -> Double {
    guard case .fixed64(let bits) = content else { throw file.malformed }
    return Double(bitPattern: bits)
  }

  // MARK: Bytes

  /// The place of the bytes in the file.
  package func range() throws(ImportError) -> Range<Int> {
    guard case .bytes(let range) = content else { throw file.malformed }
    return range
  }

  /// A text, which must be of UTF-8.
  package func string() throws(ImportError) -> String {
    guard let text = String(validating: try file.text(try range()), as: UTF8.self) else {
      throw file.malformed
    }
    return text
  }

  /// A text that becomes a key, within the limits on names.
  package func name() throws(ImportError) -> String {
    let name = try string()
    try file.check(name: name)
    return name
  }

  /// A text of bytes, in which those that are not of UTF-8 become U+FFFD.
  package func text() throws(ImportError) -> String {
    String(decoding: try file.text(try range()), as: UTF8.self)
  }

  /// A copy of the bytes.
  package func bytes() throws(ImportError) -> [UInt8] { try file.copy(try range()) }

  /// The bytes, which stay in the file unless they are few.
  package func stored() throws(ImportError) -> any StoredBytes { try file.stored(try range()) }

  /// A message in the field.
  package func message() throws(ImportError) -> WireMessage {
    let range = try range()
    try file.takeMessage(depth: depth + 1)
    return WireMessage(file, range, depth: depth + 1)
  }

  // MARK: Lists

  /// Appends the integers of a repeated field, packed or not.
  package func append(to list: inout [Int64]) throws(ImportError) {
    guard case .bytes(let range) = content else {
      try file.take(bytes: MemoryLayout<Int64>.size)
      list.append(try int64())
      return
    }
    var position = range.lowerBound
    while position < range.upperBound {
      try file.take(bytes: MemoryLayout<Int64>.size)
      list.append(
        Int64(bitPattern: try file.varint(at: &position, end: range.upperBound)))
    }
  }

  /// Appends the numbers of a repeated field of 32 bits, packed or not.
  package func append(to list: inout [Float]) throws(ImportError) {
    guard case .bytes(let range) = content else {
      try file.take(bytes: MemoryLayout<Float>.size)
      list.append(try float())
      return
    }
    try numbers(of: range, UInt32.self) { list.append(Float(bitPattern: $0)) }
  }

  /// Appends the numbers of a repeated field of 64 bits, packed or not.
  package func append(to list: inout [Double]) throws(ImportError) {
    guard case .bytes(let range) = content else {
      try file.take(bytes: MemoryLayout<Double>.size)
      list.append(try double())
      return
    }
    try numbers(of: range, UInt64.self) { list.append(Double(bitPattern: $0)) }
  }

  private func numbers<Bits: FixedWidthInteger>(
    of range: Range<Int>, _: Bits.Type, _ body: (Bits) -> Void
  ) throws(ImportError) {
    let width = MemoryLayout<Bits>.size
    guard range.count.isMultiple(of: width) else { throw file.malformed }
    let bytes = try file.copy(range)
    bytes.withUnsafeBytes { memory in
      for offset in stride(from: 0, to: memory.count, by: width) {
        body(Bits(littleEndian: memory.loadUnaligned(fromByteOffset: offset, as: Bits.self)))
      }
    }
  }
}
