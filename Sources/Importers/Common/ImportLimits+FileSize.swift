import Forge

extension ImportLimits {
  /// Checks the size of a model file, or of its bytes in memory.
  ///
  /// - Throws: ``ImportError`` of kind `tooLarge`.
  func check(fileBytes count: Int, path: String) throws(ImportError) {
    guard count <= fileBytes else {
      throw ImportError(
        .tooLarge, "the file is larger than the limit", path: path,
        received: ImportError.bytes(count), needs: "at most \(fileBytes)",
        remedy: "raise ImportLimits.fileBytes if you trust the file")
    }
  }
}
