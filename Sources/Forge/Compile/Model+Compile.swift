import ForgeGraph
import ForgeShapes

extension Model {
  /// Compiles the model, requesting each parameter from a closure.
  ///
  /// The closure is called once per parameter, in the order of the layers. It receives the name of
  /// the layer, the number of values and the kind of parameter. It returns the values, or `nil`
  /// when it has none.
  /// ```swift
  /// let network = try model.compile { name, count, type in
  ///   try ParameterFile(directory: weights, name: name, count: count,
  ///                     suffix: type == .weights ? "_W" : "_b")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - options: the options of the compile.
  ///   - parameters: returns the values of a parameter, in Forge's layout unless the data states
  ///     another.
  /// - Returns: the compiled model.
  /// - Throws: `CompileError` with every mistake in the model and its options, with every parameter
  ///   that is missing or does not fit, or when a record of kernels or a verification fails.
  public func compile(
    options: CompileOptions = CompileOptions(),
    parameters: (_ name: String, _ count: Int, _ type: ParameterType) throws -> (
      any ParameterData
    )?
  ) throws(CompileError) -> CompiledModel {
    try compile(options) { lowered, inference throws(CompileError) in
      try LoadStage.load(lowered, inference: inference, from: nil) { spec in
        try parameters(spec.layer, spec.count, spec.type)
      }
    }
  }

  /// Compiles the model, requesting each parameter from a closure; see
  /// ``compile(options:parameters:)``.
  ///
  /// - Parameters:
  ///   - parameters: returns the values of a parameter, in Forge's layout unless the data states
  ///     another.
  ///   - options: the options of the compile.
  /// - Returns: the compiled model.
  /// - Throws: `CompileError`, as ``compile(options:parameters:)``.
  public func compile(
    parameters: (_ name: String, _ count: Int, _ type: ParameterType) throws -> (
      any ParameterData
    )?,
    options: CompileOptions
  ) throws(CompileError) -> CompiledModel {
    try compile(options: options, parameters: parameters)
  }

  /// Compiles the model with the parameters of a source.
  ///
  /// - Parameters:
  ///   - source: a file, a folder, a dictionary, or seeded random values.
  ///   - options: the options of the compile.
  /// - Returns: the compiled model.
  /// - Throws: `CompileError` with every mistake in the model and its options, with every parameter
  ///   that is missing or does not fit, or when a record of kernels or a verification fails.
  public func compile(
    parameters source: some ParameterSource, options: CompileOptions = CompileOptions()
  ) throws(CompileError) -> CompiledModel {
    try compile(options) { lowered, inference throws(CompileError) in
      try LoadStage.load(lowered, inference: inference, from: source)
    }
  }

  /// Compiles the model with the parameters of a source; see ``compile(parameters:options:)``.
  ///
  /// - Parameters:
  ///   - options: the options of the compile.
  ///   - source: a file, a folder, a dictionary, or seeded random values.
  /// - Returns: the compiled model.
  /// - Throws: `CompileError`, as ``compile(parameters:options:)``.
  public func compile(
    options: CompileOptions, parameters source: some ParameterSource
  ) throws(CompileError) -> CompiledModel {
    try compile(parameters: source, options: options)
  }

  /// Compiles the model with its own parameters, or without any if it has none.
  ///
  /// - Parameter options: the options of the compile.
  /// - Returns: the compiled model.
  /// - Throws: `CompileError` with every mistake in the model and its options, with every parameter
  ///   that is missing or does not fit, or when a record of kernels or a verification fails.
  public func compile(
    options: CompileOptions = CompileOptions()
  ) throws(CompileError) -> CompiledModel {
    try compiled(try loaded(options), options)
  }

  /// The model behind stages 1 to 3, with its own parameters.
  func loaded(_ options: CompileOptions) throws(CompileError) -> LoadedModel {
    try LoadedModel(self, options: options) { lowered, inference throws(CompileError) in
      if let parameters {
        return try LoadStage.load(lowered, inference: inference, from: parameters)
      }
      var seen: Set<String> = []
      let layers = lowered.parameters.map(\.layer).filter { seen.insert($0).inserted }
      guard layers.isEmpty else { throw CompileError([.noSource(layers)]) }
      return ParameterStore(specs: [], data: [])
    }
  }

  private func compile(
    _ options: CompileOptions,
    load: (LoweredModel, Inference) throws(CompileError) -> ParameterStore
  ) throws(CompileError) -> CompiledModel {
    try compiled(try LoadedModel(self, options: options, load: load), options)
  }

  private func compiled(
    _ loaded: LoadedModel, _ options: CompileOptions
  ) throws(CompileError) -> CompiledModel {
    if let cache = options.cache {
      return try CachedCompile(loaded, options, metadata, cache).network()
    }
    return try CompiledModel(loaded.compiler(options), metadata: metadata)
  }
}
