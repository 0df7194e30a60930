import ForgeShapes

/// The parameters in a safetensors file, as PyTorch programs write it.
///
/// ```swift
/// let network = try model.compile(
///   parameters: try SafeTensorsParameters("model.safetensors").prefixed("encoder."))
/// ```
/// This finds the parameters of `conv1` under names such as `conv1.weight`, `conv1.bias` and
/// `conv1_w`, those of batch normalizations under `weight`, `bias`, `running_mean` and
/// `running_var`. The model must use all parameters of each layer: an unused bias is an error.
/// Counters such as `num_batches_tracked` are ignored. Values may be F16, BF16, F32 or F64, or I8
/// with scales: `conv1.weight` times `conv1.weight_scale`, one for each output or one for all.
public struct SafeTensorsParameters: ParameterSource {
  /// The file.
  public var file: SafeTensors { source.file }
  private let source: EntryParameters<SafeTensors>

  /// Opens a file whose tensors have the usual names or names from a custom rule.
  ///
  /// ```swift
  /// let parameters = try SafeTensorsParameters("net.safetensors", layout: .forge) { parameter in
  ///   parameter.type == .weights ? "params.\(parameter.layer).kernel" : nil
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - layout: the axis order of the tensors.
  ///   - limits: the limits for reading the header.
  ///   - entry: returns the name of a parameter's tensor, or `nil` when it has none. Usual names
  ///     are not tried then; ``CombinedParameters`` with a source without the closure tries them.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable`, `notARegularFile`, `damaged`,
  ///   `duplicate` or `refused`.
  public init(
    _ path: String, layout: ParameterLayout = .pytorch, limits: LoadLimits = LoadLimits(),
    entry: (@Sendable (_ parameter: ParameterSpec) -> String?)? = nil
  ) throws(LoadError) {
    try self.init(try SafeTensors(path, limits: limits), layout: layout, entry: entry)
  }

  /// Uses bytes in memory as a file.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the file.
  ///   - name: the origin of the bytes, for error messages.
  ///   - layout: the axis order of the tensors.
  ///   - limits: the limits for reading the header.
  ///   - entry: returns the name of a parameter's tensor, or `nil` when it has none. Usual names
  ///     are not tried then; ``CombinedParameters`` with a source without the closure tries them.
  /// - Throws: ``LoadError``: `damaged`, `duplicate`, `refused` or `outOfMemory`.
  public init(
    bytes: [UInt8], name: String = "memory", layout: ParameterLayout = .pytorch,
    limits: LoadLimits = LoadLimits(),
    entry: (@Sendable (_ parameter: ParameterSpec) -> String?)? = nil
  ) throws(LoadError) {
    let file = try SafeTensors(bytes: bytes, name: name, limits: limits)
    try self.init(file, layout: layout, entry: entry)
  }

  /// Uses the tensors of an open file.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - layout: the axis order of the tensors.
  ///   - entry: returns the name of a parameter's tensor, or `nil` when it has none. Usual names
  ///     are not tried then; ``CombinedParameters`` with a source without the closure tries them.
  /// - Throws: ``LoadError`` of kind `duplicate`.
  public init(
    _ file: SafeTensors, layout: ParameterLayout = .pytorch,
    entry: (@Sendable (_ parameter: ParameterSpec) -> String?)? = nil
  ) throws(LoadError) {
    source = try EntryParameters(
      file, layout: layout, rule: entry,
      layers: try EntryNames.layers(file.parameterKeys))
  }

  /// The names of the layers with tensors, in the order of the file; none with a custom rule.
  public var availableNames: [String] { source.availableNames }

  /// The path of the file, as given.
  public var origin: String? { file.path }

  /// The source, prepared to report parameters that the model's layers do not take.
  ///
  /// - Parameter specs: the parameters of the model.
  /// - Returns: the source for these.
  public func prepared(for specs: [ParameterSpec]) -> any ParameterSource {
    source.matched(byName: specs)
  }

  /// The values of a parameter, or `nil` when the file has none.
  ///
  /// - Parameter spec: the parameter.
  /// - Returns: the values, which are read when they are used, or `nil`.
  /// - Throws: ``LoadError``: `wrongShape`, `wrongElementType` or `unused`.
  public func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    try source.parameter(for: spec)
  }
}

extension SafeTensorsParameters: AbsenceExplainingSource {
  /// What the closure returned for a parameter that is missing.
  package func absence(of spec: ParameterSpec) -> ParameterAbsence? {
    source.absence(of: spec, origin: file.path, type: "SafeTensorsParameters")
  }
}
