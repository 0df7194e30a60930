import Forge

/// Bytes of the model file or of one beside it, read when they are needed.
package struct FileRange: StoredBytes {
  private let file: InputFile
  private let range: Range<Int>

  /// Opens a file.
  ///
  /// - Throws: `LoadError` when the file cannot be opened or is too short.
  package init(path: String, offset: Int, byteCount: Int) throws(LoadError) {
    file = try InputFile(path: path, staysOpen: false)
    let (end, overflow) = offset.addingReportingOverflow(byteCount)
    range = offset..<(overflow ? offset : end)
    // Reading nothing checks the range.
    try file.check(range)
  }

  package func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    var bytes = [UInt8](repeating: 0, count: range.count)
    try bytes.withUnsafeMutableBytes { try file.read(range, into: $0) }
    return try bytes.withUnsafeBytes(body)
  }
}
