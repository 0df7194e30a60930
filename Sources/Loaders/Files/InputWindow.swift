/// A page cache of a file, for parsers that read small structures at random offsets.
///
/// It bounds memory use for files of any size. It is not thread-safe.
final class InputWindow {
  /// Pages are small, because the structures of a large file are far apart.
  private static let pageBytes = 1 << 13
  private static let maximumPages = 1 << 10

  private let file: InputFile
  private var pages: [Int: [UInt8]] = [:]
  private var long: (range: Range<Int>, bytes: [UInt8])?

  init(_ file: InputFile) {
    self.file = file
  }

  /// The bytes of a range; throws what ``InputFile/array(_:)`` throws.
  func bytes(_ range: Range<Int>) throws(LoadError) -> ArraySlice<UInt8> {
    let index = range.lowerBound / Self.pageBytes
    let start = index * Self.pageBytes
    // The file throws for a range that lies outside it.
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
