import Forge

/// A tensor whose values are known while importing: a stored weight, or a folded result.
///
/// Integers and Booleans are computed in Int64, everything else in Float.
package struct HostTensor: Sendable {
  /// Where the values are.
  package enum Storage: Sendable {
    /// Bytes of the file, decoded when they are needed.
    case stored(any StoredBytes)
    /// Numbers of a floating-point type.
    case floats([Float])
    /// Integers, or Booleans as 0 and 1.
    case integers([Int64])
    /// One number of a floating-point type for all elements, whose memory is not needed yet.
    case repeated(Float)
    /// Values computed from others, in memory or computed again when they are needed.
    case folded(FoldedValues)
  }

  /// The element type in the file.
  package var type: ElementType
  /// The sizes, outermost first; empty for a scalar.
  package var sizes: [Int]
  /// The values in row-major order.
  package var storage: Storage
  /// The scales of dequantized integers: one, or one for each entry of an axis; `nil` for other
  /// values.
  ///
  /// Movements keep them, and whoever relies on them checks the values.
  var scales: [Float]?
  /// The blocks of a matrix of 4-bit integers, [outputs, inputs]; `nil` for other values.
  ///
  /// They are kept and checked as ``scales`` are.
  var blocks: WeightBlocks?
  /// The memory of computed values, which the budget of the import counts until it is released.
  var held: ImportBudget.Held?

  /// Creates a tensor; the caller has checked that the sizes fit the values.
  package init(type: ElementType, sizes: [Int], storage: Storage) {
    self.type = type
    self.sizes = sizes
    self.storage = storage
  }

  /// Creates a tensor of values that the caller of an importer has given.
  init(_ given: StoredTensor) {
    self.init(
      type: given.elementType, sizes: given.sizes,
      storage: .stored(BytesInMemory(given.bytes)))
  }

  /// Creates a tensor of integers.
  package init(integers: [Int64], sizes: [Int], type: ElementType = .int64) {
    self.init(type: type, sizes: sizes, storage: .integers(integers))
  }

  /// Creates a tensor of Float32 numbers.
  package init(floats: [Float], sizes: [Int]) {
    self.init(type: .float32, sizes: sizes, storage: .floats(floats))
  }

  /// Creates a tensor without elements.
  package init(type: ElementType, sizes: [Int]) {
    self.init(type: type, sizes: sizes, storage: type.isInteger ? .integers([]) : .floats([]))
  }

  /// The number of values.
  package var count: Int { sizes.reduce(1, *) }

  /// Whether the elements are integers or Booleans.
  package var isInteger: Bool { type.isInteger }

  /// The values as Float.
  ///
  /// - Throws: what reading the file throws.
  package func floats() throws -> [Float] {
    if case .floats(let values) = storage { return values }
    if let folded { return try folded.tensor().floats() }
    try ImportBudget.take(count, width: MemoryLayout<Float>.size)
    switch storage {
    case .floats(let values): return values
    case .integers(let values): return values.map { Float($0) }
    case .repeated(let value): return Array(repeating: value, count: count)
    case .folded(let values): return try values.tensor().floats()
    case .stored(let bytes):
      let count = count
      return try bytes.withBytes { raw in
        [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
          let target = UnsafeMutableBufferPointer(rebasing: buffer[..<count])
          type.convert(raw, into: target)
          initialized = count
        }
      }
    }
  }

  /// The values as integers; fractions are cut off.
  ///
  /// - Throws: what reading the file throws.
  package func integers() throws -> [Int64] {
    if case .integers(let values) = storage { return values }
    if let folded { return try folded.tensor().integers() }
    try ImportBudget.take(count, width: MemoryLayout<Int64>.size)
    switch storage {
    case .integers(let values): return values
    case .floats(let values): return values.map { Int64(saturating: $0) }
    case .repeated(let value): return Array(repeating: Int64(saturating: value), count: count)
    case .folded(let values): return try values.tensor().integers()
    case .stored(let bytes):
      let count = count
      guard isInteger else { return try floats().map { Int64(saturating: $0) } }
      return try bytes.withBytes { raw in
        (0..<count).map { index in
          switch type {
          case .int64: raw.loadUnaligned(fromByteOffset: index * 8, as: Int64.self)
          case .int32: Int64(raw.loadUnaligned(fromByteOffset: index * 4, as: Int32.self))
          case .int8: Int64(raw.loadUnaligned(fromByteOffset: index, as: Int8.self))
          case .bool: raw[index] == 0 ? 0 : 1
          default: Int64(raw[index])
          }
        }
      }
    }
  }
}

extension HostTensor {
  /// The values with their type and sizes, as files hold them.
  ///
  /// - Throws: what reading the file throws.
  package func stored() throws -> StoredTensor {
    if let folded {
      var tensor = try folded.tensor()
      tensor.sizes = sizes
      return try tensor.stored()
    }
    try ImportBudget.keep(count, width: type.byteCount)
    let bytes: [UInt8]
    switch storage {
    case .stored(let source): bytes = try source.withBytes { Array($0) }
    case .floats, .repeated, .folded: bytes = type.bytes(of: try floats())
    case .integers(let values):
      bytes =
        switch type {
        case .int64: ElementType.littleEndian(values) { $0 }
        case .int32: ElementType.littleEndian(values) { Int32(clamping: $0) }
        case .int8: ElementType.littleEndian(values) { Int8(clamping: $0) }
        case .uint8: ElementType.littleEndian(values) { UInt8(clamping: $0) }
        case .bool: values.map { $0 == 0 ? 0 : 1 }
        case .float32, .float16, .bfloat16, .float64: type.bytes(of: values.map { Float($0) })
        }
    }
    return try StoredTensor(elementType: type, sizes: sizes, bytes: bytes)
  }
}

/// Bytes of a file that hold a tensor in row-major order, little-endian.
package protocol StoredBytes: Sendable {
  /// Calls `body` with the bytes.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result

  /// Where the bytes are; `nil` if it is not known.
  ///
  /// Equal identities mean equal bytes, as long as both exist.
  var identity: ValueIdentity? { get }

  /// The file and the place of the bytes, if a file holds them as they are.
  var filePlace: (file: InputFile, range: Range<Int>)? { get }
}

extension StoredBytes {
  /// `nil`: not known.
  package var identity: ValueIdentity? { nil }
  /// `nil`: not known.
  package var filePlace: (file: InputFile, range: Range<Int>)? { nil }
}

/// Bytes in memory.
package struct BytesInMemory: StoredBytes {
  private let bytes: [UInt8]

  /// Wraps bytes.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var identity: ValueIdentity? { ValueIdentity(array: bytes) }

  package func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    try bytes.withUnsafeBytes(body)
  }
}

extension ElementType {
  /// Whether values are integers or Booleans.
  package var isInteger: Bool {
    switch self {
    case .int8, .uint8, .int32, .int64, .bool: true
    case .float32, .float16, .bfloat16, .float64: false
    }
  }
}

extension ElementType {
  /// Whether values are integers that Float32 may not hold.
  var isWideInteger: Bool { self == .int32 || self == .int64 }
}

extension Int64 {
  /// The number without its fraction, within the bounds of the type; 0 for NaN.
  package init(saturating value: Float) {
    self =
      value.isNaN
      ? 0 : value >= 0x1p63 ? .max : value < -0x1p63 ? .min : Int64(value)
  }
}
