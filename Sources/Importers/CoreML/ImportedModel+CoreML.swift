import Forge
import Foundation

extension ImportedModel {
  /// Reads a Core ML model: an ML Program, a neural network, classifier, regressor, or a pipeline.
  ///
  /// Images are turned to channels last once, here. An image input takes red, green and blue, or
  /// gray, from 0 to 255; the file's scale, biases, mean image and order of colours are part of the
  /// model. The labels of a classifier are in the metadata, and its output is the probabilities.
  ///
  /// ML Programs come as packages (`.mlpackage`) or as their inner `model.mlmodel`, with
  /// `weights/weight.bin` beside it. Numbers of half precision become Float32 and are not rounded
  /// in between, so that results are closer to those of the original network than Core ML's.
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
    let file = try CoreMLPackage.model(at: path, limits: options.limits)
    try ImportError.checkContents(file, of: CoreMLFormat.self)
    let bytes = try ModelBytes.read(
      file, limits: options.limits, head: CoreMLFormat.canBegin(with:))
    self = try ImportedModel(coreML: bytes, path: file, options: options)
  }

  /// Reads a Core ML model in memory; messages name it by `path`.
  ///
  /// - Throws: ``ImportError``, as ``init(coreML:options:)``.
  package init(
    coreML bytes: [UInt8], path: String, options: ImportOptions = ImportOptions()
  ) throws(ImportError) {
    self = try ImportedModel(coreML: Data(bytes), path: path, options: options)
  }

  /// Builds the model; layers without a place of their own have that of the file.
  private init(
    coreML bytes: Data, path: String, options: ImportOptions
  ) throws(ImportError) {
    self = try ImportBudget.during(
      options.limits, fileBytes: bytes.count, path: path
    ) { () throws(ImportError) in
      try SourcePlace.describing(for: SourcePlace(file: path)) { () throws(ImportError) in
        var file = try CoreMLImport(bytes, path: path, options: options)
        return try file.imported().limited(options, path: path)
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
}
