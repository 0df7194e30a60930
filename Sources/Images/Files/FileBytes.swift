import ForgeLoaders

/// The bytes of a regular file.
///
/// The file is not memory-mapped, because a page fault in a truncated file kills the process.
enum FileBytes {
  /// Reads a whole file, or less of it if it is truncated in the meantime.
  static func read(_ path: String, limits: ImageLimits) throws(ImageError) -> [UInt8] {
    let file = try reading { () throws(LoadError) in try FileDescriptor(path: path) }
    let count = try reading { () throws(LoadError) in try file.identity().count }
    guard count <= limits.maximumFileBytes else {
      throw .fileTooLarge(byteCount: count, most: limits.maximumFileBytes, path: path)
    }
    return try [UInt8](filling: count) { buffer throws(ImageError) in
      try reading { () throws(LoadError) in
        try file.read(at: 0, into: UnsafeMutableRawBufferPointer(buffer))
      }
    }
  }

  /// Writes pieces to the file at a path, replacing an existing one at once.
  static func write(
    _ pieces: [UnsafeRawBufferPointer], to path: String
  ) throws(ImageError) {
    try reading { () throws(LoadError) in try FileReplacement.replace(path, with: pieces) }
  }

  /// Converts errors of `body` to ``ImageError``.
  static func reading<Value>(
    _ body: () throws(LoadError) -> Value
  ) throws(ImageError) -> Value {
    do throws(LoadError) { return try body() } catch {
      throw ImageError(ImageErrorKind(rawValue: error.kind.rawValue) ?? .unreadable, error.problem)
    }
  }
}
