/// The bytes of an HDF5 file's structure.
///
/// Structure lies scattered among the values: a window keeps a file of many gigabytes from being
/// read to find a few kilobytes, and every byte is counted against a budget in proportion to the
/// file.
final class HDF5Pages {
  /// A structure this long may be more than there is memory for.
  private static let longBytes = 1 << 14

  /// The file.
  let input: InputFile
  /// What reading the structure may still cost.
  let budget: LoadBudget
  private let window: InputWindow

  init(_ input: InputFile, _ budget: LoadBudget) {
    self.input = input
    self.budget = budget
    window = InputWindow(input)
  }

  /// The bytes of a range of the file.
  ///
  /// - Parameters:
  ///   - offset: where they begin in the file.
  ///   - length: how many; the caller has checked that the file has them.
  /// - Returns: the bytes.
  /// - Throws: that the budget is spent, or why the file cannot be read.
  func bytes(_ offset: Int, _ length: Int) throws(HDF5Fault) -> ArraySlice<UInt8> {
    try HDF5Fault.wrapping { () throws(LoadError) in
      try budget.take(bytes: length)
      if length > Self.longBytes { try AvailableMemory.checkArray(length, for: input.path) }
      return Array(try window.bytes(offset..<offset + length))[...]
    }
  }
}
