import Forge
import Foundation
import SwiftProtobuf

extension ImportedModel {
  /// Reads an ONNX model: graph, weights and sizes.
  ///
  /// Images are turned to channels last once, here; transpositions of the file that only serve
  /// another order vanish. Shape arithmetic and other computations on known values are folded. An
  /// open batch size is taken as 1, because Forge's models compute one example: predict batches
  /// with Forge's own `batch`.
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
    let file = try ONNXFile(path, limits: options.limits)
    self = try ImportBudget.during(
      options.limits, fileBytes: file.byteCount, path: path
    ) { () throws(ImportError) in
      try SourcePlace.describing(for: SourcePlace(file: path)) { () throws(ImportError) in
        var graph = ONNXGraphImport(file, path: path, options: options)
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
}
