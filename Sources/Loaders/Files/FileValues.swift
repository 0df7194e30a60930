import ForgeShapes

/// The values of one parameter that fill a file, or a part of one, and are read when they are used.
struct StoredValues: ParameterData {
  let file: InputFile
  let count: Int
  let elementType: ElementType
  let layout: ParameterLayout
  let sizes: [Int]?

  var origin: String { file.origin }
  var temporaryByteCount: Int {
    file.temporaryByteCount(in: 0..<file.count, alignment: elementType.byteCount)
  }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try file.withUnsafeBytes(in: 0..<file.count, alignment: elementType.byteCount, body)
  }

  func read(into memory: UnsafeMutableRawBufferPointer) throws {
    try file.read(0..<file.count, into: memory)
  }
}
