import ForgeGraph
import ForgeOperations
import ForgeShapes

extension Model {
  /// Compiles the model in the background, with the parameters of a source.
  ///
  /// When its task is canceled, the compile ends, even while it measures kernels: between two
  /// parameters, two predictions of a measurement or two samples of a verification.
  /// ```swift
  /// let network = try await model.compiled(parameters: source) { progress in
  ///   print(progress.stage, progress.fraction)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - source: a file, a folder, a dictionary, or seeded random values.
  ///   - options: the options of the compile.
  ///   - progress: receives the progress, on the thread of the compile.
  /// - Returns: the compiled model.
  /// - Throws: `CompileError`, as `compile(parameters:options:)`, or one that `isCancelled`.
  @concurrent
  public func compiled(
    parameters source: some ParameterSource, options: CompileOptions = CompileOptions(),
    progress: @escaping @Sendable (CompileProgress) -> Void = { _ in }
  ) async throws(CompileError) -> CompiledModel {
    try watched(progress) { () throws(CompileError) in
      try compile(parameters: source, options: options)
    }
  }

  /// Compiles the model in the background, requesting each parameter from a closure.
  ///
  /// - Parameters:
  ///   - options: the options of the compile.
  ///   - progress: receives the progress, on the thread of the compile.
  ///   - parameters: returns the values of a parameter, as for `compile(options:parameters:)`.
  /// - Returns: the compiled model.
  /// - Throws: `CompileError`, as `compile(options:parameters:)`, or one that `isCancelled`.
  @concurrent
  public func compiled(
    options: CompileOptions = CompileOptions(),
    progress: @escaping @Sendable (CompileProgress) -> Void = { _ in },
    parameters:
      @Sendable (_ name: String, _ count: Int, _ type: ParameterType) throws -> (
        any ParameterData
      )?
  ) async throws(CompileError) -> CompiledModel {
    try watched(progress) { () throws(CompileError) in
      try compile(options: options, parameters: parameters)
    }
  }

  /// Compiles the model in the background, with its own parameters, or without any if it has none.
  ///
  /// - Parameters:
  ///   - options: the options of the compile.
  ///   - progress: receives the progress, on the thread of the compile.
  /// - Returns: the compiled model.
  /// - Throws: `CompileError`, as `compile(options:)`, or one that `isCancelled`.
  @concurrent
  public func compiled(
    options: CompileOptions = CompileOptions(),
    progress: @escaping @Sendable (CompileProgress) -> Void = { _ in }
  ) async throws(CompileError) -> CompiledModel {
    try watched(progress) { () throws(CompileError) in try compile(options: options) }
  }

  private func watched(
    _ progress: @escaping @Sendable (CompileProgress) -> Void,
    _ compile: () throws(CompileError) -> CompiledModel
  ) throws(CompileError) -> CompiledModel {
    try CompileWatch.watching(progress) { () throws(CompileError) in
      if CompileWatch.isCancelled { throw .cancelled }
      return try compile()
    }
  }
}
