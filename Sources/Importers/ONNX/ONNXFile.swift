import Forge

/// An ONNX file within the limits of the import.
struct ONNXFile {
  /// The content of the file, without large weights.
  let model: ONNXModel
  /// The path, or what stands for it in messages.
  let path: String
  /// The bytes of the file.
  let byteCount: Int

  private static let headline = "the file is not an ONNX model, or it is damaged"

  /// Opens and reads a file.
  ///
  /// - Throws: ``ImportError``: `fileMissing`, `unreadable`, `tooLarge`, `unsupported` or
  ///   `malformed`.
  init(_ path: String, options: ImportOptions) throws(ImportError) {
    try self.init(
      WireFile(path: path, options: options, headline: Self.headline), options.limits)
  }

  /// Reads the bytes of a file.
  ///
  /// - Throws: ``ImportError``, as ``init(_:options:)``.
  init(_ bytes: [UInt8], name: String, options: ImportOptions) throws(ImportError) {
    try self.init(
      WireFile(bytes, name: name, options: options, headline: Self.headline), options.limits)
  }

  private init(_ file: WireFile, _ limits: ImportLimits) throws(ImportError) {
    path = file.path
    byteCount = file.byteCount
    try ImportError.checkContents(file.head, path, of: ONNXFormat.self)
    model = try ONNXModel(file.message)
    let nodes = model.functions.reduce(model.graph.nodeCount) { $0 + FileNode.count($1.nodes) }
    try check(nodes, "nodes", most: limits.nodes, "nodes")
    try check(model.graph.tensorCount, "tensors", most: limits.tensors, "tensors")
  }

  private func check(
    _ count: Int, _ what: String, most: Int, _ limit: String
  ) throws(ImportError) {
    guard count > most else { return }
    throw ImportError(
      .tooLarge, "the model has too many \(what)", path: path, received: "\(count)",
      needs: "at most \(most)", remedy: "raise ImportLimits.\(limit) if you trust the file")
  }
}
