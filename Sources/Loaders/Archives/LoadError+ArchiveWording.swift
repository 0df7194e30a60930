import ForgeShapes

/// The messages about NumPy, safetensors, blob and `.keras` files; tests compare them.
extension LoadError {
  // MARK: Entries

  static func noSuchEntry(found: [String]) -> LoadError {
    LoadError(.entryMissing, "there is no such entry", received: list(found))
  }

  static func duplicateEntry(_ name: String) -> LoadError {
    LoadError(.duplicate, "two entries have the same name", entry: name)
  }

  static func sameMeaning(_ first: String, _ second: String) -> LoadError {
    LoadError(
      .duplicate, "two entries are the same parameter of a layer",
      received: list([first, second]), remedy: "pass a rule that finds the entries")
  }

  static func unreadableType(_ type: String) -> LoadError {
    unreadableType(
      type, readable: "f2, f4, f8, i1, i4, i8, u1, bool or bf16",
      remedy: "convert them to f32 before they are saved")
  }

  static func noHDF5(
    byteCount: Int, received: String? = nil, remedy: String? = nil
  ) -> LoadError {
    LoadError(
      .notHDF5, "this is not an HDF5 file",
      received: received ?? (byteCount < 8 ? bytes(byteCount) : "a file without its signature"),
      remedy: remedy)
  }

  /// The byte count of an entry does not match its sizes.
  static func wrongBytes(
    _ kind: Kind, received: Int, needs: Int, _ sizes: [Int], _ type: String, entry: String? = nil
  ) -> LoadError {
    LoadError(
      kind, "the values have the wrong size", entry: entry, received: bytes(received),
      needs: "\(bytes(needs)) for \(sizeText(sizes)) of \(type)")
  }

  static func valuesDoNotFill(_ sizes: [Int], count: Int) -> LoadError {
    LoadError(
      .wrongCount, "the sizes need a different number of values", received: counted(count, "value"),
      needs: Shape.product(of: sizes).map { "\(counted($0, "value")) for \(sizeText(sizes))" }
        ?? "at most 64 sizes of values that can be held, not \(sizeText(sizes))")
  }

  // MARK: safetensors

  static func headerTooLong(_ length: UInt64, of most: Int) -> LoadError {
    LoadError(
      .refused, "the header is too long", received: "\(length) bytes",
      needs: "at most \(bytes(most))")
  }

  static func unwritableTensorName(_ path: String, for spec: ParameterSpec) -> LoadError {
    LoadError(
      .badName, "a safetensors file has no such name", path: path, parameter: spec,
      received: "the \(spec.type) of \"\(spec.layer)\"",
      needs: "a layer with a name")
  }

  static func headerCutOff(needs: Int, received: Int) -> LoadError {
    LoadError(
      .damaged, "the header is cut off", received: bytes(received), needs: bytes(needs))
  }

  static func tensorCutOff(
    _ name: String, _ range: Range<Int>, start: Int, bytes count: Int
  ) -> LoadError {
    LoadError(
      .damaged, "the values lie outside the file", entry: name,
      received: "\(bytes(count)) of values",
      needs: "bytes \(range.lowerBound - start) to \(range.upperBound - start)")
  }

  // MARK: Blobs

  static func twoPlaces(_ layer: String, _ type: ParameterType) -> LoadError {
    LoadError(
      .duplicate, "the \(type) of \"\(layer)\" have two places", remedy: "give each parameter one")
  }

  static func packedSize(
    of file: InputFile, needs: Int, offset: Int, _ type: ElementType
  ) -> LoadError {
    let values = (needs - offset) / type.byteCount
    return LoadError(
      .wrongSize, "the file has the wrong size", received: bytes(file.count),
      needs: "\(bytes(needs)), \(counted(values, "value")) of \(type.byteCount) bytes"
        + (offset == 0 ? "" : " from byte \(offset)"),
      remedy: OtherFormat.remedy(for: file)
        ?? "check that the file belongs to this model and holds \(type.rawValue)")
  }
}
