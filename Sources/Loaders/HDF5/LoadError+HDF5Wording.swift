import ForgeShapes

/// The messages about HDF5 files; tests compare them.
extension LoadError {
  // MARK: Files and datasets

  /// Whether the error aborts reading: the file is damaged or unreadable.
  ///
  /// An error with a file comes from reading or from the budget.
  var endsReading: Bool { kind == .damaged || problem.path != nil }

  static func notHDF5(_ input: InputFile) throws(LoadError) -> LoadError {
    // A .keras file is a zip archive that contains an HDF5 file with the parameters.
    let isArchive = try input.prefix(4) == [0x50, 0x4b, 0x03, 0x04]
    guard isArchive else { return noHDF5(byteCount: input.count) }
    return noHDF5(
      byteCount: input.count, received: "a zip archive",
      remedy: "KerasArchive reads .keras files, NumPyParameters .npz")
  }

  static func unsupportedHDF5(_ what: String) -> LoadError {
    LoadError(
      .unsupported, "this form of HDF5 is not supported", received: what,
      remedy: "copy it with h5py: h5py.File(\"new.h5\", \"w\") and f[name] = array")
  }

  static func refusedHDF5(_ what: String) -> LoadError {
    refused(what, remedy: "save the values themselves in one file")
  }

  static func wrongElementType(_ type: String) -> LoadError {
    let types = ElementType.allCases.filter { $0 != .bool }.map(\.rawValue)
    return unreadableType(type, readable: types.joined(separator: ", "))
  }

  static func entryMissing(isGroup: Bool) -> LoadError {
    LoadError(
      .entryMissing, isGroup ? "this is a group, not a dataset" : "there is no such dataset")
  }

  // MARK: Layers

  static func clash(_ name: String, found: [String]) -> LoadError {
    LoadError(
      .duplicate, "several layers of the file are called \"\(name)\"",
      received: list(found), remedy: "name the layer of the model by one of these")
  }

  static func flippedKernel() -> LoadError {
    LoadError(
      .unsupported, "kernels of the Theano backend are flipped",
      remedy: "load the file in Keras 2 with the TensorFlow backend and save it again")
  }

  static func layerCount(
    found: Int, _ names: [String], wanted: Int, _ wantedNames: [String]
  ) -> LoadError {
    LoadError(
      .wrongCount, "the file and the model have different numbers of layers with parameters",
      received: "\(found): \(list(names))", needs: "\(wanted): \(list(wantedNames))")
  }

  static func noOrder(_ headline: String) -> LoadError {
    LoadError(.unsupported, headline, remedy: "match by name")
  }

  static func noneFits(_ name: String, _ specs: [ParameterSpec]) -> LoadError {
    LoadError(
      .wrongShape, "the next layers of the file do not fit \"\(name)\"", parameter: specs.first,
      needs: text(specs))
  }

  static func severalFit(_ name: String, _ found: [String]) -> LoadError {
    LoadError(
      .duplicate,
      "layers of several classes fit \"\(name)\", and the file does not say which is next",
      received: found.joined(separator: ", "), remedy: "match by name")
  }

  // MARK: Writing

  package static func unwritableType(_ path: String, _ type: StoredType) -> LoadError {
    LoadError(
      .unsupported, "weight files of Keras do not have this type", path: path,
      received: type.rawValue, needs: "f32 or f16",
      remedy: "SafeTensors.write has all types")
  }

  package static func entryNotWritten(_ path: String, _ entry: String) -> LoadError {
    LoadError(
      .unreadable, "the file cannot be written", path: path, entry: entry,
      received: "libhdf5 refuses it")
  }

  package static func unwritableName(_ path: String, for spec: ParameterSpec) -> LoadError {
    LoadError(
      .badName, "HDF5 has no such name", path: path, parameter: spec,
      received: "the \(spec.type) of \"\(spec.layer.replacing("\0", with: "\\0"))\"",
      needs: "parts that are not empty and not \".\", without NUL characters")
  }
}
