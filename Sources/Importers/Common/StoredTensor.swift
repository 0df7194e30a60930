import Forge

/// A tensor as a model file stores it: an element type, sizes, and the bytes of its elements.
///
/// Unlike Forge's own tensors it keeps 64-bit integers, and its axes are those of the file.
public struct StoredTensor: Sendable, Hashable, Encodable {
  /// The type of the elements.
  public let elementType: ElementType
  /// The sizes, outermost first; none for a single element.
  public let sizes: [Int]
  /// The elements in little-endian order, the last axis innermost.
  public let bytes: [UInt8]

  /// The number of elements.
  public var count: Int { bytes.count / elementType.byteCount }

  /// Creates a tensor from its bytes.
  ///
  /// - Parameters:
  ///   - elementType: the type of the elements.
  ///   - sizes: the sizes, outermost first.
  ///   - bytes: the elements in little-endian order, the last axis innermost.
  /// - Throws: ``ImportError`` of kind `parameter` when the bytes do not fill the sizes.
  public init(elementType: ElementType, sizes: [Int], bytes: [UInt8]) throws(ImportError) {
    let needed = Shape.product(of: sizes)?.multipliedReportingOverflow(by: elementType.byteCount)
    guard let needed, !needed.overflow, needed.partialValue == bytes.count else {
      throw ImportError(
        .parameter, "the bytes do not fill the sizes", received: ImportError.bytes(bytes.count),
        needs: "\(StoredTensor.text(of: sizes)) elements of "
          + ImportError.bytes(elementType.byteCount))
    }
    self.elementType = elementType
    self.sizes = sizes
    self.bytes = bytes
  }

  /// Creates a tensor of numbers; each becomes the nearest element.
  ///
  /// - Parameters:
  ///   - floats: the numbers, the last axis innermost.
  ///   - sizes: the sizes, outermost first; `nil` for one axis.
  ///   - elementType: the type of the elements.
  /// - Throws: ``ImportError`` of kind `parameter` when the numbers do not fill the sizes.
  public init(
    floats: [Float], sizes: [Int]? = nil, elementType: ElementType = .float32
  ) throws(ImportError) {
    try self.init(
      elementType: elementType, sizes: sizes ?? [floats.count], bytes: elementType.bytes(of: floats)
    )
  }

  /// Creates a tensor of 64-bit integers.
  ///
  /// - Parameters:
  ///   - int64s: the integers, the last axis innermost.
  ///   - sizes: the sizes, outermost first; `nil` for one axis.
  /// - Throws: ``ImportError`` of kind `parameter` when the integers do not fill the sizes.
  public init(int64s: [Int64], sizes: [Int]? = nil) throws(ImportError) {
    try self.init(
      elementType: .int64, sizes: sizes ?? [int64s.count],
      bytes: ElementType.littleEndian(int64s) { $0 })
  }

  /// The elements as Float32, rounded to nearest; Booleans are 0 and 1.
  public var floats: [Float] {
    bytes.withUnsafeBytes { bytes in
      [Float](unsafeUninitializedCapacity: count) { buffer, written in
        elementType.convert(bytes, into: UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
        written = count
      }
    }
  }

  /// The elements as integers, or `nil` for a type that is not of integers or Booleans.
  public var int64s: [Int64]? {
    func all<Element: FixedWidthInteger>(_: Element.Type) -> [Int64] {
      bytes.withUnsafeBytes { bytes in
        (0..<count).map { index in
          let offset = index * MemoryLayout<Element>.size
          return Int64(
            truncatingIfNeeded: Element(
              littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Element.self)))
        }
      }
    }
    switch elementType {
    case .int8: return all(Int8.self)
    case .uint8: return all(UInt8.self)
    case .int32: return all(Int32.self)
    case .int64: return all(Int64.self)
    case .bool: return bytes.map { $0 == 0 ? 0 : 1 }
    case .float32, .float16, .bfloat16, .float64: return nil
    }
  }

  /// The sizes as text: `1×3×224×224`, `a single value`.
  package static func text(of sizes: [Int]) -> String {
    sizes.isEmpty ? "a single value" : sizes.map(String.init).joined(separator: "×")
  }
}

extension ElementType {
  /// The bytes of integers in little-endian order.
  static func littleEndian<Value, Integer: FixedWidthInteger>(
    _ values: [Value], _ integer: (Value) -> Integer
  ) -> [UInt8] {
    let width = MemoryLayout<Integer>.size
    return [UInt8](unsafeUninitializedCapacity: values.count * width) { buffer, written in
      let memory = UnsafeMutableRawBufferPointer(buffer)
      for (index, value) in values.enumerated() {
        memory.storeBytes(
          of: integer(value).littleEndian, toByteOffset: index * width, as: Integer.self)
      }
      written = values.count * width
    }
  }

  /// The little-endian elements of this type that are nearest to the numbers.
  ///
  /// Numbers beyond the integers of the type become its smallest or largest, NaN becomes 0, and
  /// every number but 0 is true.
  package func bytes(of floats: [Float]) -> [UInt8] {
    switch self {
    case .float32: Self.littleEndian(floats) { $0.bitPattern }
    case .float64: Self.littleEndian(floats) { Double($0).bitPattern }
    case .float16: Self.littleEndian(floats) { Float16($0).bitPattern }
    case .bfloat16: Self.littleEndian(floats) { $0.bfloat16Bits }
    case .int8: Self.littleEndian(floats) { Int8(clampingNearest: $0) }
    case .uint8: Self.littleEndian(floats) { UInt8(clampingNearest: $0) }
    case .int32: Self.littleEndian(floats) { Int32(clampingNearest: $0) }
    case .int64: Self.littleEndian(floats) { Int64(clampingNearest: $0) }
    case .bool: floats.map { $0 == 0 ? 0 : 1 }
    }
  }
}

extension FixedWidthInteger {
  /// The integer nearest to a number, ties to even, within the range of the type; 0 for NaN.
  fileprivate init(clampingNearest value: Float) {
    let rounded = value.rounded(.toNearestOrEven)
    if rounded.isNaN {
      self = 0
    } else {
      self = Self(exactly: rounded) ?? (rounded < 0 ? .min : .max)
    }
  }
}
