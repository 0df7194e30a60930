import Foundation

/// Elements of tensors as JSON.
extension TensorData {
  /// Reads the elements of an input, nested or flat.
  ///
  /// - Parameters:
  ///   - json: the value of `data`.
  ///   - name: the name of the tensor, for messages.
  ///   - datatype: the type of the elements.
  ///   - shape: the sizes, which the elements must fill.
  /// - Throws: ``ServingError`` of kind `invalid`.
  init(
    json: ArraySlice<UInt8>, name: String, datatype: Datatype, shape: [Int]
  ) throws(ServingError) {
    let count = try Self.elementCount(of: shape, name: name)
    // An element takes two characters, so that no shape makes room for more than the text has.
    guard count <= json.count else {
      throw .invalid("the data of \"\(name)\" do not fill its shape \(shape)")
    }
    var content: [UInt8] = []
    content.reserveCapacity(count * (datatype.byteCount ?? 8))
    var cursor = JSONCursor(json)
    var found = 0
    try cursor.elements { (cursor) throws(ServingError) in
      found += 1
      guard found <= count else {
        throw .invalid("the data of \"\(name)\" are more than its shape \(shape) has")
      }
      try Self.append(&cursor, as: datatype, of: name, to: &content)
    }
    guard found == count else {
      throw .invalid("the data of \"\(name)\" are \(found) elements, and \(shape) needs \(count)")
    }
    self.init(name: name, datatype: datatype, shape: shape, content: content[...])
  }

  /// Reads one element.
  private static func append(
    _ cursor: inout JSONCursor, as datatype: Datatype, of name: String, to content: inout [UInt8]
  ) throws(ServingError) {
    switch datatype {
    case .bool: content.append(try flag(&cursor, of: name) ? 1 : 0)
    case .uint8: append(try integer(&cursor, UInt8.self, of: name), to: &content)
    case .uint16: append(try integer(&cursor, UInt16.self, of: name), to: &content)
    case .uint32: append(try integer(&cursor, UInt32.self, of: name), to: &content)
    case .uint64: append(try integer(&cursor, UInt64.self, of: name), to: &content)
    case .int8: append(try integer(&cursor, Int8.self, of: name), to: &content)
    case .int16: append(try integer(&cursor, Int16.self, of: name), to: &content)
    case .int32: append(try integer(&cursor, Int32.self, of: name), to: &content)
    case .int64: append(try integer(&cursor, Int64.self, of: name), to: &content)
    case .float32:
      let value = Float(try number(&cursor, of: name))
      guard value.isFinite else { throw outOfRange(name, datatype) }
      append(value.bitPattern, to: &content)
    case .float64: append(try number(&cursor, of: name).bitPattern, to: &content)
    case .bytes:
      guard try cursor.kind() == .string else {
        throw .invalid("the data of \"\(name)\" must be strings, because its datatype is BYTES")
      }
      append(try cursor.utf8(), to: &content)
    case .float16, .bfloat16: throw noForm(datatype, of: "the input \"\(name)\"")
    }
  }

  private static func noForm(_ datatype: Datatype, of tensor: String) -> ServingError {
    .invalid("\(tensor) is \(datatype.rawValue), which JSON has no form for: use binary data")
  }

  private static func outOfRange(_ name: String, _ datatype: Datatype) -> ServingError {
    .invalid("the data of \"\(name)\" have a number that is not one of \(datatype.rawValue)")
  }

  private static func append(_ value: some FixedWidthInteger, to content: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { content.append(contentsOf: $0) }
  }

  private static func flag(
    _ cursor: inout JSONCursor, of name: String
  ) throws(ServingError) -> Bool {
    if try cursor.kind() == .flag { return try cursor.flag() }
    return try integer(&cursor, UInt8.self, of: name) != 0
  }

  private static func integer<Value: FixedWidthInteger>(
    _ cursor: inout JSONCursor, _: Value.Type, of name: String
  ) throws(ServingError) -> Value {
    let text = try cursor.number()
    var value: Value = 0
    let isNegative = text.first == UInt8(ascii: "-")
    for byte in isNegative ? text.dropFirst() : text {
      let digit = byte &- UInt8(ascii: "0")
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, excess) =
        isNegative
        ? product.subtractingReportingOverflow(Value(digit & 15))
        : product.addingReportingOverflow(Value(digit & 15))
      guard digit < 10, !overflow, !excess else {
        throw .invalid(
          "the data of \"\(name)\" have a number that is not an integer of \(Value.self): "
            + String(decoding: text.prefix(40), as: UTF8.self))
      }
      value = sum
    }
    return value
  }

  private static func number(
    _ cursor: inout JSONCursor, of name: String
  ) throws(ServingError) -> Double {
    let text = try cursor.number()
    // The grammar of the number has been checked; a short copy ends with a zero byte.
    let value = withUnsafeTemporaryAllocation(of: CChar.self, capacity: text.count + 1) { buffer in
      var end = 0
      for byte in text {
        buffer[end] = CChar(bitPattern: byte)
        end += 1
      }
      buffer[end] = 0
      return buffer.baseAddress.map { strtod($0, nil) } ?? .nan
    }
    guard value.isFinite else { throw outOfRange(name, .float64) }
    return value
  }

  // MARK: Writing

  /// Writes the elements as a flat array.
  ///
  /// - Throws: ``ServingError`` for a type or a number that JSON has no form for.
  func write(to writer: inout JSONWriter) throws(ServingError) {
    try writer.array { (writer) throws(ServingError) in
      switch datatype {
      case .bool: for byte in content { writer.value(byte != 0) }
      case .uint8: write(UInt8.self, &writer)
      case .uint16: write(UInt16.self, &writer)
      case .uint32: write(UInt32.self, &writer)
      case .uint64: write(UInt64.self, &writer)
      case .int8: write(Int8.self, &writer)
      case .int16: write(Int16.self, &writer)
      case .int32: write(Int32.self, &writer)
      case .int64: write(Int64.self, &writer)
      case .float32:
        for bits in integers(UInt32.self) {
          let value = Float(bitPattern: bits)
          guard value.isFinite else { throw notFinite() }
          writer.literal("\(value)")
        }
      case .float64:
        for bits in integers(UInt64.self) {
          let value = Double(bitPattern: bits)
          guard value.isFinite else { throw notFinite() }
          writer.literal("\(value)")
        }
      case .bytes:
        let count = try Self.elementCount(of: shape, name: name)
        for string in try strings(count) {
          writer.value(utf8: String(decoding: string, as: UTF8.self).utf8)
        }
      case .float16, .bfloat16: throw Self.noForm(datatype, of: "the output \"\(name)\"")
      }
    }
  }

  private func notFinite() -> ServingError {
    .invalid(
      "the output \"\(name)\" has a value that is not finite, which JSON has no form for: use "
        + "binary data")
  }

  private func write<Value: FixedWidthInteger>(_ type: Value.Type, _ writer: inout JSONWriter) {
    for value in integers(type) { writer.value(value) }
  }

  /// The elements as integers of the same size.
  private func integers<Value: FixedWidthInteger>(_: Value.Type) -> [Value] {
    content.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: MemoryLayout<Value>.size).map {
        Value(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Value.self))
      }
    }
  }
}
