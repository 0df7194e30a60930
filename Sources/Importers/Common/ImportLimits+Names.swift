import Forge

extension ImportLimits {
  /// The most combining marks in a row.
  ///
  /// Swift compares and hashes texts in their canonical form, which takes quadratic time in the
  /// marks on one character. Written languages need fewer than ten.
  private static let mostMarks = 32

  /// Checks a name of a file before it becomes a key.
  ///
  /// - Throws: ``ImportError`` of kind `tooLarge`.
  func check(name: String, path: String?) throws(ImportError) {
    guard name.utf8.count <= nameBytes else {
      let beginning = String(String.UnicodeScalarView(name.unicodeScalars.prefix(20)))
      throw ImportError(
        .tooLarge, "a name in the file is too long", path: path,
        received: "\(ImportError.bytes(name.utf8.count)): \"\(beginning)…\"",
        needs: "at most \(nameBytes)",
        remedy: "for a file that you trust, raise nameBytes in ImportLimits")
    }
    guard !name.isASCII else { return }
    let marks = EntryName(name).markRun
    guard marks <= Self.mostMarks else {
      throw ImportError(
        .tooLarge, "a name in the file has too many combining marks", path: path,
        received: "\(marks) in a row", needs: "at most \(Self.mostMarks)")
    }
  }
}
