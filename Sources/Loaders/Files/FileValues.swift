import ForgeShapes

/// The values of one parameter, which fill a file or a part of one and are read on use.
struct FileValues: FiledParameterData {
  let file: InputFile
  let count: Int
  let elementType: ElementType
  var layout: ParameterLayout
  let sizes: [Int]?
  /// Whether the file is in Fortran order, the first axis innermost; readers get C order.
  var isFortran = false

  var origin: String { file.origin }
  var filePlace: (file: InputFile, range: Range<Int>)? {
    isFortran ? nil : (file, 0..<file.count)
  }
  var temporaryByteCount: Int {
    file.temporaryByteCount(in: 0..<file.count, alignment: elementType.byteCount)
      + (isFortran ? file.count : 0)
  }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try withStoredBytes { stored in
      guard isFortran else { return try body(stored) }
      let memory = try RawMemory(byteCount: stored.count, for: origin)
      undoFortranOrder(of: stored, into: memory.bytes)
      try body(UnsafeRawBufferPointer(memory.bytes))
    }
  }

  func read(into memory: UnsafeMutableRawBufferPointer) throws {
    guard isFortran else { return try file.read(0..<file.count, into: memory) }
    guard memory.count == file.count else {
      throw file.located(.otherRoom(memory.count, needs: file.count))
    }
    try withStoredBytes { undoFortranOrder(of: $0, into: memory) }
  }

  private func withStoredBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try file.withUnsafeBytes(in: 0..<file.count, alignment: elementType.byteCount, body)
  }

  private func undoFortranOrder(
    of stored: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer
  ) {
    let sizes = sizes ?? []
    let strides: [Int] = Shape.strides(of: sizes.reversed()).reversed()
    AxisOrder.gather(
      stored, sizes: sizes, strides: strides, byteCount: elementType.byteCount, into: memory)
  }
}
