/// The bytes of a file: a copy in memory, or the file itself where it is mapped.
package final class StoredBytes: Sendable {
  /// The bytes, valid while this object exists and never written.
  nonisolated(unsafe) package let bytes: UnsafeRawBufferPointer
  private let copy: AlignedMemory?

  /// A copy of bytes, which `fill` writes.
  ///
  /// - Throws: `NoMemory`, and what `fill` throws.
  package init(
    count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void
  ) throws {
    let memory = try AlignedMemory(byteCount: count, isZeroed: false, fill: fill)
    copy = memory
    bytes = UnsafeRawBufferPointer(rebasing: memory.bytes.prefix(count))
  }

  /// The bytes of an open file, which processes that map it share; `nil` if the system refuses.
  ///
  /// A file that another program cuts while it is mapped ends the process that reads it, so
  /// only files are mapped that no other program writes.
  package init?(mapping file: Int32, count: Int) {
    guard count > 0, let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, file, 0),
      start != MAP_FAILED
    else { return nil }
    copy = nil
    bytes = UnsafeRawBufferPointer(start: start, count: count)
  }

  deinit {
    if copy == nil {
      munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    }
  }
}
