#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Bytes whose allocation may fail: sizes come from files and models, and Swift arrays trap.
package struct RawMemory: ~Copyable {
  /// The memory; valid while the value lives.
  package let bytes: UnsafeMutableRawBufferPointer

  /// Allocates zeroed memory, aligned for any element type; throws `outOfMemory`.
  package init(byteCount: Int, for purpose: String) throws(LoadError) {
    try AvailableMemory.check(byteCount, for: purpose)
    guard byteCount >= 0, let start = calloc(max(byteCount, 1), 1) else {
      throw .outOfMemory(purpose, byteCount: byteCount)
    }
    bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  deinit { free(bytes.baseAddress) }
}

/// Immutable bytes in memory, which several readers share.
final class SharedBytes: Sendable {
  // Filled in init and only read afterwards.
  private nonisolated(unsafe) let memory: RawMemory

  /// Allocates memory and lets `fill` write it all; throws `outOfMemory`, and what `fill` throws.
  init(
    byteCount: Int, for purpose: String,
    fill: (UnsafeMutableRawBufferPointer) throws(LoadError) -> Void
  ) throws(LoadError) {
    memory = try RawMemory(byteCount: byteCount, for: purpose)
    try fill(memory.bytes)
  }

  var count: Int { memory.bytes.count }

  /// Calls `body` with the bytes and keeps them alive during the call.
  func withBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    defer { withExtendedLifetime(self) {} }
    return try body(UnsafeRawBufferPointer(memory.bytes))
  }
}
