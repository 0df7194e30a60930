import Forge
import ForgeLoaders

extension ImportedModel {
  /// Reads a model that Keras has saved.
  ///
  /// ```swift
  /// let imported = try ImportedModel(keras: "mnistCNN.h5")
  /// let network = try imported.model.compile()
  /// ```
  /// It reads whole models of Keras 1 to 3: `.keras` archives, and HDF5 files (`.h5`, `.hdf5`) with
  /// the attribute `model_config`. Sequential and Functional models, models inside models, and
  /// layers that are called several times are read; Python code (`Lambda`, custom layers) is not
  /// in these files, and ``ImportOptions/kerasLayers`` builds such layers. The layers have their
  /// names in Keras; one of a model inside the model has the path `inner/conv1`. The values of the
  /// parameters are read when the model is compiled.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - options: the sizes that the file leaves open, and limits.
  /// - Throws: ``ImportError``: `unsupported` with everything in the file that Forge does not have;
  ///   `fileMissing`, `unreadable`, `malformed`, `tooLarge`, `invalidNode`, `parameter`,
  ///   `unknownSize` or `unknownName`.
  public init(
    keras path: String, options: ImportOptions = ImportOptions()
  ) throws(ImportError) {
    try ImportError.checkContents(path, of: KerasFormat.self)
    let file = try KerasFile(path, options.limits)
    let bytes = (try? InputFile(path: path).storedByteCount) ?? 0
    self = try Self.imported(file, options, fileBytes: bytes, path: path)
  }

  /// Reads a model that Keras has saved from the bytes of its file, `.keras` or HDF5.
  ///
  /// - Parameters:
  ///   - bytes: the bytes, of which the model keeps a copy.
  ///   - options: the sizes that the file leaves open, and limits.
  /// - Throws: ``ImportError``, as ``init(keras:options:)``.
  public init(
    keras bytes: [UInt8], options: ImportOptions = ImportOptions()
  ) throws(ImportError) {
    let name = "memory"
    try options.limits.check(fileBytes: bytes.count, path: name)
    let file = try KerasFile(bytes, name: name, options.limits)
    self = try Self.imported(file, options, fileBytes: bytes.count, path: name)
  }

  private static func imported(
    _ file: KerasFile, _ options: ImportOptions, fileBytes: Int, path: String
  ) throws(ImportError) -> ImportedModel {
    try importing(
      options, path: path,
      open: { () throws(ImportError) in try openInputs(of: file, options, path: path) }
    ) { options throws(ImportError) in
      try ImportBudget.during(
        options.limits, fileBytes: fileBytes, path: path
      ) { () throws(ImportError) in
        try SourcePlace.describing(for: SourcePlace(file: path)) { () throws(ImportError) in
          try ImportedModel(file, options, path: path).limited(options, path: path)
        }
      }
    }
  }

  /// Reads a model that Keras has saved, within limits.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - limits: the limits on the file.
  /// - Throws: ``ImportError``, as ``init(keras:options:)``.
  public init(keras path: String, limits: ImportLimits) throws(ImportError) {
    try self.init(keras: path, options: ImportOptions(limits: limits))
  }

  /// Reads the description of a model, as `model.to_json()` returns it, without values.
  ///
  /// - Parameters:
  ///   - description: the JSON.
  ///   - generation: the major version of Keras that wrote it.
  ///   - options: the sizes that the description leaves open, and limits.
  /// - Throws: ``ImportError``, as ``init(keras:options:)``.
  package init(
    kerasDescription description: String, generation: Int = 3,
    options: ImportOptions = ImportOptions()
  ) throws(ImportError) {
    let file: KerasFile
    do throws(LoadError) {
      file = try KerasFile(description: description, generation: generation)
    } catch { throw .keras(loading: error) }
    self = try ImportedModel(file, options, path: nil)
      .limited(options, hasWeights: false, path: nil)
  }

  /// The inputs whose sizes the options do not state.
  private static func openInputs(
    of file: KerasFile, _ options: ImportOptions, path: String
  ) throws(ImportError) -> [OpenInput] {
    var context = KerasPlan.Context(file, options, path: path)
    let plan = try KerasPlan(file.model, &context)
    return try KerasInput.all(of: plan, options, path: path)
      .filter { $0.stated == nil }.map(\.asOpen)
  }

  private init(_ file: KerasFile, _ options: ImportOptions, path: String?) throws(ImportError) {
    var context = KerasPlan.Context(file, options, path: path)
    let plan = try KerasPlan(file.model, &context)
    guard context.unsupported.isEmpty else {
      throw .unsupported(context.unsupported, path: path)
    }
    let inputs = try KerasInput.all(of: plan, options, path: path)
    var tensors: [KerasTensor] = []
    for input in inputs { tensors.append(try input.tensor(path: path, options)) }
    var builder = KerasBuilder(context)
    let outputs = try builder.apply(plan, to: tensors).compactMap(\.self)
    guard builder.context.unsupported.isEmpty else {
      throw .unsupported(builder.context.unsupported, path: path)
    }
    var model = Model(
      inputs: tensors.map(\.tensor), outputs: outputs.map(\.tensor),
      metadata: ModelMetadata(name: plan.description.name))
    let (decoded, made) = (context.file.decoded, context.file.made.withLock { $0 })
    let weights: any ParameterSource =
      decoded.isEmpty ? file.weights : KerasParameters(file.weights, decoded: decoded)
    if !made.isEmpty {
      model.parameters = CombinedParameters([ImportedParameters(made, origin: path), weights])
    } else if file.hasValues {
      model.parameters = weights
    }
    let inference: Inference
    do throws(ModelError) { inference = try model.inferred() } catch {
      throw ImportError(.invalidNode, "the layers do not make a model", path: path, cause: error)
    }
    let names = Dictionary(
      inference.nodes.map { (ObjectIdentifier($0.tensor), $0.name) }, uniquingKeysWith: { $1 })
    self.init(
      model: model, inputs: inputs.map(\.port),
      outputs: outputs.map { output in
        Port(
          name: names[ObjectIdentifier(output.tensor)] ?? "",
          sizes: [1] + output.sizes.map { $0 ?? -1 }, axes: Port.kerasAxes(rank: output.rank),
          lengthAxes: Port.lengthAxes(of: output.tensor, Port.kerasAxes(rank: output.rank)))
      })
  }
}

extension KerasPlan.Context {
  /// The context of the import of a file.
  fileprivate init(_ file: KerasFile, _ options: ImportOptions, path: String?) {
    self.init(
      KerasSource(
        path: path, generation: file.generation, limits: options.limits,
        values: KerasValues(file.weights, maximumCount: options.limits.foldedElements),
        builders: options.kerasLayers))
  }
}

extension Model {
  /// Reads a model that Keras has saved; see ``ImportedModel/init(keras:options:)``.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - options: the sizes that the file leaves open, and limits.
  /// - Throws: ``ImportError``, as ``ImportedModel/init(keras:options:)``.
  public init(keras path: String, options: ImportOptions = ImportOptions()) throws(ImportError) {
    self = try ImportedModel(keras: path, options: options).model
  }

  /// Reads a model that Keras has saved, within limits.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - limits: the limits on the file.
  /// - Throws: ``ImportError``, as ``ImportedModel/init(keras:options:)``.
  public init(keras path: String, limits: ImportLimits) throws(ImportError) {
    self = try ImportedModel(keras: path, limits: limits).model
  }
}
