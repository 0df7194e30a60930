import Forge

/// Bytes of the model file or of one beside it, read when they are needed.
package struct FileRange: StoredBytes {
  private let file: InputFile
  private let range: Range<Int>

  /// Opens a file.
  ///
  /// - Throws: `LoadError` when the file cannot be opened or is too short.
  package init(path: String, offset: Int, byteCount: Int) throws(LoadError) {
    try self.init(
      try InputFile(path: path, staysOpen: false), offset: offset, byteCount: byteCount)
  }

  /// A range of an open file.
  ///
  /// - Throws: `LoadError` when the file is too short, mostly a hole, or larger than the memory.
  init(_ file: InputFile, offset: Int, byteCount: Int) throws(LoadError) {
    self.file = file
    let (end, overflow) = offset.addingReportingOverflow(byteCount)
    range = offset..<(overflow ? offset : end)
    try file.checkReadable(range)
  }

  package var identity: ValueIdentity? { file.identity(of: range) }
  package var filePlace: (file: InputFile, range: Range<Int>)? { (file, range) }

  package func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    try file.checkReadable(range)
    return try file.withUnsafeBytes(in: range, alignment: MemoryLayout<UInt64>.alignment, body)
  }
}
