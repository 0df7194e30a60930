import ForgeSystem

/// Files, read whole within a limit.
enum FileBytes {
  /// The bytes of a file.
  ///
  /// - Throws: ``TokenizerError``: `fileMissing`, `unreadable` or `tooLarge`.
  static func read(_ path: String, limits: TokenizerLimits) throws(TokenizerError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      let kind: TokenizerErrorKind = code == ENOENT ? .fileMissing : .unreadable
      throw TokenizerError(
        kind, code == ENOENT ? "the file does not exist" : "the file cannot be read",
        path: path, received: String(cString: strerror(code)))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw TokenizerError(.unreadable, "this is not a file", path: path)
    }
    let size = Int(status.st_size)
    guard size <= limits.fileBytes else {
      throw TokenizerError.tooLarge("bytes", size, limit: limits.fileBytes, "fileBytes").of(path)
    }
    var isCut = false
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = ForgeSystem.read(descriptor, buffer.baseAddress.map { $0 + count }, size - count)
        guard got > 0 else {
          isCut = got < 0
          break
        }
        count += got
      }
    }
    guard !isCut else {
      throw TokenizerError(.unreadable, "the file cannot be read", path: path)
    }
    return bytes
  }
}
