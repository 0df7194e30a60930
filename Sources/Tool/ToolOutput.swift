import ForgeSystem
import FoundationEssentials

/// What the tool writes to its standard output and its standard error.
///
/// Everything goes through here. Texts of files and command lines are shown by it, so control
/// characters and others that act on a terminal are escaped; see `printable`.
enum ToolOutput {
  /// Writes lines to the standard output.
  static func write(_ text: String, terminator: String = "\n") {
    Swift.print(text.printableLines, terminator: terminator)
  }

  /// Writes JSON to the standard output.
  static func write(json: Data) {
    Swift.print(String(decoding: json, as: UTF8.self).printableJSON)
  }

  /// Writes a line to the standard error.
  static func writeError(_ text: String) {
    StandardError.write("\(text.printableLines)\n")
  }
}

/// Writes to the standard output in place of Swift's function; see ``ToolOutput``.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
  ToolOutput.write(
    items.map { "\($0)" }.joined(separator: separator), terminator: terminator)
}
