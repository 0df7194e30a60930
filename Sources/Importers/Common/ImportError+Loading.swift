import Forge

extension ForgeError where ErrorKind == ImportErrorKind {
  /// The error of an import whose file cannot be read.
  package init(loading error: LoadError) {
    let kind: ImportErrorKind =
      switch error.kind {
      case .fileMissing: .fileMissing
      case .wrongSize, .wrongCount, .wrongShape, .entryMissing: .parameter
      case .refused, .outOfMemory: .tooLarge
      case .damaged: .malformed
      default: .unreadable
      }
    self.init(kind, error.problem)
  }

  /// The error of a file beyond one of the caller's limits.
  package static func tooLarge(
    _ received: String, limit: String, _ value: Int, path: String?
  ) -> ImportError {
    ImportError(
      .tooLarge, "the file is beyond the limits of the import", path: path, received: received,
      needs: "at most \(value)", remedy: "for a file that you trust, raise \(limit) in ImportLimits"
    )
  }

  /// The error of a layer whose inputs or arguments do not fit.
  package static func invalidNode(
    _ cause: ShapeError, path: String?, entry: String
  ) -> ImportError {
    var problem = cause.problem
    problem.path = path
    problem.entry = entry
    return ImportError(.invalidNode, problem)
  }
}

extension InputFile {
  /// Bytes of the file.
  ///
  /// - Throws: `LoadError` as ``read(_:into:)``.
  package func bytes(at offset: Int, count byteCount: Int) throws(LoadError) -> [UInt8] {
    let (end, overflow) = offset.addingReportingOverflow(byteCount)
    // A range beyond the file is refused before memory is allocated for it.
    try check(offset..<(overflow || byteCount < 0 ? .max : end))
    var bytes = [UInt8](repeating: 0, count: byteCount)
    try bytes.withUnsafeMutableBytes { memory in
      Result { () throws(LoadError) in try read(offset..<end, into: memory) }
    }.get()
    return bytes
  }
}
