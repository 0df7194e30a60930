import ArgumentParser
import Forge

/// The arguments of the commands that read texts.
struct TextArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("The texts.", valueName: "text"))
  var texts: [String] = []

  @Option(
    help: ArgumentHelp("A file with a text on each line.", valueName: "file"), completion: .file())
  var lines: String?

  /// The most bytes of a file of texts.
  private static let mostBytes = 1 << 30

  func validate() throws {
    guard texts.isEmpty != (lines == nil) else {
      throw ValidationError("give texts, or --lines with a file of them")
    }
  }

  /// The texts, in their order; lines without any character are texts, too.
  func all() throws -> [String] {
    guard let path = lines else { return texts }
    return try Self.lines(of: path)
  }

  /// The lines of a file, in their order; lines without any character are texts, too.
  ///
  /// - Throws: `ValidationError` for a file that cannot be read, is not UTF-8, or has no line.
  static func lines(of path: String) throws -> [String] {
    guard let data = try ArgumentFile.bytes(of: path, atMost: mostBytes) else {
      throw ValidationError("\(path.printable) has more than \(mostBytes) bytes")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw ValidationError("\(path.printable) is not UTF-8")
    }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last?.isEmpty ?? false { lines.removeLast() }
    guard !lines.isEmpty else { throw ValidationError("\(path.printable) has no text") }
    return lines
  }
}
