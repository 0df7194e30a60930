import ForgeSystem

/// Standard error; what cannot be written is lost.
enum StandardError {
  /// Writes a text as it is.
  ///
  /// Foundation's handle ends the process when a disk is full.
  static func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes {
        ForgeSystem.write(STDERR_FILENO, $0.baseAddress, $0.count)
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }
}
