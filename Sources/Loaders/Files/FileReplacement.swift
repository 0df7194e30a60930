import ForgeSystem

/// An atomic write: the file is written under a temporary name in the same folder, then renamed.
package struct FileReplacement: ~Copyable {
  /// The final path, with links resolved.
  private let target: String
  /// The temporary path.
  private let scratch: String
  private let file: Int32
  private let purpose: String

  /// Creates an empty temporary file beside `target`; error messages show `purpose` as its path.
  private init(beside target: String, purpose: String) throws(LoadError) {
    self.target = target
    self.purpose = purpose
    scratch = target + "." + String(UInt64.random(in: 0...UInt64.max), radix: 36)
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
    let replacement = try replacement(of: path)
    for piece in pieces { try replacement.add(piece) }
    try replacement.finish()
  }

  /// Calls `write`, which adds the bytes of the file at a path, and replaces an existing one.
  ///
  /// - Throws: ``LoadError``: `badName`, `notARegularFile` or `unreadable`; and what `write`
  ///   throws, which leaves an existing file unchanged.
  package static func replace(
    _ path: String, _ write: (borrowing FileReplacement) throws -> Void
  ) throws {
    let replacement = try replacement(of: path)
    try write(replacement)
    try replacement.finish()
  }

  /// An empty temporary file beside the one at a path.
  private static func replacement(of path: String) throws(LoadError) -> FileReplacement {
    guard !path.utf8.contains(0) else { throw .badPath(path) }
    return try FileReplacement(beside: try target(of: path), purpose: path)
  }

  /// Moves the temporary file to its final place.
  private func finish() throws(LoadError) {
    guard rename(scratch, target) == 0 else { throw .cannotWrite(purpose, errno) }
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

  /// Appends bytes to the file.
  ///
  /// - Throws: ``LoadError`` of kind `unreadable`.
  package func add(_ bytes: UnsafeRawBufferPointer) throws(LoadError) {
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
