import ForgeShapes

extension ElementType {
  /// Fills `floats` with converted little-endian values of this type, at any alignment; `bytes`
  /// must hold at least that many values.
  package func convert(
    _ bytes: UnsafeRawBufferPointer, into floats: UnsafeMutableBufferPointer<Float>
  ) {
    func fill<Element: BitwiseCopyable>(_: Element.Type, _ float: (Element) -> Float) {
      let width = MemoryLayout<Element>.size
      for index in floats.indices {
        floats.initializeElement(
          at: index,
          to: float(bytes.loadUnaligned(fromByteOffset: index * width, as: Element.self)))
      }
    }
    switch self {
    case .float32: fill(UInt32.self) { Float(bitPattern: $0) }
    case .float16: fill(UInt16.self) { Float(halfPrecision: $0) }
    case .bfloat16: fill(UInt16.self) { Float(bfloat16: $0) }
    case .float64: fill(Double.self) { Float($0) }
    case .int8: fill(Int8.self) { Float($0) }
    case .uint8: fill(UInt8.self) { Float($0) }
    case .int32: fill(Int32.self) { Float($0) }
    case .int64: fill(Int64.self) { Float($0) }
    case .bool: fill(UInt8.self) { $0 == 0 ? 0 : 1 }
    }
  }
}
