import ForgeShapes

/// The sentences about HDF5 files; tests pin them.
extension LoadError {
  // MARK: Files and datasets

  static func notHDF5(_ input: InputFile) throws(LoadError) -> LoadError {
    // A .keras file is a zip archive with the parameters in an HDF5 file inside.
    let isArchive = try input.prefix(4).withBytes { $0.elementsEqual([0x50, 0x4b, 0x03, 0x04]) }
    return LoadError(
      .notHDF5, "this is not an HDF5 file", path: input.path,
      received: isArchive
        ? "a zip archive" : input.count < 8 ? bytes(input.count) : "a file without its signature",
      remedy: isArchive ? "KerasArchive reads .keras files, NumPyParameters .npz" : nil)
  }

  static func unsupportedHDF5(_ path: String, entry: String?, _ what: String) -> LoadError {
    LoadError(
      .unsupported, "this form of HDF5 is not supported", path: path, entry: entry,
      received: what,
      remedy: "copy it with h5py: h5py.File(\"new.h5\", \"w\") and f[name] = array")
  }

  static func refusedHDF5(_ path: String, entry: String?, _ what: String) -> LoadError {
    LoadError(
      .refused, "this is refused in a file of parameters", path: path, entry: entry,
      received: what, remedy: "save the values themselves in one file")
  }

  static func wrongElementType(_ path: String, entry: String?, _ type: String) -> LoadError {
    LoadError(
      .wrongElementType, "the values have a type that is not read", path: path, entry: entry,
      received: type, expected: "little-endian \(readableTypes)")
  }

  private static let readableTypes = ElementType.allCases.filter { $0 != .bool }
    .map(\.rawValue).joined(separator: ", ")

  static func entryMissing(_ path: String, entry: String, isGroup: Bool) -> LoadError {
    LoadError(
      .entryMissing, isGroup ? "this is a group, not a dataset" : "there is no such dataset",
      path: path, entry: entry)
  }

  // MARK: Layers

  static func clash(_ path: String, name: String, found: [String]) -> LoadError {
    LoadError(
      .duplicate, "several layers of the file are called \"\(name)\"", path: path,
      received: list(found), remedy: "name the layer of the model by one of these")
  }

  static func otherParameters(
    _ path: String, _ layer: HDF5Layer, _ specs: [ParameterSpec], sizes: [[Int]]
  ) -> LoadError {
    let stored = zip(layer.parameters, sizes).prefix(8).map { "\($0.name) (\(sizeText($1)))" }
    let more = layer.parameters.count > stored.count ? ["…"] : []
    return LoadError(
      .unused, "\"\(layer.name)\" has other parameters in the file than in the model", path: path,
      received: (stored + more).joined(separator: ", "),
      expected: specs.map { "\($0.type) (\($0.shapeText))" }.joined(separator: ", "),
      remedy: "give the layer the arguments it had when the file was written, as useBias")
  }

  static func flippedKernel(_ path: String, entry: String) -> LoadError {
    LoadError(
      .unsupported, "kernels of the Theano backend are turned around", path: path, entry: entry,
      remedy: "load the file in Keras 2 with the TensorFlow backend and save it again")
  }

  static func layerCount(
    _ path: String, found: Int, _ names: [String], wanted: Int, _ wantedNames: [String]
  ) -> LoadError {
    LoadError(
      .wrongCount, "the file and the model have different numbers of layers with parameters",
      path: path, received: "\(found): \(list(names))",
      expected: "\(wanted): \(list(wantedNames))")
  }

  static func noOrder(_ path: String) -> LoadError {
    LoadError(
      .unsupported, "the file does not say in which order its layers are", path: path,
      remedy: "match by name")
  }

  static func nestedInOrder(_ path: String) -> LoadError {
    LoadError(
      .unsupported, "the file has models inside its model and does not say in which order",
      path: path, remedy: "match by name")
  }

  static func noneFits(_ path: String, _ name: String, _ specs: [ParameterSpec]) -> LoadError {
    LoadError(
      .wrongShape, "the next layers of the file do not fit \"\(name)\"", path: path,
      spec: specs.first,
      expected: specs.map { "\($0.type) (\($0.shapeText))" }.joined(separator: ", "))
  }

  static func severalFit(_ path: String, _ name: String, _ found: [String]) -> LoadError {
    LoadError(
      .duplicate,
      "layers of several classes fit \"\(name)\", and the file does not say which is next",
      path: path, received: found.joined(separator: ", "), remedy: "match by name")
  }

  static func notPrepared(_ path: String) -> LoadError {
    LoadError(
      .unsupported, "the file was not prepared for the model's parameters", path: path,
      remedy: "call prepared(for:) with all of them first, as compile does")
  }

  // MARK: Writing

  package static func entryNotWritten(_ path: String, _ entry: String) -> LoadError {
    LoadError(
      .unreadable, "the file cannot be written", path: path, entry: entry,
      received: "libhdf5 does not take it")
  }

  package static func unwritableName(_ path: String, for spec: ParameterSpec) -> LoadError {
    LoadError(
      .badName, "HDF5 has no such name", path: path, spec: spec,
      received: "the \(spec.type) of \"\(spec.layer.replacing("\0", with: "\\0"))\"",
      expected: "parts that are not empty and not \".\", without NUL characters")
  }

  package static func twoParameters(
    _ path: String, _ name: String, _ spec: ParameterSpec
  ) -> LoadError {
    LoadError(
      .duplicate, "two parameters have the same name", path: path, entry: name, spec: spec,
      remedy: "give each layer a name of its own")
  }

  package static func otherAxes(_ origin: String, _ spec: ParameterSpec) -> LoadError {
    LoadError(
      .wrongShape, "the \(spec.type) of \"\(spec.layer)\" have other axes", path: origin,
      spec: spec,
      expected: spec.shapeText)
  }
}
