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
  /// The bytes of the file.
  let byteCount: Int

  /// Reads and decodes a file.
  ///
  /// - Throws: ``ImportError``: `fileMissing`, `unreadable`, `tooLarge` or `malformed`.
  init(_ path: String, limits: ImportLimits) throws(ImportError) {
    try ModelBytes.check(path, limits: limits)
    try ImportError.checkContents(path, of: ONNXFormat.self)
    let outline: ONNXOutline?
    do throws(LoadError) {
      let file = try InputFile(path: path)
      byteCount = file.storedByteCount
      outline = try ONNXOutline(file)
    } catch {
      throw ImportError(loading: error)
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
    try check(Self.nodeCount(model.graph), "nodes", most: limits.nodes, "nodes")
    try check(model.graph.initializer.count, "tensors", most: limits.tensors, "tensors")
    try Self.checkNames(model.graph, limits, path)
  }

  /// The number of nodes, inputs and outputs; a node counts once for each of its results and for
  /// four of its operands, because each is a layer or a part of one.
  private static func nodeCount(_ graph: OnnxGraph) -> Int {
    graph.node.reduce(graph.input.count + graph.output.count) {
      $0 + max($1.output.count, 1) + $1.input.count / 4
    }
  }

  /// Checks all names that become keys.
  private static func checkNames(
    _ graph: OnnxGraph, _ limits: ImportLimits, _ path: String
  ) throws(ImportError) {
    func check(_ name: String) throws(ImportError) { try limits.check(name: name, path: path) }
    for node in graph.node {
      try check(node.name)
      try check(node.opType)
      try check(node.domain)
      for name in node.input { try check(name) }
      for name in node.output { try check(name) }
      for attribute in node.attribute { try check(attribute.name) }
    }
    for stored in graph.initializer { try check(stored.name) }
    for stored in graph.sparseInitializer { try check(stored.values.name) }
    for info in graph.input { try check(info.name) }
    for info in graph.output { try check(info.name) }
  }
}
