import Forge

extension ImportError {
  /// Checks that the first bytes of a file are not those of another kind of file.
  ///
  /// Files that cannot be opened pass, so that the importer tells why.
  ///
  /// - Throws: ``ImportError`` of kind `unsupported` that names the kind and what to do with it.
  static func checkContents(
    _ path: String, of format: any ModelFormat.Type
  ) throws(ImportError) {
    guard let head = try? FileHead(path) else { return }
    try checkContents(head, path, of: format)
  }

  /// Checks the first bytes of an open file; see ``checkContents(_:of:)``.
  static func checkContents(
    _ head: FileHead, _ path: String, of format: any ModelFormat.Type
  ) throws(ImportError) {
    guard let contents = head.contents else { return }
    guard !head.bytes.isEmpty else {
      throw .malformedFile("the file is not a model of \(format.name)", path)
    }
    if let foreign = ForeignFormat(contents) {
      if contents.role != .container { throw .foreign(foreign, path) }
    } else if contents.role != .model(format.name) {
      throw ImportError(
        .unsupported, "the file has a different format", path: path, received: contents.name,
        needs: "a model of \(format.name)", remedy: contents.remedy)
    }
  }

  /// The error of a file whose bytes do not make sense, with how it begins.
  static func malformedFile(_ headline: String, _ path: String) -> ImportError {
    ImportError(
      .malformed, headline, path: path, received: (try? FileHead(path))?.beginning)
  }
}
