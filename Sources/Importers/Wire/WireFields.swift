import Forge

/// The fields of a message that are asked for by number, wherever they are in it.
///
/// A field that is not there has the value of Protocol Buffers: 0, no bytes, an empty list. Of a
/// number that is there several times the last one counts, and such messages are merged.
struct WireFields {
  private let fields: [WireField]

  /// As many fields of a message are free; each further one counts toward the budget.
  private static let freeCount = 64

  /// Reads the fields of a message.
  ///
  /// - Throws: ``ImportError``: `malformed`, `unreadable` or `tooLarge`.
  init(_ message: WireMessage) throws(ImportError) {
    try self.init([message])
  }

  /// Reads the fields of messages, which count as one.
  ///
  /// - Throws: ``ImportError``: `malformed`, `unreadable` or `tooLarge`.
  init(_ messages: [WireMessage]) throws(ImportError) {
    var fields: [WireField] = []
    for message in messages {
      try message.forEachField { field throws(ImportError) in
        if fields.count >= Self.freeCount {
          try field.file.take(bytes: MemoryLayout<WireField>.stride)
        }
        fields.append(field)
      }
    }
    self.fields = fields
  }

  /// The number of the last field of some numbers: what is chosen of alternatives.
  func last(where isWanted: (Int) -> Bool) -> Int? {
    fields.last { isWanted($0.number) }?.number
  }

  /// Whether a field is there.
  func has(_ number: Int) -> Bool { fields.contains { $0.number == number } }

  // MARK: Single values

  private func last(_ number: Int) -> WireField? { fields.last { $0.number == number } }

  /// An integer.
  func int(_ number: Int) throws(ImportError) -> Int { try last(number)?.int() ?? 0 }

  /// A Boolean.
  func bool(_ number: Int) throws(ImportError) -> Bool { try last(number)?.bool() ?? false }

  /// A number of 32 bits.
  func float(_ number: Int) throws(ImportError) -> Float { try last(number)?.float() ?? 0 }

  /// A number of 64 bits.
  func double(_ number: Int) throws(ImportError) -> Double { try last(number)?.double() ?? 0 }

  /// A text.
  func string(_ number: Int) throws(ImportError) -> String { try last(number)?.string() ?? "" }

  /// A text that becomes a key, within the limits on names.
  func name(_ number: Int) throws(ImportError) -> String { try last(number)?.name() ?? "" }

  /// A copy of bytes.
  func bytes(_ number: Int) throws(ImportError) -> [UInt8] { try last(number)?.bytes() ?? [] }

  /// Bytes, which stay in the file unless they are few; `nil` for none.
  func stored(_ number: Int) throws(ImportError) -> WireBytes? {
    guard let field = last(number) else { return nil }
    let count = try field.range().count
    return count == 0 ? nil : WireBytes(count: count, bytes: try field.stored())
  }

  // MARK: Lists

  /// Integers.
  func ints(_ number: Int) throws(ImportError) -> [Int] {
    var list: [Int64] = []
    for field in fields where field.number == number { try field.append(to: &list) }
    return list.map { Int($0) }
  }

  /// Booleans.
  func bools(_ number: Int) throws(ImportError) -> [Bool] { try ints(number).map { $0 != 0 } }

  /// Numbers of 32 bits.
  func floats(_ number: Int) throws(ImportError) -> [Float] {
    var list: [Float] = []
    for field in fields where field.number == number { try field.append(to: &list) }
    return list
  }

  /// Numbers of 64 bits.
  func doubles(_ number: Int) throws(ImportError) -> [Double] {
    var list: [Double] = []
    for field in fields where field.number == number { try field.append(to: &list) }
    return list
  }

  /// Numbers of 32 bits as bytes, which stay in the file if they are many; `nil` for none.
  func storedFloats(_ number: Int) throws(ImportError) -> WireBytes? {
    if let array = try array(number, width: MemoryLayout<Float>.size) { return array }
    let list = try floats(number)
    return list.isEmpty ? nil : WireBytes(ElementType.littleEndian(list) { $0.bitPattern })
  }

  /// Numbers of 64 bits as bytes, which stay in the file if they are many; `nil` for none.
  func storedDoubles(_ number: Int) throws(ImportError) -> WireBytes? {
    if let array = try array(number, width: MemoryLayout<Double>.size) { return array }
    let list = try doubles(number)
    return list.isEmpty ? nil : WireBytes(ElementType.littleEndian(list) { $0.bitPattern })
  }

  /// A list of numbers of some bytes in one piece, which has the form of an array in memory.
  private func array(_ number: Int, width: Int) throws(ImportError) -> WireBytes? {
    guard fields.count(where: { $0.number == number }) == 1, let field = last(number),
      case .bytes(let range) = field.content
    else { return nil }
    guard range.count.isMultiple(of: width) else { throw field.file.malformed }
    return try stored(number)
  }

  /// Texts.
  func strings(_ number: Int) throws(ImportError) -> [String] {
    var list: [String] = []
    for field in fields where field.number == number { list.append(try field.string()) }
    return list
  }

  /// Texts that become keys, within the limits on names.
  func names(_ number: Int) throws(ImportError) -> [String] {
    var list: [String] = []
    for field in fields where field.number == number { list.append(try field.name()) }
    return list
  }

  // MARK: Messages

  /// A message; `nil` if it is not there.
  func message(_ number: Int) throws(ImportError) -> WireFields? {
    let parts = try messages(number)
    return parts.isEmpty ? nil : try WireFields(parts)
  }

  /// Messages that are not read yet.
  func messages(_ number: Int) throws(ImportError) -> [WireMessage] {
    var list: [WireMessage] = []
    for field in fields where field.number == number { list.append(try field.message()) }
    return list
  }

  /// Messages.
  func list(_ number: Int) throws(ImportError) -> [WireFields] {
    var list: [WireFields] = []
    for message in try messages(number) { list.append(try WireFields(message)) }
    return list
  }

  /// The entries of a map from texts to messages or values, whose fields have the numbers 1 and 2.
  ///
  /// Of equal keys the last one counts.
  func map<Value>(
    _ number: Int, _ value: (WireFields) throws(ImportError) -> Value
  ) throws(ImportError) -> [String: Value] {
    var map: [String: Value] = [:]
    for entry in try messages(number) {
      let fields = try WireFields(entry)
      map[try fields.name(1)] = try value(fields)
    }
    return map
  }
}

/// Bytes of a file with their number.
struct WireBytes: Sendable {
  let count: Int
  let bytes: any StoredBytes

  init(count: Int, bytes: any StoredBytes) {
    self.count = count
    self.bytes = bytes
  }

  /// Bytes in memory.
  init(_ bytes: [UInt8]) {
    self.init(count: bytes.count, bytes: BytesInMemory(bytes))
  }
}
