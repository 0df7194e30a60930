import ForgeShapes

/// The values of one parameter where they lie in a mapped file.
struct MappedValues: ParameterData {
  let count: Int
  let elementType: ElementType
  let layout: ParameterLayout
  let sizes: [Int]?
  var origin: String { bytes.origin }
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
    try bytes.withUnsafeBytes(body)
  }
}
