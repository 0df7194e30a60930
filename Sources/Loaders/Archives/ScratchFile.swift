#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A new file that is removed with the object, unless it was put in another's place.
package final class ScratchFile: Sendable {
  /// Where it is.
  package let path: String
  private let file: Int32
  private let purpose: String

  /// Makes an empty file.
  ///
  /// - Parameters:
  ///   - prefix: the folder and the beginning of the name.
  ///   - mode: who may do what with it.
  ///   - purpose: the file it will be, for messages.
  /// - Throws: ``LoadError`` of kind `unreadable`.
  private init(prefix: String, mode: mode_t, purpose: String? = nil) throws(LoadError) {
    path = prefix + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    self.purpose = purpose ?? path
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard file >= 0 else { throw .cannotWrite(self.purpose, errno) }
  }

  /// Makes an empty file for this user in the folder for such files, `TMPDIR` or `/tmp`.
  package static func temporary() throws(LoadError) -> ScratchFile {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    return try ScratchFile(prefix: (folder.isEmpty ? "/tmp" : folder) + "/forge-", mode: 0o600)
  }

  /// Writes a file so that it is there whole or not at all.
  ///
  /// - Parameters:
  ///   - path: where it will be; a file that is there is replaced.
  ///   - pieces: its bytes.
  /// - Throws: ``LoadError``: `badName`, `notARegularFile` or `unreadable`.
  static func replace(_ path: String, with pieces: [UnsafeRawBufferPointer]) throws(LoadError) {
    guard !path.utf8.contains(0) else { throw .badPath(path) }
    let target = try target(of: path)
    let scratch = try ScratchFile(prefix: target + ".", mode: 0o666, purpose: path)
    for piece in pieces { try scratch.write(piece) }
    guard rename(scratch.path, target) == 0 else { throw .cannotWrite(path, errno) }
  }

  /// The file that is to be replaced: not a link to it, and nothing that is no file.
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

  deinit {
    // The number of a file that was not opened is -1, which closes nothing.
    close(file)
    unlink(path)
  }

  /// Adds bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws(LoadError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let buffer = UnsafeRawBufferPointer(rebasing: rest)
      let written = Self.write(file, buffer)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw .cannotWrite(purpose, written < 0 ? errno : EIO) }
      rest = rest.dropFirst(written)
    }
  }

  private static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(file, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      Musl.write(file, bytes.baseAddress, bytes.count)
    #endif
  }
}
