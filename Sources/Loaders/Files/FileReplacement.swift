import ForgeSystem

/// An atomic write: the file is written under a temporary name in the same folder, then renamed.
package struct FileReplacement: ~Copyable {
  /// The temporary path.
  private let scratch: String
  private let file: Int32
  private let purpose: String

  /// Creates an empty temporary file beside `target`; error messages show `purpose` as its path.
  private init(beside target: String, purpose: String) throws(LoadError) {
    scratch = target + "." + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    self.purpose = purpose
    file = open(scratch, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw .cannotWrite(purpose, errno) }
  }

  deinit {
    // If opening failed, the descriptor is -1 and closing it has no effect.
    close(file)
    unlink(scratch)
  }

  /// Writes pieces of bytes to the file at a path, replacing an existing one.
  ///
  /// - Throws: ``LoadError``: `badName`, `notARegularFile` or `unreadable`.
  package static func replace(
    _ path: String, with pieces: [UnsafeRawBufferPointer]
  ) throws(LoadError) {
    guard !path.utf8.contains(0) else { throw .badPath(path) }
    let target = try target(of: path)
    let replacement = try FileReplacement(beside: target, purpose: path)
    for piece in pieces { try replacement.add(piece) }
    guard rename(replacement.scratch, target) == 0 else { throw .cannotWrite(path, errno) }
  }

  /// The file to replace, with links resolved; it must be a regular file.
  private static func target(of path: String) throws(LoadError) -> String {
    var info = stat()
    guard stat(path, &info) == 0 else { return path }
    guard info.st_mode & S_IFMT == S_IFREG else {
      throw .notARegularFile(path, isFolder: info.st_mode & S_IFMT == S_IFDIR)
    }
    guard let resolved = realpath(path, nil) else { throw .cannotWrite(path, errno) }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private func add(_ bytes: UnsafeRawBufferPointer) throws(LoadError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest)
      let written = write(file, piece.baseAddress, piece.count)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw .cannotWrite(purpose, written < 0 ? errno : EIO) }
      rest = rest.dropFirst(written)
    }
  }
}
