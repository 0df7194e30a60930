import ForgeShapes

/// The parameters in a safetensors file, as PyTorch programs write it.
///
/// ```swift
/// let network = try model.compile(
///   parameters: try SafeTensorsParameters("model.safetensors").prefixed("encoder."))
/// ```
/// finds the parameters of `conv1` under `conv1.weight`, `conv1.bias`, `conv1_w` and the like,
/// those of a batch normalization under `weight`, `bias`, `running_mean` and `running_var`. All
/// parameters the file has for a layer must be wanted: a bias that the layer does not take is an
/// error; counters such as `num_batches_tracked` are passed over. Values may be F16, BF16, F32 or
/// F64.
public struct SafeTensorsParameters: ParameterSource {
  /// The file.
  public var file: SafeTensors { source.file }
  private let source: EntryParameters<SafeTensors>

  /// Opens a file whose tensors have the usual names, or those of a rule of your own.
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
  ///   - limits: what reading the header may cost.
  ///   - entry: returns the name of a parameter's tensor, or `nil` when it has none.
  /// - Throws: ``LoadError``: `fileMissing`, `unreadable`, `notARegularFile`, `damaged`,
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
  ///   - name: where they come from, for messages.
  ///   - layout: the axis order of the tensors.
  ///   - limits: what reading the header may cost.
  ///   - entry: returns the name of a parameter's tensor, or `nil` when it has none.
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
  ///   - entry: returns the name of a parameter's tensor, or `nil` when it has none.
  /// - Throws: ``LoadError`` of kind `duplicate`.
  public init(
    _ file: SafeTensors, layout: ParameterLayout = .pytorch,
    entry: (@Sendable (_ parameter: ParameterSpec) -> String?)? = nil
  ) throws(LoadError) {
    source = try EntryParameters(
      file, layout: layout, rule: entry,
      layers: try EntryNames.layers(file.tensors.lazy.map(\.key)))
  }

  /// The layer names there are tensors for, in the order of the file; none with a rule of your own.
  public var availableNames: [String] { source.availableNames }

  /// The source, which now knows whether the model takes all it has for the model's layers.
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
