import ForgeShapes

/// The values of one parameter that are read from a file when they are used.
struct StoredValues: ParameterData {
  let count: Int
  let elementType: ElementType
  let layout: ParameterLayout
  let sizes: [Int]?
  var origin: String { bytes.origin }
  var temporaryByteCount: Int { bytes.temporaryByteCount(from: 0) }
  private let bytes: FileRange

  /// Values in `bytes`, which hold exactly `count` of them.
  init(
    _ bytes: FileRange, count: Int, elementType: ElementType, layout: ParameterLayout,
    sizes: [Int]?
  ) {
    self.bytes = bytes
    self.count = count
    self.elementType = elementType
    self.layout = layout
    self.sizes = sizes
  }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try bytes.withUnsafeBytes(from: 0, body)
  }

  func read(into memory: UnsafeMutableRawBufferPointer) throws {
    try bytes.read(from: 0, into: memory)
  }
}
