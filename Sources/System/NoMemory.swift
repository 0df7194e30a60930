/// The system gave no memory.
package struct NoMemory: Error, CustomStringConvertible {
  /// The bytes that were asked for in one piece.
  package let byteCount: Int

  /// The mistake in Forge's voice.
  package var description: String { "there is no memory\n  needs     \(byteCount) bytes" }

  /// Creates the error for an allocation of `byteCount` bytes.
  package init(byteCount: Int) { self.byteCount = byteCount }
}
