import ForgeShapes

/// The beginning of a file, or the names in a folder, by which formats are recognized.
package struct FileHead: Sendable {
  /// The number of bytes that are read.
  static let count = 4096

  /// Whether it is a folder.
  package let isFolder: Bool
  /// The first bytes; none of a folder.
  package let bytes: [UInt8]
  /// The names in a folder; none of a file.
  package let entries: [String]
  /// The last part of the path.
  package let name: String
  /// The extension in lower case, without the dot; empty if there is none.
  package let `extension`: String

  /// What the file is by its first bytes; `nil` if they do not tell, and for a folder.
  package var contents: FileContents? { isFolder ? nil : FileContents(bytes) }

  /// Whether it is a compiled file.
  package var isCompiledNetwork: Bool { bytes.starts(with: FileContents.compiledSignature) }

  /// Reads the beginning of a file or the names in a folder.
  ///
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable` or `notARegularFile`.
  package init(_ path: String) throws(LoadError) {
    isFolder = try Folder.isFolder(path)
    entries = isFolder ? try Folder.names(in: path) : []
    bytes = isFolder ? [] : try InputFile(path: path, staysOpen: false).head()
    name = Self.name(of: path)
    `extension` = Self.extension(of: name)
  }

  /// The beginning of a file that is read already.
  package init(_ bytes: [UInt8], name: String) {
    isFolder = false
    entries = []
    self.bytes = bytes
    self.name = Self.name(of: name)
    `extension` = Self.extension(of: self.name)
  }

  private static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? ""
  }

  private static func `extension`(of name: String) -> String {
    let dot = name.lastIndex(of: ".")
    return dot.map { name[name.index(after: $0)...].lowercased() } ?? ""
  }

  /// The first bytes in words, for messages.
  package var beginning: String {
    guard !bytes.isEmpty else { return "an empty file" }
    let digits = bytes.prefix(8).map { byte in
      let text = String(byte, radix: 16)
      return text.count < 2 ? "0" + text : text
    }
    return "a file that begins with \(digits.joined(separator: " "))"
  }
}

extension InputFile {
  /// The first bytes, by which formats are recognized.
  package func head() throws(LoadError) -> [UInt8] { try prefix(FileHead.count) }
}
