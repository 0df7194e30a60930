import ForgeShapes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The sentences of ForgeLoaders, all in one place; tests pin them.
extension LoadError {
  // MARK: Files and folders

  static func badPath(_ path: String) -> LoadError {
    LoadError(
      .badName, "the path contains a NUL character",
      path: path.replacing("\0", with: "\\0"))
  }

  static func emptyName(_ directory: String) -> LoadError {
    LoadError(
      .badName, "a layer without a name has no file", path: directory,
      remedy: "write name: \"…\" in the layer")
  }

  static func nameLeadsOut(_ fileName: String, of directory: String) -> LoadError {
    LoadError(
      .badName, "a file name must not lead to another folder", path: directory,
      received: "\"\(fileName.replacing("\0", with: "\\0"))\"",
      expected: "a name without \"/\"")
  }

  static func impossibleCount(_ path: String, _ count: Int) -> LoadError {
    LoadError(
      .wrongCount, "no file can hold this many values", path: path, received: "\(count) values",
      expected: "0 to \(Int.max / 4) values")
  }

  static func cannotOpen(_ path: String, _ code: Int32, isFolder: Bool = false) -> LoadError {
    if code == ENOENT || code == ENOTDIR {
      return LoadError(
        .fileMissing, "there is no such \(isFolder ? "folder" : "file")", path: path,
        remedy: path.hasPrefix("/")
          ? nil : "a relative path starts at the folder the program was started in")
    }
    return LoadError(
      .unreadable, "the \(isFolder ? "folder" : "file") cannot be opened", path: path,
      received: reason(code))
  }

  static func notARegularFile(_ path: String, isFolder: Bool) -> LoadError {
    LoadError(
      .notARegularFile, "this is not a regular file", path: path,
      received: isFolder ? "a folder" : "a device, pipe or socket")
  }

  static func notAFolder(_ path: String) -> LoadError {
    LoadError(.notARegularFile, "this is not a folder", path: path, received: "a file")
  }

  static func wrongSize(
    _ path: String, received: Int, values: Int, _ type: ElementType
  ) -> LoadError {
    LoadError(
      .wrongSize, "the file has the wrong size", path: path, received: bytes(received),
      expected: "\(bytes(values * type.byteCount)), \(counted(values, "value")) of "
        + bytes(type.byteCount),
      remedy: "check that the file belongs to this layer and holds "
        + (type == .float32 ? "Float32" : type.rawValue))
  }

  static func shrunk(_ path: String, received: Int, expected: Int) -> LoadError {
    LoadError(
      .damaged, "the file has become shorter since it was opened", path: path,
      received: bytes(received), expected: bytes(expected),
      remedy: "to change parameters, write another file and rename it")
  }

  static func cannotRead(_ path: String, _ code: Int32) -> LoadError {
    LoadError(.unreadable, "the file cannot be read", path: path, received: reason(code))
  }

  /// A limit is the name of a property of ``LoadLimits``.
  static func beyondLimit(
    _ path: String, entry: String? = nil, _ what: String, limit: String
  ) -> LoadError {
    LoadError(
      .refused, "this is refused in a file of parameters", path: path, entry: entry,
      received: what,
      remedy: "raise \(limit) in LoadLimits for a file that you trust")
  }

  static func changed(_ path: String) -> LoadError {
    LoadError(
      .damaged, "the file was changed or replaced since it was opened", path: path,
      remedy: "open it again")
  }

  // MARK: Values

  package static func wrongCount(_ count: Int, for spec: ParameterSpec) -> LoadError {
    LoadError(
      .wrongCount, "the \(spec.type) of \"\(spec.layer)\" have the wrong number of values",
      spec: spec, received: counted(count, "value"),
      expected: "\(counted(spec.count, "value")), \(spec.shapeText)")
  }

  static func partOfAValue(_ origin: String, byteCount: Int, _ type: ElementType) -> LoadError {
    LoadError(
      .wrongSize, "the bytes are no whole number of values", path: origin,
      received: bytes(byteCount),
      expected: "a multiple of \(type.byteCount) for \(type.rawValue)")
  }

  /// Memory that a caller gives must have room for exactly the values.
  static func otherRoom(_ origin: String, _ byteCount: Int, needs: Int) -> LoadError {
    LoadError(
      .wrongSize, "the memory has another size than the values", path: origin,
      received: bytes(byteCount), expected: bytes(needs))
  }

  package static func outOfMemory(_ purpose: String, byteCount: Int) -> LoadError {
    LoadError(
      .outOfMemory, "there is not enough memory", path: purpose, expected: bytes(byteCount))
  }

  // MARK: Helpers

  /// The error with the parameter it was met for.
  func asked(for spec: ParameterSpec) -> LoadError {
    var error = self
    error.layer = spec.layer
    error.type = spec.type
    return error
  }

  static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  static func bytes(_ count: Int) -> String { counted(count, "byte") }

  static func sizeText(_ sizes: [Int]) -> String {
    sizes.isEmpty ? "a single value" : sizes.map(String.init).joined(separator: "×")
  }

  /// The system's words for an error code, without `strerror`, which is not safe with threads.
  private static func reason(_ code: Int32) -> String {
    switch code {
    case EACCES, EPERM: "permission denied"
    case EMFILE, ENFILE: "too many open files"
    case ELOOP: "too many symbolic links"
    case ENAMETOOLONG: "the name is too long"
    case ENOMEM: "not enough memory"
    case EIO: "the device reports an error"
    default: "error \(code) of the system"
    }
  }
}
