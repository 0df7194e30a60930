import ForgeShapes

/// The parameters in an HDF5 file, as Keras writes them.
///
/// ```swift
/// let network = try model.compile(parameters: try HDF5Parameters("mobilenet.h5"))
/// ```
/// It reads whole models (`.h5`) and weights (`.h5`, `.weights.h5`) of Keras 1 to 3, including
/// nested models, and other files with a group per layer. A layer is found by its Keras name. A
/// layer of a nested model is also found by its full name, `inner/conv1`, which is required if the
/// short name is ambiguous. The model must use all parameters of each layer: an unused bias is an
/// error.
///
/// Values may be f16, bf16, f32 or f64, contiguous or in chunks, optionally with gzip compression.
/// See ``HDF5File`` for what is refused.
public struct HDF5Parameters: ParameterSource {
  /// How the layers of the model and the file are matched.
  public typealias Matching = LayerMatching

  /// The file.
  public var file: HDF5File { source.file }
  private let source: EntryParameters<HDF5File>

  /// Opens a file and finds its layers, or datasets by a custom rule.
  ///
  /// ```swift
  /// let parameters = try HDF5Parameters("net.h5", layout: .pytorch) { parameter in
  ///   "/\(parameter.layer).\(parameter.type == .weights ? "weight" : "bias")"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - matching: how layers are matched if there is no `entry` rule.
  ///   - layout: the axis order of the values.
  ///   - limits: the limits for reading the structure of the file.
  ///   - entry: returns the path of a parameter's dataset in the file; `nil` when it has none.
  ///     Usual names are not tried then.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable`, `notARegularFile`, `notHDF5`,
  ///   `damaged`, `unsupported` or `refused`.
  public init(
    _ path: String, matching: Matching = .byName, layout: ParameterLayout = .keras,
    limits: LoadLimits = .init(),
    entry: (@Sendable (_ parameter: ParameterSpec) -> String?)? = nil
  ) throws(LoadError) {
    try self.init(
      try HDF5File(path, limits: limits), matching: matching, layout: layout, entry: entry)
  }

  /// Uses bytes in memory as a file.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the file.
  ///   - name: the origin of the bytes, for error messages.
  ///   - matching: how layers are matched if there is no `entry` rule.
  ///   - layout: the axis order of the values.
  ///   - limits: the limits for reading the structure of the file.
  ///   - entry: returns the path of a parameter's dataset in the file; `nil` when it has none.
  ///     Usual names are not tried then.
  /// - Throws: ``LoadError``: `notHDF5`, `damaged`, `unsupported`, `refused` or `outOfMemory`.
  public init(
    bytes: [UInt8], name: String = "memory", matching: Matching = .byName,
    layout: ParameterLayout = .keras, limits: LoadLimits = .init(),
    entry: (@Sendable (_ parameter: ParameterSpec) -> String?)? = nil
  ) throws(LoadError) {
    let file = try HDF5File(bytes: bytes, name: name, limits: limits)
    try self.init(file, matching: matching, layout: layout, entry: entry)
  }

  /// Uses an open file.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - matching: how layers are matched if there is no `entry` rule.
  ///   - layout: the axis order of the values.
  ///   - entry: returns the path of a parameter's dataset in the file; `nil` when it has none.
  ///     Usual names are not tried then.
  /// - Throws: ``LoadError``: `damaged`, `unsupported` or `refused`.
  public init(
    _ file: HDF5File, matching: Matching = .byName, layout: ParameterLayout = .keras,
    entry: (@Sendable (_ parameter: ParameterSpec) -> String?)? = nil
  ) throws(LoadError) {
    source = try EntryParameters(
      file, matching, layout: layout, rule: entry, layers: try FileLayers(file.contents))
  }

  /// Whether layers are matched by name.
  public var goesByName: Bool { source.goesByName }

  /// The names of the layers with values, in the order of the file.
  public var availableNames: [String] { source.availableNames }

  /// The path of the file, as given.
  public var origin: String? { file.path }

  /// The values that the file has for a layer, in its order, with their names in the file.
  ///
  /// - Parameter layer: the name of the layer.
  /// - Returns: the values, which are read when they are used; numbered ones have their number as
  ///   name. `nil` if the file has no such layer.
  /// - Throws: ``LoadError``: `duplicate`, `wrongElementType`, `unsupported` or `refused`.
  package func values(
    of layer: String
  ) throws(LoadError) -> [(name: String, data: any ParameterData)]? {
    guard let parameters = try source.parameters(of: layer) else { return nil }
    var values: [(name: String, data: any ParameterData)] = []
    for parameter in parameters {
      values.append(
        (parameter.name.text, try file.data(named: parameter.entry, layout: .keras)))
    }
    return values
  }

  /// The file, with every parameter of the model matched.
  ///
  /// - Parameter specs: the parameters of the model, in the order of the plan.
  /// - Returns: the source for these.
  /// - Throws: ``LoadError`` when layers are matched in order and the file's differ from the
  ///   model's.
  public func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource {
    try source.prepared(for: specs)
  }

  /// The values of a parameter, or `nil` when the file has none.
  ///
  /// Compiling first prepares the source for all parameters. Unprepared, the source matches layers
  /// by name only, does not report unused parameters, and cannot identify numbered ones.
  ///
  /// - Parameter spec: the parameter.
  /// - Returns: the values, which are read when they are used, or `nil`.
  /// - Throws: ``LoadError``: `wrongShape`, `wrongElementType`, `unused`, `duplicate`,
  ///   `unsupported` or `refused`.
  public func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    try source.parameter(for: spec)
  }
}

extension HDF5Parameters: AbsenceExplainingSource {
  /// What the closure returned for a parameter that is missing.
  package func absence(of spec: ParameterSpec) -> ParameterAbsence? {
    source.absence(of: spec, origin: file.path, type: "HDF5Parameters")
  }
}
