/// A cache of the pages of a file for a parser that reads small structures at random offsets.
///
/// It bounds the number of reads and the memory, however large the file is. It belongs to one
/// thread.
final class InputWindow {
  /// Small pages, because the structures of a large file lie far apart.
  private static let pageBytes = 1 << 13
  private static let maximumPages = 1 << 10

  private let file: InputFile
  private var pages: [Int: [UInt8]] = [:]
  private var long: (range: Range<Int>, bytes: [UInt8])?

  init(_ file: InputFile) {
    self.file = file
  }

  /// The bytes of a range; throws as ``InputFile/array(_:)`` does.
  func bytes(_ range: Range<Int>) throws(LoadError) -> ArraySlice<UInt8> {
    let index = range.lowerBound / Self.pageBytes
    let start = index * Self.pageBytes
    // The file reports a range outside of it.
    guard range.lowerBound >= 0, range.upperBound <= file.count,
      range.upperBound - start <= Self.pageBytes
    else {
      if let long, long.range == range { return long.bytes[...] }
      long = nil
      let bytes = try file.array(range)
      long = (range, bytes)
      return bytes[...]
    }
    let page: [UInt8]
    if let known = pages[index] {
      page = known
    } else {
      if pages.count >= Self.maximumPages { pages.removeAll(keepingCapacity: true) }
      page = try file.array(start..<min(start + Self.pageBytes, file.count))
      pages[index] = page
    }
    return page[(range.lowerBound - start)..<(range.upperBound - start)]
  }
}
