import Forge
import ForgeLoaders

/// A model file of Keras: the description of the model, and its weights.
struct KerasFile: Sendable {
  /// The description: `{"class_name": "Sequential", "config": …}`.
  let model: JSONValue
  /// The version of Keras that wrote it, if the file states it.
  let version: String?
  /// The major version.
  let generation: Int
  /// The weights.
  let weights: any KerasWeights

  /// Opens `.keras`, `.h5` and `.hdf5` files, distinguished by their contents.
  init(_ path: String, _ limits: ImportLimits) throws(ImportError) {
    // The loaders report what cannot be opened.
    if let file = try? InputFile(path: path) {
      try limits.check(fileBytes: file.count, path: path)
    }
    do throws(LoadError) {
      let loadLimits = LoadLimits(entries: limits.tensors)
      self =
        try KerasArchive.isArchive(path)
        ? try KerasFile(try KerasArchive(path, limits: loadLimits))
        : try KerasFile(try HDF5File(path, limits: loadLimits), path)
    } catch {
      throw .keras(loading: error)
    }
  }

  /// Reads the bytes of such a file, which messages call by a name.
  init(_ bytes: [UInt8], name: String, _ limits: ImportLimits) throws(ImportError) {
    do throws(LoadError) {
      let loadLimits = LoadLimits(entries: limits.tensors)
      self =
        bytes.starts(with: "PK".utf8)
        ? try KerasFile(try KerasArchive(bytes: bytes, name: name, limits: loadLimits))
        : try KerasFile(try HDF5File(bytes: bytes, name: name, limits: loadLimits), name)
    } catch {
      throw .keras(loading: error)
    }
  }

  private init(_ archive: KerasArchive) throws(LoadError) {
    model = try JSONValue.python(archive.configuration, name: archive.path)
    version = try Self.version(archive)
    generation = Self.generation(version, model)
    weights = archive
  }

  private init(_ file: HDF5File, _ path: String) throws(LoadError) {
    guard let text = try file.texts(ofAttribute: "model_config")?.first else {
      throw LoadError(.entryMissing, Self.weightsOnly(path, file))
    }
    model = try JSONValue.python(text, name: path)
    version = try file.texts(ofAttribute: "keras_version")?.first
    generation = Self.generation(version, model)
    weights = try HDF5Parameters(file)
  }

  /// A description without values.
  init(description: String, generation: Int) throws(LoadError) {
    model = try JSONValue.python(description, name: "description")
    version = nil
    self.generation = generation
    weights = NoKerasWeights()
  }

  /// Whether the file has values.
  var hasValues: Bool { !(weights is NoKerasWeights) }

  /// The Keras version in the metadata of an archive.
  private static func version(_ archive: KerasArchive) throws(LoadError) -> String? {
    guard let metadata = archive.metadata else { return nil }
    return try JSONValue.python(metadata, name: archive.path)["keras_version"]?.text
  }

  /// The major version; without one, the form of the description tells it.
  private static func generation(_ version: String?, _ model: JSONValue) -> Int {
    if let major = version?.split(separator: ".").first.flatMap({ Int($0) }) {
      return min(max(major, 1), 3)
    }
    return model["module"] != nil ? 3 : 2
  }

  /// What is wrong with a file that has no description.
  private static func weightsOnly(_ path: String, _ file: HDF5File) -> Problem {
    var problem = Problem(headline: "the file has no description of a model, only values")
    problem.path = path
    problem.details = [
      ("received", "\(file.entries.count) datasets and no attribute model_config"),
      ("needs", "a whole model, saved with model.save(\"net.keras\") or model.save(\"net.h5\")"),
      (
        "remedy",
        "describe the network in Swift and compile it with HDF5Parameters(\"\(path)\"), or save "
          + "the whole model in Python"
      ),
    ]
    return problem
  }
}

/// The weights of a Keras file.
protocol KerasWeights: ParameterSource {
  /// The values of a layer with their names, in the order of the file; `nil` without such a layer.
  func values(
    of layer: String
  ) throws(LoadError) -> [(name: String, data: any ParameterData)]?
}

/// The weights of a description alone.
private struct NoKerasWeights: KerasWeights {
  func values(of layer: String) -> [(name: String, data: any ParameterData)]? { nil }
  func parameter(for spec: ParameterSpec) -> (any ParameterData)? { nil }
}

extension HDF5Parameters: KerasWeights {}
extension KerasArchive: KerasWeights {}

/// Reads values that become part of the network, such as the means of a `Normalization`.
struct KerasValues: Sendable {
  private let weights: any KerasWeights
  /// The most values of one parameter.
  private let maximumCount: Int

  init(_ weights: any KerasWeights, maximumCount: Int) {
    self.weights = weights
    self.maximumCount = maximumCount
  }

  /// The names and sizes of the parameters of a layer, in the order of the file.
  func all(of layer: KerasLayer) throws(KerasFault) -> [(name: String, sizes: [Int])] {
    do throws(LoadError) {
      return try (weights.values(of: layer.path) ?? []).map { name, data in
        (name, data.sizes ?? [data.count])
      }
    } catch { throw .loading(error) }
  }

  /// A parameter of a layer by its name or, in files that number them, by its number; its values
  /// are read when they are used.
  func data(
    _ name: String, number: Int? = nil, of layer: KerasLayer
  ) throws(KerasFault) -> any ParameterData {
    do throws(LoadError) {
      let values = try weights.values(of: layer.path) ?? []
      guard
        let found = values.first(where: { $0.name == name })
          ?? number.flatMap({ number in values.first { $0.name == "\(number)" } })
      else {
        throw LoadError(
          .entryMissing, "the file has no \(name) of layer \"\(layer.path)\"",
          received: values.map(\.name).joined(separator: ", "))
      }
      return found.data
    } catch { throw .loading(error) }
  }

  /// The values of such a parameter.
  func floats(
    _ name: String, number: Int? = nil, of layer: KerasLayer
  ) throws(KerasFault) -> [Float] {
    let data = try data(name, number: number, of: layer)
    do {
      guard data.count <= maximumCount else {
        throw LoadError(
          .refused, "the \(name) of layer \"\(layer.path)\" is too large",
          received: "\(data.count) values", needs: "at most \(maximumCount)",
          remedy: "for a file that you trust, raise foldedElements in ImportLimits")
      }
      var floats = [Float](repeating: 0, count: data.count)
      try data.withBytes(atLeast: floats.count * data.elementType.byteCount) { bytes in
        floats.withUnsafeMutableBufferPointer { data.elementType.convert(bytes, into: $0) }
      }
      return floats
    } catch let error as LoadError {
      throw .loading(error)
    } catch {
      throw .invalid("the \(name) of the layer cannot be read", received: "\(error)")
    }
  }
}
