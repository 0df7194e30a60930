#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Array {
  /// An array of at most `capacity` elements, as many as `fill` says that it has written.
  ///
  /// Memory that the system refuses ends the process when an array asks for it, so that the system
  /// is asked before. What another thread takes in between is not foreseen.
  init(
    filling capacity: Int,
    _ fill: (UnsafeMutableBufferPointer<Element>) throws(ImageError) -> Int
  ) throws(ImageError) {
    try Self.checkMemory(byteCount: capacity * MemoryLayout<Element>.stride)
    var failure: ImageError?
    self.init(unsafeUninitializedCapacity: capacity) { buffer, initialized in
      do throws(ImageError) {
        initialized = try fill(buffer)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// Throws when the system refuses memory for so many bytes.
  private static func checkMemory(byteCount: Int) throws(ImageError) {
    // Small arrays come from memory that the process has, or needs for anything it does.
    guard byteCount >= 1 << 16 else { return }
    // Not malloc, whose call a compiler may take away together with that of free. An array has a
    // header of its own.
    let length = byteCount + (1 << 12)
    guard
      let memory = mmap(
        nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      memory != MAP_FAILED
    else { throw .outOfMemory(byteCount: byteCount) }
    munmap(memory, length)
  }
}
