/// `InferTensorContents`: the elements of an input by type, which some clients send.
struct InferTensorContents {
  /// The elements as the binary extension has them; empty without any.
  private(set) var bytes: [UInt8] = []

  /// Reads a message.
  ///
  /// - Throws: ``ServingError`` when a field does not belong to the datatype.
  init(
    _ message: ArraySlice<UInt8>, _ datatype: Datatype, of name: String
  ) throws(ServingError) {
    var reader = WireReader(message)
    while let field = try reader.next() {
      switch (field.number, datatype) {
      case (1, .bool): try append(field, UInt8.self, name) { $0 != 0 ? 1 : 0 }
      case (2, .int8): try append(field, Int8.self, name) { Self.signed32($0) }
      case (2, .int16): try append(field, Int16.self, name) { Self.signed32($0) }
      case (2, .int32): try append(field, Int32.self, name) { Self.signed32($0) }
      case (3, .int64): try append(field, Int64.self, name) { Int64(bitPattern: $0) }
      case (4, .uint8): try append(field, UInt8.self, name) { Int64(clamping: $0) }
      case (4, .uint16): try append(field, UInt16.self, name) { Int64(clamping: $0) }
      case (4, .uint32): try append(field, UInt32.self, name) { Int64(clamping: $0) }
      case (5, .uint64):
        try field.integers { (value) throws(ServingError) in
          withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
        }
      case (6, .float32), (7, .float64): try field.appendFixed(to: &bytes)
      case (8, .bytes): TensorData.append(try field.bytes, to: &bytes)
      case (1...8, _):
        throw .invalid(
          "the contents of \"\(name)\" are not those of \(datatype.rawValue); FP16 and BF16 need "
            + "raw_input_contents")
      default: break
      }
    }
  }

  /// The value of an `int32` field, which is sent as 64 bits.
  private static func signed32(_ value: UInt64) -> Int64 {
    Int64(Int32(truncatingIfNeeded: value))
  }

  private mutating func append<Value: FixedWidthInteger>(
    _ field: WireReader.Field, _: Value.Type, _ name: String, _ convert: (UInt64) -> Int64
  ) throws(ServingError) {
    try field.integers { (value) throws(ServingError) in
      guard let value = Value(exactly: convert(value)) else {
        throw .invalid("the contents of \"\(name)\" have a number that \(Value.self) cannot hold")
      }
      withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
  }
}
