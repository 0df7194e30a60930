import ArgumentParser
import Forge
import FoundationEssentials

/// The file of `--labels`, with the name of a class on each line.
enum LabelsFile {
  /// The text for help.
  static let help = ArgumentHelp("The names of the classes, one per line.", valueName: "file")

  /// The most bytes of such a file.
  private static let mostBytes = 1 << 24

  /// The names in a file.
  ///
  /// - Throws: `ValidationError` when the file cannot be read or is too large.
  static func names(at path: String) throws -> [String] {
    guard let data = try ArgumentFile.bytes(of: path, atMost: mostBytes) else {
      throw ValidationError("\(path.printable) has more than \(mostBytes) bytes")
    }
    var lines = String(decoding: data, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline
    ).map(String.init)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}
