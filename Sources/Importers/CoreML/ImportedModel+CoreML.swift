import Forge

extension ImportedModel {
  /// Reads a Core ML model: an ML Program, a neural network, classifier, regressor, or a pipeline.
  ///
  /// Images are turned to channels last once, here. An image input takes red, green and blue, or
  /// gray, from 0 to 255; the file's scale, biases, mean image and order of colors are part of the
  /// model. The labels of a classifier are in the metadata, and its output is the probabilities.
  ///
  /// ML Programs come as packages (`.mlpackage`) or as their inner `model.mlmodel`, with
  /// `weights/weight.bin` beside it. Numbers of half precision become Float32 and are not rounded
  /// in between, so results are closer to those of the original network than Core ML's.
  ///
  /// ```swift
  /// let imported = try ImportedModel(coreML: "mnistCNN.mlmodel")
  /// let network = try imported.model.compile()
  /// ```
  ///
  /// - Parameters:
  ///   - path: the file or package; relative to the working directory unless it begins with `/`.
  ///   - options: sizes of inputs that replace the default ones, such as the length of sequences;
  ///     values of inputs, such as states that are always zero; and limits on the file.
  /// - Throws: ``ImportError``: `fileMissing`, `unreadable`, `malformed`, `tooLarge`,
  ///   `invalidNode`, `unknownName`, or `unsupported` with all that Forge does not have at once.
  public init(coreML path: String, options: ImportOptions = ImportOptions()) throws(ImportError) {
    try self.init(CoreMLFormat.file(at: path, options), options)
  }

  /// Reads a Core ML model from the bytes of its `.mlmodel` file; see ``init(coreML:options:)``.
  ///
  /// The `model.mlmodel` of a package names its weights: ``ImportOptions/externalData`` finds them
  /// by their path beside that file, `weights/weight.bin`.
  ///
  /// ```swift
  /// let imported = try ImportedModel(coreML: bytes, name: "mnistCNN")
  /// ```
  ///
  /// - Parameters:
  ///   - bytes: the content of the file.
  ///   - name: what stands for the path in errors.
  ///   - options: sizes, values of inputs, limits and what finds the weights of a package.
  /// - Throws: ``ImportError``, as ``init(coreML:options:)``; `fileMissing` for weights without
  ///   ``ImportOptions/externalData``.
  public init(
    coreML bytes: [UInt8], name: String = "model.mlmodel", options: ImportOptions = ImportOptions()
  ) throws(ImportError) {
    try self.init(CoreMLFormat.file(bytes, name: name, options), options)
  }

  /// Builds the model; layers without a place of their own have that of the file.
  private init(_ file: WireFile, _ options: ImportOptions) throws(ImportError) {
    let (source, path) = (file.source, file.path)
    let body = { @Sendable (options: ImportOptions) throws(ImportError) in
      try Self.imported(try source.reopened(), options)
    }
    if let assumed = Self.assuming(options, file, body) {
      self = assumed
    } else if options.hasOpenSizes {
      self = try Self.importing(options, path: path, body)
    } else {
      self = try Self.imported(file, options)
    }
  }

  /// The model with the sizes open that the file leaves open; `nil` if there are none, or the
  /// network does not take them, so it has the default ones.
  private static func assuming(
    _ options: ImportOptions, _ file: WireFile,
    _ body: @escaping @Sendable (ImportOptions) throws(ImportError) -> ImportedModel
  ) -> ImportedModel? {
    guard let largest = options.largestOpenSize else { return nil }
    let candidates = AssumedSizes.maximums(upTo: largest).lazy.compactMap { maximum in
      let sizes = (try? CoreMLImport.openSizes(file, options, largest: maximum)) ?? [:]
      return sizes.isEmpty ? nil : AssumedSizes(sizes: sizes)
    }
    return assuming(candidates, options, path: file.path, body)
  }

  private static func imported(
    _ file: WireFile, _ options: ImportOptions
  ) throws(ImportError) -> ImportedModel {
    try ImportBudget.during(
      options.limits, fileBytes: file.byteCount, path: file.path
    ) { () throws(ImportError) in
      try SourcePlace.describing(for: SourcePlace(file: file.path)) { () throws(ImportError) in
        var model = try CoreMLImport(file, options: options)
        return try model.imported().limited(options, path: file.path)
      }
    }
  }
}

extension Model {
  /// Reads a Core ML model; see ``ImportedModel/init(coreML:options:)``.
  ///
  /// - Parameters:
  ///   - path: the file or package; relative to the working directory unless it begins with `/`.
  ///   - options: sizes of inputs that replace the default ones, such as the length of sequences;
  ///     values of inputs, such as states that are always zero; and limits on the file.
  /// - Throws: ``ImportError``.
  public init(coreML path: String, options: ImportOptions = ImportOptions()) throws(ImportError) {
    self = try ImportedModel(coreML: path, options: options).model
  }

  /// Reads a Core ML model from bytes; see ``ImportedModel/init(coreML:name:options:)``.
  ///
  /// - Parameters:
  ///   - bytes: the content of the file.
  ///   - name: what stands for the path in errors.
  ///   - options: sizes, values of inputs, limits and what finds the weights of a package.
  /// - Throws: ``ImportError``.
  public init(
    coreML bytes: [UInt8], name: String = "model.mlmodel", options: ImportOptions = ImportOptions()
  ) throws(ImportError) {
    self = try ImportedModel(coreML: bytes, name: name, options: options).model
  }
}
