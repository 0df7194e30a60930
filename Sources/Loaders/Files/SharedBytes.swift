#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Immutable bytes in memory.
///
/// Sizes come from files, so allocation may fail.
final class FileBytes: Sendable {
  // Fixed after init, only read through, and freed with the object.
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer
  /// The number of bytes.
  let count: Int

  /// Allocates memory and fills it.
  ///
  /// - Parameters:
  ///   - byteCount: the number of bytes; not negative.
  ///   - purpose: what they are, for messages.
  ///   - fill: fills all of them.
  /// - Throws: ``LoadError`` of kind `outOfMemory`, and what `fill` throws.
  init(
    byteCount: Int, for purpose: String,
    fill: (UnsafeMutableRawBufferPointer) throws(LoadError) -> Void
  ) throws(LoadError) {
    let memory = try RawMemory(byteCount: byteCount, for: purpose)
    try fill(memory.bytes)
    count = byteCount
    start = memory.release()
  }

  /// Copies bytes.
  convenience init(copying source: some Collection<UInt8>, for purpose: String) throws(LoadError) {
    try self.init(byteCount: source.count, for: purpose) { $0.copyBytes(from: source) }
  }

  deinit { free(start) }

  /// The bytes; valid while the object lives.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  /// Calls `body` with the bytes and keeps them alive during the call.
  func withBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    defer { withExtendedLifetime(self) {} }
    return try body(bytes)
  }
}
