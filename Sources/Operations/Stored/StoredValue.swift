/// A fact of a compiled file.
///
/// A type writes its parts in an order and reads them in the same. There is no tag: both belong to
/// one version of Forge, which the file states.
package protocol StoredValue {
  func write(to writer: inout StoredWriter)
  init(from reader: inout StoredReader) throws(StoredMisfit)
}

extension StoredValue where Self: FixedWidthInteger {
  package func write(to writer: inout StoredWriter) {
    withUnsafeBytes(of: littleEndian) { writer.write(bytes: $0) }
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    let bytes = try reader.bytes(MemoryLayout<Self>.size)
    self = Self(littleEndian: bytes.loadUnaligned(as: Self.self))
  }
}

extension Int: StoredValue {}
extension Int32: StoredValue {}
extension Int64: StoredValue {}
extension UInt8: StoredValue {}
extension UInt32: StoredValue {}
extension UInt64: StoredValue {}

extension Bool: StoredValue {
  package func write(to writer: inout StoredWriter) { writer.write(UInt8(self ? 1 : 0)) }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    switch try reader.read(UInt8.self) {
    case 0: self = false
    case 1: self = true
    default: throw .damaged
    }
  }
}

extension String: StoredValue {
  package func write(to writer: inout StoredWriter) {
    var text = self
    text.withUTF8 { bytes in
      writer.write(bytes.count)
      writer.write(bytes: UnsafeRawBufferPointer(bytes))
    }
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    let count = try reader.count()
    self = String(decoding: try reader.bytes(count), as: UTF8.self)
  }
}

extension Array: StoredValue where Element: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(count)
    for element in self { writer.write(element) }
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self = []
    for _ in 0..<(try reader.count()) { append(try reader.read()) }
  }
}

extension Optional: StoredValue where Wrapped: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(self != nil)
    if let self { writer.write(self) }
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self = try reader.read(Bool.self) ? try reader.read(Wrapped.self) : nil
  }
}

extension Dictionary: StoredValue where Key: StoredValue & Comparable, Value: StoredValue {
  /// Entries are written in the order of their keys, so that equal facts have equal bytes.
  package func write(to writer: inout StoredWriter) {
    writer.write(count)
    for (key, value) in sorted(by: { $0.key < $1.key }) {
      writer.write(key)
      writer.write(value)
    }
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    self = [:]
    for _ in 0..<(try reader.count()) {
      let key = try reader.read(Key.self)
      self[key] = try reader.read(Value.self)
    }
  }
}
