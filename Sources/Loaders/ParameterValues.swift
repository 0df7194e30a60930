import ForgeShapes

/// The values of one parameter in memory.
///
/// ```swift
/// let network = try model.compile { name, count, type in
///   type == .weights ? ParameterValues(kernels[name] ?? [], layout: .keras) : nil
/// }
/// ```
/// Use ``init(bytes:elementType:layout:sizes:origin:)`` for values of any element type that your
/// program has decrypted, downloaded or generated.
public struct ParameterValues: ParameterData {
  private enum Storage: Sendable {
    case floats([Float])
    case bytes([UInt8])
  }

  /// The number of values.
  public let count: Int
  /// The type of the stored values.
  public let elementType: ElementType
  /// The axis order of the stored values.
  public let layout: ParameterLayout
  /// The sizes, in the axis order of the layout; `nil` if not given.
  public let sizes: [Int]?
  /// The origin of the values, for error messages.
  public let origin: String
  private let storage: Storage

  /// Wraps an array of values.
  ///
  /// - Parameters:
  ///   - values: the values.
  ///   - layout: their axis order.
  ///   - sizes: their sizes in that order; checked against the layer's when given.
  ///   - origin: the origin of the values, for error messages.
  public init(
    _ values: [Float], layout: ParameterLayout = .forge, sizes: [Int]? = nil,
    origin: String = "memory"
  ) {
    self.count = values.count
    self.elementType = .float32
    self.layout = layout
    self.sizes = sizes
    self.origin = origin
    self.storage = .floats(values)
  }

  /// Wraps the bytes of little-endian values of any type.
  ///
  /// - Parameters:
  ///   - bytes: the values, one after the other.
  ///   - elementType: their type.
  ///   - layout: their axis order.
  ///   - sizes: their sizes in that order; checked against the layer's when given.
  ///   - origin: the origin of the values, for error messages.
  /// - Throws: ``LoadError`` of kind `wrongSize` when the bytes are not a whole number of values.
  public init(
    bytes: [UInt8], elementType: ElementType, layout: ParameterLayout = .forge,
    sizes: [Int]? = nil, origin: String = "memory"
  ) throws(LoadError) {
    guard bytes.count.isMultiple(of: elementType.byteCount) else {
      throw .partOfAValue(origin, byteCount: bytes.count, elementType)
    }
    self.count = bytes.count / elementType.byteCount
    self.elementType = elementType
    self.layout = layout
    self.sizes = sizes
    self.origin = origin
    self.storage = .bytes(bytes)
  }

  /// Calls `body` with the bytes of the values.
  ///
  /// - Parameter body: receives `count` little-endian values.
  /// - Throws: what `body` throws.
  public func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    switch storage {
    case .floats(let values): try values.withUnsafeBytes(body)
    case .bytes(let bytes): try bytes.withUnsafeBytes(body)
    }
  }
}
