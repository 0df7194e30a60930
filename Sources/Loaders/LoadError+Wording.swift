import ForgeShapes
import ForgeSystem

/// The messages about files, folders and values of any format; tests compare them.
///
/// Errors without a path get it from ``InputFile/locating(_:_:)``.
extension LoadError {
  // MARK: Files and folders

  static func badPath(_ path: String) -> LoadError {
    LoadError(
      .badName, "the path contains a NUL character", path: path.replacing("\0", with: "\\0"))
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
      needs: "a name without \"/\"")
  }

  static func cannotOpen(_ path: String, _ code: Int32, isFolder: Bool = false) -> LoadError {
    let what = isFolder ? "folder" : "file"
    guard code == ENOENT || code == ENOTDIR else {
      return LoadError(
        .unreadable, "the \(what) cannot be opened", path: path, received: reason(code))
    }
    return LoadError(
      .fileMissing, "there is no such \(what)", path: path,
      remedy: path.hasPrefix("/")
        ? nil : "a relative path starts at the folder the program was started in")
  }

  static func notARegularFile(_ path: String, isFolder: Bool) -> LoadError {
    LoadError(
      .notARegularFile, "this is not a regular file", path: path,
      received: isFolder ? "a folder" : "a device, pipe or socket")
  }

  static func notAFolder(_ path: String) -> LoadError {
    LoadError(
      .notARegularFile, "this is not a folder", path: path, received: "a file",
      remedy: OtherFormat.remedy(forFile: path))
  }

  static func cannotRead(_ path: String, _ code: Int32) -> LoadError {
    LoadError(.unreadable, "the file cannot be read", path: path, received: reason(code))
  }

  static func cannotReadStream(_ code: Int32) -> LoadError {
    LoadError(
      .unreadable, "the stream cannot be read",
      received: code == EBADF ? "a descriptor that is not open for reading" : reason(code))
  }

  static func cannotWrite(_ path: String, _ code: Int32) -> LoadError {
    let reason =
      switch code {
      case ENOENT, ENOTDIR: "there is no such folder"
      case EACCES, EPERM, EROFS: "permission denied"
      case ENOSPC, EDQUOT: "the disk is full"
      default: "error \(code) of the system"
      }
    return LoadError(.unreadable, "the file cannot be written", path: path, received: reason)
  }

  static func shrunk(received: Int, needs: Int) -> LoadError {
    LoadError(
      .damaged, "the file has become shorter since it was opened",
      received: bytes(received), needs: bytes(needs),
      remedy: "to change parameters, write another file and rename it")
  }

  static var changed: LoadError {
    LoadError(
      .damaged, "the file was changed or replaced since it was opened", remedy: "open it again")
  }

  static func mostlyHole(_ count: Int, stored: Int) -> LoadError {
    LoadError(
      .refused, "the file is sparse",
      received: "\(bytes(count)), of which \(stored) are stored",
      remedy: "write all of its bytes, for example with cp --sparse=never")
  }

  static func leadsOut(_ path: String) -> LoadError {
    LoadError(
      .refused, "a symbolic link leads out of the folder", path: path,
      needs: "a file in the folder of the model",
      remedy: "copy the files without links, for example with cp -rL")
  }

  // MARK: Structure

  static func damaged(_ what: String, entry: String? = nil, at offset: Int? = nil) -> LoadError {
    LoadError(
      .damaged, "the file is damaged", entry: entry,
      received: offset.map { "\(what), at byte \($0)" } ?? what)
  }

  static func refused(_ what: String, remedy: String? = nil) -> LoadError {
    LoadError(
      .refused, "the parameter file is refused", received: what, remedy: remedy)
  }

  /// `limit` is the name of a property of ``LoadLimits``.
  static func beyondLimit(_ what: String, limit: String) -> LoadError {
    refused(what, remedy: "raise \(limit) in LoadLimits for a file that you trust")
  }

  static func unsupported(_ what: String, needs: String) -> LoadError {
    LoadError(
      .unsupported, "this form of file is not supported", received: what, needs: needs)
  }

  static func needsTrait(_ trait: String, _ what: String) -> LoadError {
    LoadError(
      .unsupported, "this build of Forge does not read \(what)",
      remedy: "depend on forge with the trait \(trait), which is on by default")
  }

  static func notThisFormat(_ format: String, size: Int) -> LoadError {
    LoadError(
      .damaged, "this is not \(format)",
      received: size < 12 ? bytes(size) : "a file without its signature")
  }

  static func otherFormat(
    _ kind: Kind, _ name: String, needs: String, remedy: String
  ) -> LoadError {
    LoadError(kind, "this is \(name)", needs: needs, remedy: remedy)
  }

  static func unknownFormat(known: [String], contents: FileContents? = nil) -> LoadError {
    LoadError(
      .unsupported, "this file does not say which parameters it holds",
      received: contents?.name,
      needs: (known.dropLast() + known.suffix(1).map { "or \($0)" }).joined(separator: ", "),
      remedy: contents?.remedy ?? "BlobParameters and ParameterFile read raw values")
  }

  // MARK: Values

  package static func wrongCount(_ count: Int, for spec: ParameterSpec) -> LoadError {
    LoadError(
      .wrongCount,
      "\(spec.type.subject) of \"\(spec.layer)\" \(spec.type.verb("have", "has")) the wrong number "
        + "of values",
      parameter: spec, received: counted(count, "value"),
      needs: "\(counted(spec.count, "value")), \(spec.shapeText)")
  }

  static func impossibleCount(_ path: String, _ count: Int) -> LoadError {
    LoadError(
      .wrongCount, "no file can hold this many values", path: path,
      received: counted(count, "value"),
      needs: "0 to \(Int.max / 4) values")
  }

  static func wrongSize(
    _ path: String, received: Int, values: Int, _ type: ElementType
  ) -> LoadError {
    LoadError(
      .wrongSize, "the file has the wrong size", path: path, received: bytes(received),
      needs: "\(bytes(values * type.byteCount)), \(counted(values, "value")) of "
        + bytes(type.byteCount),
      remedy: OtherFormat.remedy(forFile: path)
        ?? "check that the file belongs to this layer and holds "
        + (type == .float32 ? "Float32" : type.rawValue))
  }

  static func partOfAValue(_ origin: String, byteCount: Int, _ type: ElementType) -> LoadError {
    LoadError(
      .wrongSize, "the bytes are not a whole number of values", path: origin,
      received: bytes(byteCount),
      needs: "a multiple of \(type.byteCount) for \(type.rawValue)")
  }

  static func placeOutside(_ offset: Int, byteCount: Int, of size: Int) -> LoadError {
    LoadError(
      .wrongSize, "the values lie outside the file", received: bytes(size),
      needs: "\(bytes(byteCount)) from byte \(offset)")
  }

  /// The caller's memory must have exactly the size of the values.
  static func otherRoom(_ byteCount: Int, needs: Int, at origin: String? = nil) -> LoadError {
    LoadError(
      .wrongSize, "the memory does not have the size of the values", path: origin,
      received: bytes(byteCount), needs: bytes(needs))
  }

  static func unreadableType(
    _ type: String, readable: String, remedy: String? = nil
  ) -> LoadError {
    LoadError(
      .wrongElementType, "the values have a type that is not read", received: type,
      needs: "little-endian \(readable)", remedy: remedy)
  }

  package static func outOfMemory(_ purpose: String, byteCount: Int) -> LoadError {
    LoadError(
      .outOfMemory, "there is not enough memory", path: purpose, needs: bytes(byteCount))
  }

  // MARK: Parameters

  static func wrongShape(
    _ sizes: [Int], _ spec: ParameterSpec, _ layout: ParameterLayout
  ) -> LoadError {
    let axes = layout.order(for: spec) ?? spec.axes
    return LoadError(
      .wrongShape,
      "\(spec.type.subject) of \"\(spec.layer)\" \(spec.type.verb("have", "has")) the wrong shape",
      parameter: spec,
      received: sizeText(sizes),
      needs: sizeText(spec.sizes(in: layout) ?? spec.sizes) + " "
        + axes.map { "[\($0.rawValue)]" }.joined())
  }

  package static func twoParameters(
    _ path: String, _ name: String, _ spec: ParameterSpec
  ) -> LoadError {
    LoadError(
      .duplicate, "two parameters have the same name", path: path, entry: name, parameter: spec,
      remedy: "give each layer a name of its own")
  }

  package static func otherAxes(_ origin: String, _ spec: ParameterSpec) -> LoadError {
    LoadError(
      .wrongShape, "the \(spec.type) of \"\(spec.layer)\" have the wrong axes", path: origin,
      parameter: spec, needs: spec.shapeText)
  }

  /// A layer in the file has parameters that the model does not use.
  static func unused(_ headline: String, _ left: String, _ specs: [ParameterSpec]) -> LoadError {
    LoadError(
      .unused, headline, received: left, needs: text(specs),
      remedy: "give the layer the arguments it had when the file was written, such as useBias")
  }

  static func unprepared(_ headline: String) -> LoadError {
    LoadError(
      .unsupported, headline,
      remedy: "call prepared(for:) with all of them first, as compile does")
  }

  // MARK: Helpers

  /// The error, with a remedy in addition.
  func remedied(_ remedy: String) -> LoadError {
    var error = self
    error.details.append(("remedy", remedy))
    return error
  }

  /// The error, with the requested parameter.
  func asked(for spec: ParameterSpec) -> LoadError {
    var error = self
    error.parameter = spec
    return error
  }

  static func sizeText(_ sizes: [Int]) -> String {
    sizes.isEmpty ? "a single value" : sizes.map(String.init).joined(separator: "×")
  }

  static func text(_ specs: [ParameterSpec]) -> String {
    specs.map { "\($0.type) (\($0.shapeText))" }.joined(separator: ", ")
  }

  /// At most eight names, quoted.
  static func list(_ names: [String]) -> String {
    let shown = names.prefix(8).map { "\"\($0)\"" }.joined(separator: ", ")
    return names.isEmpty ? "no entries" : names.count > 8 ? "\(shown), …" : shown
  }

  /// The description of an error code; `strerror` is not thread-safe.
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
