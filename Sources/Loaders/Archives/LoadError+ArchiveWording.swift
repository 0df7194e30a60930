import ForgeShapes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The sentences about NumPy, zip, safetensors, blob and `.keras` files; tests pin them.
extension LoadError {
  // MARK: Any file

  static func notThisFormat(
    _ path: String, entry: String?, _ format: String, size: Int
  ) -> LoadError {
    LoadError(
      .damaged, "this is not \(format)", path: path, entry: entry,
      received: size < 12 ? bytes(size) : "a file without its signature")
  }

  static func damaged(
    _ path: String, entry: String?, _ what: String, at offset: Int? = nil
  ) -> LoadError {
    LoadError(
      .damaged, "the file is damaged", path: path, entry: entry,
      received: offset.map { "\(what), at byte \($0)" } ?? what)
  }

  static func refused(_ path: String, entry: String?, _ what: String) -> LoadError {
    LoadError(
      .refused, "this is refused in a file of parameters", path: path, entry: entry,
      received: what)
  }

  static func unsupported(
    _ path: String, entry: String?, _ what: String, needs: String
  ) -> LoadError {
    LoadError(
      .unsupported, "this form of file is not supported", path: path, entry: entry,
      received: what, expected: needs)
  }

  static func needsTrait(_ path: String, _ trait: String, _ what: String) -> LoadError {
    LoadError(
      .unsupported, "this build of Forge does not read \(what)", path: path,
      remedy: "depend on forge with the trait \(trait), which is on by default")
  }

  static func cannotWrite(_ path: String, _ code: Int32) -> LoadError {
    let reason =
      switch code {
      case ENOENT, ENOTDIR: "there is no such folder"
      case EACCES, EPERM, EROFS: "permission denied"
      case ENOSPC, EDQUOT: "the disk is full"
      default: "error \(code) of the system"
      }
    return LoadError(
      .unreadable, "the file cannot be written", path: path, received: reason)
  }

  static func unknownFormat(_ path: String, known: [String]) -> LoadError {
    LoadError(
      .unsupported, "this is no file of parameters that says what it holds", path: path,
      expected: (known.dropLast() + known.suffix(1).map { "or \($0)" }).joined(separator: ", "),
      remedy: "BlobParameters and ParameterFile read raw values")
  }

  // MARK: Entries

  static func noSuchEntry(_ path: String, _ entry: String, found: [String]) -> LoadError {
    LoadError(
      .entryMissing, "there is no such entry", path: path, entry: entry,
      received: list(found))
  }

  static func duplicateEntry(_ path: String, _ name: String) -> LoadError {
    LoadError(.duplicate, "two entries have the same name", path: path, entry: name)
  }

  static func sameMeaning(_ path: String, _ first: String, _ second: String) -> LoadError {
    LoadError(
      .duplicate, "two entries are the same parameter of a layer", path: path,
      received: list([first, second]), remedy: "pass a rule that finds the entries")
  }

  static func notWanted(
    _ path: String, _ layer: String, _ left: [String], _ specs: [ParameterSpec]
  ) -> LoadError {
    LoadError(
      .unused, "the file has parameters for \"\(layer)\" that the model does not take", path: path,
      received: list(left),
      expected: specs.map { "\($0.type) (\($0.shapeText))" }.joined(separator: ", "),
      remedy: "give the layer the arguments it had when the file was written, as useBias")
  }

  static func wrongShape(
    _ path: String, entry: String, _ sizes: [Int], _ spec: ParameterSpec,
    _ layout: ParameterLayout
  ) -> LoadError {
    let axes = layout.order(for: spec) ?? spec.axes
    return LoadError(
      .wrongShape, "the \(spec.type) of \"\(spec.layer)\" have the wrong shape", path: path,
      entry: entry, spec: spec, received: sizeText(sizes),
      expected: sizeText(spec.sizes(in: layout) ?? spec.sizes) + " "
        + axes.map { "[\($0.rawValue)]" }.joined())
  }

  static func unreadableType(_ path: String, entry: String?, _ type: String) -> LoadError {
    LoadError(
      .wrongElementType, "the values have a type that is not read", path: path, entry: entry,
      received: type, expected: "little-endian f2, f4, f8, i1, i4, i8, u1, bool or bf16",
      remedy: "convert them to f32 before they are saved")
  }

  static func tooMuchInflated(
    _ path: String, entry: String?, _ count: Int, from stored: Int, limit: String
  ) -> LoadError {
    .beyondLimit(
      path, entry: entry, "\(bytes(count)), decompressed from \(stored)", limit: limit)
  }

  static func noHDF5(inArchive path: String, byteCount: Int) -> LoadError {
    LoadError(
      .notHDF5, "this is not an HDF5 file", path: path, entry: "model.weights.h5",
      received: byteCount < 8 ? bytes(byteCount) : "a file without its signature")
  }

  // MARK: NumPy

  static func wrongValueBytes(
    _ path: String, entry: String?, received: Int, _ sizes: [Int], _ type: ElementType, count: Int
  ) -> LoadError {
    LoadError(
      .wrongSize, "the values have the wrong size", path: path, entry: entry,
      received: bytes(received),
      expected: "\(bytes(count * type.byteCount)) for \(sizeText(sizes)) of \(type.rawValue)")
  }

  static func valuesDoNotFill(_ sizes: [Int], count: Int) -> LoadError {
    LoadError(
      .wrongCount, "the sizes need another number of values", received: counted(count, "value"),
      expected: Shape.product(of: sizes).map { "\(counted($0, "value")) for \(sizeText(sizes))" }
        ?? "at most 64 sizes of values that can be held, not \(sizeText(sizes))")
  }

  // MARK: safetensors

  static func headerTooLong(_ path: String, _ length: UInt64, of most: Int) -> LoadError {
    LoadError(
      .refused, "the header is too long", path: path, received: "\(length) bytes",
      expected: "at most \(bytes(most))")
  }

  static func headerCutOff(_ path: String, needs: Int, received: Int) -> LoadError {
    LoadError(
      .damaged, "the header is cut off", path: path, received: bytes(received),
      expected: bytes(needs))
  }

  static func tensorCutOff(
    _ path: String, _ tensor: SafeTensors.Tensor, start: Int, bytes count: Int
  ) -> LoadError {
    let range = tensor.byteRange
    return LoadError(
      .damaged, "the values lie outside the file", path: path, entry: tensor.name,
      received: "\(bytes(count)) of values",
      expected: "bytes \(range.lowerBound - start) to \(range.upperBound - start)")
  }

  static func wrongTensorBytes(
    _ path: String, entry: String, received: Int, _ sizes: [Int], _ type: String, needs: Int
  ) -> LoadError {
    LoadError(
      .damaged, "the values have the wrong size", path: path, entry: entry,
      received: bytes(received), expected: "\(bytes(needs)) for \(sizeText(sizes)) of \(type)")
  }

  // MARK: Blobs

  static func twoPlaces(_ path: String, _ layer: String, _ type: ParameterType) -> LoadError {
    LoadError(
      .duplicate, "the \(type) of \"\(layer)\" have two places", path: path,
      remedy: "give each parameter one")
  }

  static func placeOutside(
    _ path: String, offset: Int, byteCount: Int, of size: Int
  ) -> LoadError {
    LoadError(
      .wrongSize, "the values lie outside the file", path: path, received: bytes(size),
      expected: "\(bytes(byteCount)) from byte \(offset)")
  }

  static func packedSize(
    _ path: String, received: Int, needs: Int, offset: Int, _ type: ElementType
  ) -> LoadError {
    let values = (needs - offset) / type.byteCount
    return LoadError(
      .wrongSize, "the file has the wrong size", path: path, received: bytes(received),
      expected: "\(bytes(needs)), \(counted(values, "value")) of \(type.byteCount) bytes"
        + (offset == 0 ? "" : " from byte \(offset)"),
      remedy: "check that the file belongs to this model and holds \(type.rawValue)")
  }

  static func unprepared(_ path: String) -> LoadError {
    LoadError(
      .unsupported, "the parameters go by order, and the order was not given", path: path,
      remedy: "call prepared(for:) with all of them first, as compile does")
  }

  // MARK: Helpers

  /// At most eight names, quoted.
  static func list(_ names: [String]) -> String {
    let shown = names.prefix(8).map { "\"\($0)\"" }.joined(separator: ", ")
    return names.isEmpty ? "no entries" : names.count > 8 ? "\(shown), …" : shown
  }
}
