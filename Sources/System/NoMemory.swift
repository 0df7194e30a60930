/// A failed allocation.
package struct NoMemory: Error, CustomStringConvertible {
  /// The size of the requested allocation in bytes.
  package let byteCount: Int

  /// The message in Forge's format.
  package var description: String { "not enough memory\n  needs     \(byteCount) bytes" }

  /// Creates the error for an allocation of `byteCount` bytes.
  package init(byteCount: Int) { self.byteCount = byteCount }
}
