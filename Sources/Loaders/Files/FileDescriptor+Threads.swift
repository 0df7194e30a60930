import ForgeSystem

extension FileDescriptor {
  /// The bytes below which one thread reads a file.
  private static let leastShare = 4 << 20

  /// Reads the beginning of the file with some threads, each of which reads a part.
  ///
  /// The first touch of memory takes as long as reading it, so that threads help although the file
  /// is in the page cache.
  ///
  /// - Returns: whether the file has all these bytes.
  /// - Throws: ``LoadError`` of kind `unreadable`.
  package func fill(
    _ memory: UnsafeMutableRawBufferPointer, threads: Int
  ) throws(LoadError) -> Bool {
    let shares = Swift.max(Swift.min(threads, memory.count / Self.leastShare), 1)
    let share = (memory.count + shares - 1) / shares
    // Each thread writes a part of its own, and is joined before the memory is used.
    nonisolated(unsafe) let output = memory
    let results = ForkSafe<[Result<Bool, LoadError>]>([])
    let work: @Sendable (Int) -> Void = { index in
      let range =
        Swift.min(index * share, output.count)..<Swift.min((index + 1) * share, output.count)
      let part = UnsafeMutableRawBufferPointer(rebasing: output[range])
      let result = Result { () throws(LoadError) in
        try self.read(at: range.lowerBound, into: part) == part.count
      }
      results.withLock { $0.append(result) }
    }
    var others: [JoinedThread] = []
    for index in 1..<shares {
      if let thread = JoinedThread({ work(index) }) {
        others.append(thread)
      } else {
        work(index)
      }
    }
    work(0)
    for thread in others { thread.join() }
    var isWhole = true
    for result in results.withLock(\.self) { isWhole = try result.get() && isWhole }
    return isWhole
  }
}
