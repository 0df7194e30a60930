#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The bytes of a regular file.
///
/// They are read, not mapped: if another program truncates a mapped file, reading it kills the
/// process.
enum FileBytes {
  /// Reads a whole file.
  static func read(_ path: String, limits: ImageLimits) throws(ImageError) -> [UInt8] {
    guard !path.utf8.contains(0) else { throw .badPath(path) }
    // With O_NONBLOCK, opening a pipe does not wait for a writer.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .cannotOpen(path, errno) }
    defer { close(file) }
    var info = stat()
    guard fstat(file, &info) == 0 else { throw .cannotOpen(path, errno) }
    let form = info.st_mode & S_IFMT
    guard form == S_IFREG else { throw .notARegularFile(path, isFolder: form == S_IFDIR) }
    let size = Int(info.st_size)
    guard size <= limits.maximumFileBytes else {
      throw .fileTooLarge(byteCount: size, most: limits.maximumFileBytes, path: path)
    }
    return try read(file, count: size, path)
  }

  /// Reads `count` bytes, or fewer if the file has been truncated in the meantime.
  private static func read(
    _ file: Int32, count: Int, _ path: String
  ) throws(ImageError) -> [UInt8] {
    var code: Int32 = 0
    let bytes = try [UInt8](filling: count) { buffer in
      var done = 0
      while done < count, let target = buffer.baseAddress {
        let got = unistdRead(file, target + done, count - done)
        if got > 0 {
          done += got
        } else if got == 0 {
          break
        } else if errno != EINTR {
          code = errno
          break
        }
      }
      return done
    }
    guard code == 0 else { throw .cannotRead(path, code) }
    return bytes
  }

  /// Calls the system's `read`, which the functions here would shadow.
  private static func unistdRead(
    _ file: Int32, _ target: UnsafeMutableRawPointer, _ count: Int
  ) -> Int {
    #if canImport(Musl)
      Musl.read(file, target, count)
    #else
      Glibc.read(file, target, count)
    #endif
  }
}
