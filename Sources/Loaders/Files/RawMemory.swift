#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Bytes whose allocation may fail: sizes come from files and models, and Swift arrays trap.
package struct RawMemory: ~Copyable {
  private let start: UnsafeMutableRawPointer
  private let count: Int

  /// Allocates zeroed memory, aligned for any element type.
  ///
  /// - Throws: ``LoadError`` of kind `outOfMemory`.
  package init(byteCount: Int, for purpose: String) throws(LoadError) {
    try AvailableMemory.check(byteCount, for: purpose)
    guard byteCount >= 0, let start = calloc(max(byteCount, 1), 1) else {
      throw .outOfMemory(purpose, byteCount: byteCount)
    }
    self.start = start
    count = byteCount
  }

  deinit { free(start) }

  /// The memory; valid while the value lives.
  package var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: start, count: count)
  }

  /// Gives the memory away, to be freed by the caller with `free`.
  package consuming func release() -> UnsafeMutableRawPointer {
    let start = start
    discard self
    return start
  }
}
