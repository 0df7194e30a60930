/// The bytes of an HDF5 file's structure, read in pages that are kept while there is room.
///
/// Structure lies scattered among the values: pages keep a file of many gigabytes from being read
/// to find a few kilobytes, and every byte is counted against a budget in proportion to the file.
final class HDF5Pages {
  private static let pageBytes = 1 << 14
  private static let maximumPages = 1 << 10

  /// The file.
  let input: InputFile
  /// What reading the structure may still cost.
  let budget: LoadBudget
  private var pages: [Int: [UInt8]] = [:]

  init(_ input: InputFile, _ budget: LoadBudget) {
    self.input = input
    self.budget = budget
  }

  /// The bytes of a range of the file.
  ///
  /// - Parameters:
  ///   - offset: where they begin in the file.
  ///   - length: how many; the caller has checked that the file has them.
  /// - Returns: the bytes.
  /// - Throws: that the budget is spent, or why the file cannot be read.
  func bytes(_ offset: Int, _ length: Int) throws(HDF5Fault) -> ArraySlice<UInt8> {
    do throws(LoadError) {
      try budget.take(bytes: length)
      let page = offset / Self.pageBytes
      let start = offset - page * Self.pageBytes
      guard start + length <= Self.pageBytes else { return try read(offset, length)[...] }
      let bytes = try bytes(ofPage: page)
      return bytes[start..<start + length]
    } catch {
      throw .outside(error)
    }
  }

  private func bytes(ofPage page: Int) throws(LoadError) -> [UInt8] {
    if let known = pages[page] { return known }
    let start = page * Self.pageBytes
    let bytes = try read(start, min(Self.pageBytes, input.count - start))
    if pages.count >= Self.maximumPages { pages = [:] }
    pages[page] = bytes
    return bytes
  }

  private func read(_ offset: Int, _ length: Int) throws(LoadError) -> [UInt8] {
    if length > Self.pageBytes {
      try AvailableMemory.checkArray(length, for: input.path)
    }
    var failure: LoadError?
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { memory, count in
      do throws(LoadError) {
        try input.read(
          offset..<offset + length,
          into: UnsafeMutableRawBufferPointer(
            UnsafeMutableBufferPointer(rebasing: memory[..<length])))
        count = length
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
