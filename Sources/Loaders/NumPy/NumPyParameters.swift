import ForgeShapes

/// Parameters in an `.npz` archive, as `numpy.savez` writes it, or in a folder of `.npy` files.
///
/// ```swift
/// let network = try model.compile(parameters: try NumPyParameters("weights.npz"))
/// ```
/// This finds the parameters of `conv1` under names such as `conv1/weights`, `conv1.weight`,
/// `conv1/kernel:0` and `conv1_w`. A folder may have subfolders: `conv1/weights.npy`. The model
/// must use all parameters of each layer: an unused bias is an error. Archives may be compressed
/// (`savez_compressed`); entries are decompressed on use. Names are only looked up among existing
/// entries, so none leads out of the archive or folder.
public struct NumPyParameters: ParameterSource {
  /// The archive or folder.
  public var path: String { source.file.path }
  private let source: EntryParameters<NumPyArrays>

  /// Opens an archive or a folder whose arrays have the usual names or names from a custom rule.
  ///
  /// ```swift
  /// let parameters = try NumPyParameters("net.npz") { parameter in
  ///   parameter.type == .weights ? "\(parameter.layer)_kernel" : nil
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - path: the archive or folder; relative to the working directory unless it begins with `/`.
  ///   - layout: the axis order of the arrays.
  ///   - limits: the limits for reading the structure of the archive and decompressing its arrays.
  ///   - entry: returns the name of a parameter's array, without `.npy`; `nil` when it has none.
  ///     Usual names are not tried then.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable`, `notARegularFile`, `damaged`,
  ///   `duplicate`, `unsupported` or `refused`.
  public init(
    _ path: String, layout: ParameterLayout = .keras, limits: LoadLimits = LoadLimits(),
    entry: (@Sendable (_ parameter: ParameterSpec) -> String?)? = nil
  ) throws(LoadError) {
    try self.init(try NumPyArrays(path, limits: limits), layout: layout, entry: entry)
  }

  /// Uses bytes in memory as an archive.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the archive.
  ///   - name: the origin of the bytes, for error messages.
  ///   - layout: the axis order of the arrays.
  ///   - limits: the limits for reading the structure of the archive and decompressing its arrays.
  ///   - entry: returns the name of a parameter's array, without `.npy`; `nil` when it has none.
  ///     Usual names are not tried then.
  /// - Throws: ``LoadError``: `damaged`, `duplicate`, `unsupported`, `refused` or `outOfMemory`.
  public init(
    bytes: [UInt8], name: String = "memory", layout: ParameterLayout = .keras,
    limits: LoadLimits = LoadLimits(),
    entry: (@Sendable (_ parameter: ParameterSpec) -> String?)? = nil
  ) throws(LoadError) {
    let file = try InputFile.copying(bytes, name: name)
    try self.init(NumPyArrays(archive: file, limits: limits), layout: layout, entry: entry)
  }

  init(
    _ arrays: NumPyArrays, layout: ParameterLayout,
    entry: (@Sendable (ParameterSpec) -> String?)? = nil
  ) throws(LoadError) {
    source = try EntryParameters(
      arrays, layout: layout, rule: entry, layers: try EntryNames.layers(arrays.names))
  }

  /// The names of the layers with arrays; none with a custom rule.
  public var availableNames: [String] { source.availableNames }

  /// The path of the archive or folder, as given.
  public var origin: String? { source.file.path }

  /// The source, prepared to report parameters that the model's layers do not take.
  ///
  /// - Parameter specs: the parameters of the model.
  /// - Returns: the source for these.
  public func prepared(for specs: [ParameterSpec]) -> any ParameterSource {
    source.matched(byName: specs)
  }

  /// The values of a parameter, or `nil` when there are none.
  ///
  /// - Parameter spec: the parameter.
  /// - Returns: the values, which are read when they are used, or `nil`.
  /// - Throws: ``LoadError``: `wrongShape`, `wrongElementType`, `wrongSize`, `unused`, `damaged`,
  ///   `unsupported` or `refused`.
  public func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    try source.parameter(for: spec)
  }
}

extension NumPyParameters: AbsenceExplainingSource {
  /// What the closure returned for a parameter that is missing.
  package func absence(of spec: ParameterSpec) -> ParameterAbsence? {
    source.absence(of: spec, origin: source.file.path, type: "NumPyParameters")
  }
}
