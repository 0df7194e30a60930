import ForgeSystem

/// The text files in which Linux describes the machine; tests supply recorded ones.
package struct SystemFiles: Sendable {
  /// Returns the text of a file, or `nil` if it does not exist.
  let text: @Sendable (_ path: String) -> String?

  /// Creates files whose texts a closure returns by path.
  package init(text: @escaping @Sendable (_ path: String) -> String?) { self.text = text }

  /// The files of this machine.
  static let machine = SystemFiles { path in
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    // Files in /proc report size 0, so they are read to the end, up to a limit.
    let limit = 1 << 24
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    while bytes.count < limit {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { break }
      bytes.append(contentsOf: chunk[..<count])
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the first line of a file, trimmed; `nil` if it is empty.
  func line(_ path: String) -> String? {
    guard let line = text(path)?.split(separator: "\n", omittingEmptySubsequences: false).first
    else { return nil }
    let trimmed = line.trimmed
    return trimmed.isEmpty ? nil : String(trimmed)
  }

  /// Returns the first line of a file as a number.
  func number(_ path: String) -> Int? { line(path).flatMap { Int($0) } }
}

extension Substring {
  /// The text without leading and trailing white space.
  var trimmed: Substring {
    let start = drop { $0.isWhitespace }
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return start[...last]
  }
}

/// Returns the value of an environment variable; `nil` if it is unset or empty.
func environmentValue(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}
