import Forge

extension ImportedModel {
  /// Reads an ONNX model: graph, weights and sizes.
  ///
  /// Images are turned to channels last once, here; transpositions of the file that only serve
  /// another order vanish. Shape arithmetic and other computations on known values are folded. An
  /// open batch size is taken as 1, because Forge's models compute one example: predict batches
  /// with Forge's own `batch`. So is a batch that the file fixes for images
  /// (``Port/batchSize``), if nothing in it combines their examples.
  ///
  /// ```swift
  /// let imported = try ImportedModel(onnx: "mobilenetv3.onnx")
  /// let network = try imported.model.compile()
  /// ```
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`. External data
  ///     is looked for in its folder.
  ///   - options: sizes that the file leaves open, constants and limits.
  /// - Throws: ``ImportError``: `fileMissing`, `unreadable`, `malformed`, `tooLarge`,
  ///   `unknownName`,
  ///   `unknownSize`, `invalidNode`, or `unsupported` with all that Forge does not have at once.
  public init(onnx path: String, options: ImportOptions = ImportOptions()) throws(ImportError) {
    try self.init(ONNXFile(path, options: options), options)
  }

  /// Reads an ONNX model from the bytes of its file; see ``init(onnx:options:)``.
  ///
  /// ```swift
  /// let bytes: [UInt8] = …
  /// let imported = try ImportedModel(onnx: bytes, name: "mobilenetv3")
  /// ```
  ///
  /// - Parameters:
  ///   - bytes: the content of the file.
  ///   - name: what stands for the path in errors.
  ///   - options: sizes that the file leaves open, constants and limits.
  ///     ``ImportOptions/externalData`` finds external data.
  /// - Throws: ``ImportError``, as ``init(onnx:options:)``; `fileMissing` for external data without
  ///   ``ImportOptions/externalData``.
  public init(
    onnx bytes: [UInt8], name: String = "model.onnx", options: ImportOptions = ImportOptions()
  ) throws(ImportError) {
    try self.init(ONNXFile(bytes, name: name, options: options), options)
  }

  private init(_ file: ONNXFile, _ options: ImportOptions) throws(ImportError) {
    self = try Self.importing(
      options, path: file.path, open: { OpenInput.all(of: file.model.graph, options) }
    ) { options throws(ImportError) in
      if let size = ONNXFileBatch.size(of: file.model.graph, options),
        let example = try? Self.imported(file, options, fileBatch: size),
        example.model.takesItsParameters
      {
        return example
      }
      return try Self.imported(file, options, fileBatch: nil)
    }
  }

  /// The model of a file, of one example of its batch if that is given.
  private static func imported(
    _ file: ONNXFile, _ options: ImportOptions, fileBatch: Int?
  ) throws(ImportError) -> ImportedModel {
    let path = file.path
    return try ImportBudget.during(
      options.limits, fileBytes: file.byteCount, path: path
    ) { () throws(ImportError) in
      try SourcePlace.describing(for: SourcePlace(file: path)) { () throws(ImportError) in
        var graph = ONNXGraphImport(file, options: options, fileBatch: fileBatch)
        return try graph.imported().limited(options, path: path)
      }
    }
  }
}

extension Model {
  /// Reads an ONNX model; see ``ImportedModel/init(onnx:options:)``.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - options: sizes that the file leaves open, constants and limits.
  /// - Throws: ``ImportError``.
  public init(onnx path: String, options: ImportOptions = ImportOptions()) throws(ImportError) {
    self = try ImportedModel(onnx: path, options: options).model
  }

  /// Reads an ONNX model from bytes; see ``ImportedModel/init(onnx:name:options:)``.
  ///
  /// - Parameters:
  ///   - bytes: the content of the file.
  ///   - name: what stands for the path in errors.
  ///   - options: sizes that the file leaves open, constants and limits.
  /// - Throws: ``ImportError``.
  public init(
    onnx bytes: [UInt8], name: String = "model.onnx", options: ImportOptions = ImportOptions()
  ) throws(ImportError) {
    self = try ImportedModel(onnx: bytes, name: name, options: options).model
  }
}
