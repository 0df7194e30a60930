import Forge
import ForgeMessages
import Foundation
import SwiftProtobuf

/// A decoded ONNX file.
struct ONNXFile {
  /// The content of the file, without large weights.
  let model: OnnxModel
  /// The places of the large weights in the file, by the number of their initialiser.
  let weights: [Int: Range<Int>]

  /// Reads and decodes a file.
  ///
  /// - Throws: ``ImportError``: `fileMissing`, `unreadable`, `tooLarge` or `malformed`.
  init(_ path: String, limits: ImportLimits) throws(ImportError) {
    try ModelBytes.check(path, limits: limits)
    try ImportError.checkContents(path, of: ONNXFormat.self)
    let outline: ONNXOutline?
    do throws(LoadError) { outline = try ONNXOutline(try InputFile(path: path)) } catch {
      throw ImportError(
        error.kind == .fileMissing ? .fileMissing : .unreadable, error.headline, path: path,
        cause: error)
    }
    weights = outline?.weights ?? [:]
    // What is no message is malformed, and the decoder says so.
    let message = outline?.message ?? [0xff]
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = max(limits.depth, 1).multipliedSaturated(by: 4)
    options.discardUnknownFields = true
    do { model = try OnnxModel(serializedBytes: message, options: options) } catch {
      throw .malformedFile("the file is not an ONNX model, or it is damaged", path)
    }
    guard model.hasGraph, !model.graph.output.isEmpty else {
      throw ImportError(
        .malformed, "the file is not an ONNX model", path: path,
        received: "no graph with outputs")
    }
    func check(_ count: Int, _ what: String, most: Int, _ limit: String) throws(ImportError) {
      guard count > most else { return }
      throw ImportError(
        .tooLarge, "the model has too many \(what)", path: path, received: "\(count)",
        needs: "at most \(most)", remedy: "raise ImportLimits.\(limit) if you trust the file")
    }
    try check(model.graph.node.count, "nodes", most: limits.nodes, "nodes")
    try check(model.graph.initializer.count, "tensors", most: limits.tensors, "tensors")
  }
}
