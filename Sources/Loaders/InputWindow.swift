/// The bytes of a file for a parser that goes to and fro in it.
///
/// It keeps the pages that were read last, so that neighbouring structures cost one read, and a
/// bounded amount of memory however large the file is. It belongs to one thread.
final class InputWindow {
  /// Small pages: the structures of a large file lie far apart.
  private static let pageBytes = 1 << 13
  private static let maximumPages = 1 << 10

  /// The file.
  let file: InputFile
  private var pages: [Int: FileBytes] = [:]
  private var long: (range: Range<Int>, bytes: FileBytes)?

  /// A window on a file.
  init(_ file: InputFile) {
    self.file = file
  }

  /// The bytes of a range; valid until the next call.
  ///
  /// - Throws: ``LoadError``, as ``InputFile/read(_:into:)`` does, and `outOfMemory`.
  func bytes(_ range: Range<Int>) throws(LoadError) -> UnsafeRawBufferPointer {
    let index = range.lowerBound / Self.pageBytes
    let start = index * Self.pageBytes
    // A range outside the file is an error of the file's own.
    guard range.lowerBound >= 0, range.upperBound <= file.count,
      range.upperBound - start <= Self.pageBytes
    else { return try longBytes(range) }
    let page: FileBytes
    if let known = pages[index] {
      page = known
    } else {
      if pages.count >= Self.maximumPages { pages.removeAll(keepingCapacity: true) }
      page = try file.bytes(start..<min(start + Self.pageBytes, file.count))
      pages[index] = page
    }
    return UnsafeRawBufferPointer(
      rebasing: page.bytes[(range.lowerBound - start)..<(range.upperBound - start)])
  }

  /// Bytes that lie in several pages; the last are kept.
  private func longBytes(_ range: Range<Int>) throws(LoadError) -> UnsafeRawBufferPointer {
    if let long, long.range == range { return long.bytes.bytes }
    long = nil
    let bytes = try file.bytes(range)
    long = (range, bytes)
    return bytes.bytes
  }
}
