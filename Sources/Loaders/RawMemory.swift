#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Bytes whose allocation may fail: sizes come from files and models, and Swift arrays trap.
struct RawMemory: ~Copyable {
  let bytes: UnsafeMutableRawBufferPointer

  /// Allocates zeroed memory, aligned for any element type.
  init(byteCount: Int, for purpose: String) throws(LoadError) {
    guard let start = calloc(max(byteCount, 1), 1) else {
      throw .outOfMemory(purpose, byteCount: byteCount)
    }
    bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  deinit { free(bytes.baseAddress) }
}
