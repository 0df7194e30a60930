import ForgeSystem

extension FileDescriptor {
  /// The bytes that a thread reads at a time.
  private static let partBytes = 4 << 20

  /// Reads the beginning of the file with some threads.
  ///
  /// The first touch of memory takes as long as reading it, so threads help although the file
  /// is in the page cache.
  ///
  /// - Returns: whether the file has all these bytes.
  /// - Throws: ``LoadError`` of kind `unreadable`.
  package func fill(
    _ memory: UnsafeMutableRawBufferPointer, threads: Int
  ) throws(LoadError) -> Bool {
    // Each thread writes parts of its own, and is joined before the memory is used.
    nonisolated(unsafe) let output = memory
    let results = ForkSafe<[Result<Bool, LoadError>]>([])
    let parts = (output.count + Self.partBytes - 1) / Self.partBytes
    SharedWork.run(parts: parts, threads: threads) { [self] part in
      let bytes = UnsafeMutableRawBufferPointer(
        rebasing: output[(part * Self.partBytes)...].prefix(Self.partBytes))
      let result = Result { () throws(LoadError) in
        try read(at: part * Self.partBytes, into: bytes) == bytes.count
      }
      results.withLock { $0.append(result) }
    }
    var isWhole = true
    for result in results.withLock(\.self) { isWhole = try result.get() && isWhole }
    return isWhole
  }
}
