import ForgeSystem

/// Memory whose allocation throws on failure, unlike Swift arrays, which trap.
package struct RawMemory: ~Copyable {
  /// The memory, valid for the lifetime of the value.
  package let bytes: UnsafeMutableRawBufferPointer

  /// Allocates memory, aligned for any element type; throws `outOfMemory`.
  ///
  /// Only who writes all of it before it is read may leave it as it is found.
  package init(byteCount: Int, for purpose: String, isZeroed: Bool = true) throws(LoadError) {
    try AvailableMemory.check(byteCount, for: purpose)
    let size = max(byteCount, 1)
    guard byteCount >= 0, let start = isZeroed ? calloc(size, 1) : malloc(size) else {
      throw .outOfMemory(purpose, byteCount: byteCount)
    }
    bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  deinit { free(bytes.baseAddress) }
}

/// Immutable bytes in memory, shared by several readers.
final class SharedBytes: Sendable {
  // Written only in init.
  private nonisolated(unsafe) let memory: RawMemory

  /// Allocates memory and calls `fill` to write all of it; throws `outOfMemory`, and what `fill`
  /// throws.
  init(
    byteCount: Int, for purpose: String,
    fill: (UnsafeMutableRawBufferPointer) throws(LoadError) -> Void
  ) throws(LoadError) {
    memory = try RawMemory(byteCount: byteCount, for: purpose, isZeroed: false)
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
