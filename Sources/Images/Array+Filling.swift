#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Array {
  /// Creates an array of at most `capacity` elements; `fill` returns the number it has written.
  ///
  /// An array traps when the system refuses memory, so the system is asked first. Another thread
  /// may still take the memory in between.
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

  /// Throws when the system refuses an allocation of this size.
  private static func checkMemory(byteCount: Int) throws(ImageError) {
    // Small arrays come from memory that the process already has.
    guard byteCount >= 1 << 16 else { return }
    // mmap rather than malloc, because a compiler may remove a pair of malloc and free. The extra
    // page allows for the header of an array.
    let length = byteCount + (1 << 12)
    guard
      let memory = mmap(
        nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      memory != MAP_FAILED
    else { throw .outOfMemory(byteCount: byteCount) }
    munmap(memory, length)
  }
}
