import Forge

extension ModelFile {
  /// Imports the file and compiles its model with the weights that the file holds.
  ///
  /// ```swift
  /// let options = CompileOptions(cache: CompileCache(directory: "/var/cache/app/forge"))
  /// let network = try ModelFile("mobilenet.onnx").compile(options: options)
  /// ```
  /// With a cache, an unchanged file that was compiled before with the same options is not even
  /// read. The network is bit-identical to that of ``imported()`` and `compile`. Functions that
  /// need the layers import the file when they are called.
  ///
  /// - Parameter options: the options of the compile.
  /// - Returns: the compiled model.
  /// - Throws: ``ImportError``, as ``imported()``; `CompileError`, as `Model.compile(options:)`.
  public func compile(options: CompileOptions = CompileOptions()) throws -> CompiledModel {
    try fileCompile(options, load: { try imported().model }).network()
  }

  /// The compile of the file, for a caller that does something between its stages.
  ///
  /// - Parameters:
  ///   - options: the options of the compile.
  ///   - otherWeights: a file of weights in place of the model's own.
  ///   - load: imports the model, with these weights.
  /// - Returns: the compile.
  package func fileCompile(
    _ options: CompileOptions, otherWeights: String? = nil,
    load: @escaping @Sendable () throws -> Model
  ) -> FileCompile {
    FileCompile(
      options,
      addImport: { key throws(ContentKey.Unkeyed) in
        try add(to: &key)
        try key.add(otherWeights)
      }, load: load)
  }

  /// Adds everything that determines an import apart from the contents of files.
  private func add(to key: inout ContentKey) throws(ContentKey.Unkeyed) {
    try key.add(ImporterVersion.digest)
    try key.add([path, weights])
    // Paths that do not begin with `/` mean other files elsewhere.
    try key.add(Folder.realPath("."))
    try key.add(options)
  }
}
