import ForgeSystem

extension Array {
  /// Creates an array of at most `capacity` elements; `fill` returns the number it has written.
  ///
  /// Array allocation traps on failure, so the available memory is checked first. Another thread
  /// may still take it in between. Inlined, so that loops in `fill` are fast.
  @inline(__always)
  init(
    filling capacity: Int,
    _ fill: (UnsafeMutableBufferPointer<Element>) throws(ImageError) -> Int
  ) throws(ImageError) {
    let byteCount = capacity * MemoryLayout<Element>.stride
    // Small arrays come from memory that the process already has.
    if byteCount >= 1 << 16, (try? MemoryProbe.check(byteCount: byteCount)) == nil {
      throw .outOfMemory(byteCount: byteCount)
    }
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
}
