import Foundation

/// A file of lines, which only a line feed ends.
struct TextLines {
  let lines: [String]

  /// Reads a file of UTF-8; a line feed at its end begins no line.
  init(contentsOf path: String) throws {
    let bytes: Data
    do {
      bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw SearchProblem(description: "\(path): cannot be read")
    }
    let text = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes
    lines = try text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      guard let line = String(validating: $0, as: UTF8.self) else {
        throw SearchProblem(description: "\(path): not UTF-8")
      }
      return line
    }
  }

  /// The lines to search in: without white space around them.
  ///
  /// A byte order mark at the start of the file and the carriage returns of Windows are not part of
  /// a sentence.
  var sentences: [String] {
    lines.enumerated().map { index, line in
      var rest = line.unicodeScalars[...]
      if index == 0, rest.first == "\u{FEFF}" { rest = rest.dropFirst() }
      rest = rest.drop(while: \.properties.isWhitespace)
      while let last = rest.last, last.properties.isWhitespace { rest = rest.dropLast() }
      return String(rest)
    }
  }
}

/// What keeps the example from answering.
struct SearchProblem: Error, CustomStringConvertible {
  let description: String
}
