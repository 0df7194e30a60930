/// The system gave no memory.
struct NoMemory: Error, CustomStringConvertible {
  /// The bytes that were asked for in one piece.
  let byteCount: Int

  /// The mistake in Forge's voice.
  var description: String { "there is no memory\n  needs     \(byteCount) bytes" }
}
