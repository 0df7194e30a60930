import ForgeGraph
import ForgeShapes

extension Model {
  /// Compiles the model, asking a closure for each parameter.
  ///
  /// The closure is called once per parameter, in the order of the layers, with the name of the layer,
  /// the number of values and what they are; it returns where they are, or `nil` when it has none.
  /// ```swift
  /// let network = try model.compile { name, count, type in
  ///   try ParameterFile(directory: weights, name: name, count: count,
  ///                     suffix: type == .weights ? "_W" : "_b")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - options: everything that can be chosen.
  ///   - parameters: gives the values of a parameter, in Forge's layout unless it says otherwise.
  /// - Returns: the compiled model.
  /// - Throws: `CompileError` with every mistake of the model and its options, or every parameter that is
  ///   missing or does not fit, or a record of kernels or a verification that does not hold.
  public func compile(
    options: CompileOptions = CompileOptions(),
    parameters: (_ name: String, _ count: Int, _ type: ParameterType) throws -> (
      any ParameterData
    )?
  ) throws(CompileError) -> CompiledModel {
    let compiler = try Compiler(self, options: options, goesByName: true, names: { [] }) { spec in
      try parameters(spec.layer, spec.count, spec.type)
    }
    return try CompiledModel(compiler, metadata: metadata)
  }

  /// Compiles the model with the parameters of a source.
  ///
  /// - Parameters:
  ///   - source: a file, a folder, a dictionary, or seeded random values.
  ///   - options: everything that can be chosen.
  /// - Returns: the compiled model.
  /// - Throws: `CompileError` with every mistake of the model and its options, or every parameter that is
  ///   missing or does not fit, or a record of kernels or a verification that does not hold.
  public func compile(
    parameters source: some ParameterSource, options: CompileOptions = CompileOptions()
  ) throws(CompileError) -> CompiledModel {
    var prepared: any ParameterSource = source
    let compiler = try Compiler(
      self, options: options, goesByName: source.goesByName, names: { source.availableNames },
      prepare: { prepared = try source.prepared(for: $0) },
      ask: { try prepared.parameter(for: $0) })
    return try CompiledModel(compiler, metadata: metadata)
  }

  /// Compiles the model with its own parameters, or without any where it has none.
  ///
  /// - Parameter options: everything that can be chosen.
  /// - Returns: the compiled model.
  /// - Throws: `CompileError` with every mistake of the model and its options, or every parameter that is
  ///   missing or does not fit, or a record of kernels or a verification that does not hold.
  public func compile(
    options: CompileOptions = CompileOptions()
  ) throws(CompileError)
    -> CompiledModel
  {
    if let parameters { return try compile(parameters: parameters, options: options) }
    let compiler = try Compiler(
      self, options: options, goesByName: false, names: { [] },
      prepare: { specs in
        guard specs.isEmpty else { throw CompileError([.noSource(specs.map(\.layer).unique)]) }
      }, ask: { _ in nil })
    return try CompiledModel(compiler, metadata: metadata)
  }

  /// Compiles the model in the background.
  ///
  /// - Parameters:
  ///   - source: a file, a folder, a dictionary, or seeded random values.
  ///   - options: everything that can be chosen.
  /// - Returns: the compiled model.
  /// - Throws: `CompileError`, as ``compile(parameters:options:)``.
  @concurrent
  public func compiled(
    parameters source: some ParameterSource, options: CompileOptions = CompileOptions()
  ) async throws(CompileError) -> CompiledModel {
    try compile(parameters: source, options: options)
  }
}

extension [String] {
  /// The names without repetitions, in order.
  fileprivate var unique: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
