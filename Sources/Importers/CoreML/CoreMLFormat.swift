import Forge

/// Core ML's model files.
package enum CoreMLFormat: ModelFormat {
  package static let name = "Core ML"
  package static let extensions = ["mlmodel", "mlpackage"]

  package static func imported(_ file: ModelFile) throws(ImportError) -> ImportedModel {
    try ImportedModel(coreML: file.path, options: file.options)
  }

  package static func recognizes(folder names: [String], extension: String) -> Bool {
    names.contains("Manifest.json") || `extension` == "mlpackage"
  }

  /// Whether a message of a Core ML model can begin with these bytes: its fields have the numbers
  /// 1, 2, 10, and from 200 to 3000.
  static func canBegin(with bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return true }
    var field = Int(first & 0x7f)
    if first & 0x80 != 0 {
      guard bytes.count > 1, bytes[1] & 0x80 == 0 else { return false }
      field |= Int(bytes[1]) << 7
    }
    return [1, 2, 10].contains(field >> 3) || 200...3000 ~= field >> 3
  }

  package static func facts(_ file: ModelFile) throws(ImportError) -> [ModelFact] {
    try CoreMLImport(Self.file(at: file.path, file.options), options: file.options).facts()
  }

  private static let headline = "this is not a Core ML model, or it is damaged"

  /// Opens a file, or the one with the model of a package.
  ///
  /// - Throws: ``ImportError``: `fileMissing`, `unreadable`, `tooLarge`, `unsupported` or
  ///   `malformed`.
  static func file(at path: String, _ options: ImportOptions) throws(ImportError) -> WireFile {
    try checked(
      WireFile(
        path: try CoreMLPackage.model(at: path, limits: options.limits), options: options,
        headline: headline))
  }

  /// Reads bytes as a file.
  ///
  /// - Throws: ``ImportError``: `tooLarge`, `unsupported` or `malformed`.
  static func file(
    _ bytes: [UInt8], name: String, _ options: ImportOptions
  ) throws(ImportError) -> WireFile {
    try checked(WireFile(bytes, name: name, options: options, headline: headline))
  }

  private static func checked(_ file: WireFile) throws(ImportError) -> WireFile {
    try ImportError.checkContents(file.head, file.path, of: CoreMLFormat.self)
    guard canBegin(with: file.head.bytes) else {
      throw ImportError(
        .malformed, "the first bytes of the file do not match its format", path: file.path)
    }
    return file
  }
}

extension CoreMLImport {
  /// What the file says about itself.
  func facts() throws(ImportError) -> [ModelFact] {
    var facts = [ModelFact("specification version", "\(model.version)")]
    if let type = model.typeName { facts.append(ModelFact("model", type)) }
    let metadata = model.description.metadata
    for (label, text) in [
      ("description", metadata.about), ("version", metadata.version),
      ("author", metadata.author), ("license", metadata.license),
    ] where !text.isEmpty {
      facts.append(ModelFact(label, text))
    }
    facts += try preparations()
    if case .program(let program) = content, let function = try program.function(function) {
      if program.names.count > 1 {
        facts.append(ModelFact("functions", program.names.joined(separator: ", ")))
      }
      facts.append(ModelFact("opset", function.opset))
      var operations: [String: Int] = [:]
      for operation in function.operations where operation.type != "const" {
        operations[operation.type, default: 0] += 1
      }
      if !operations.isEmpty { facts.append(.counted("operations", operations)) }
    }
    let layers = try layerCounts()
    if !layers.isEmpty { facts.append(.counted("layers", layers)) }
    return facts
  }
}

extension ModelFact {
  /// The numbers of layers by type, the most frequent first.
  static func counted(_ label: String, _ counts: [String: Int]) -> ModelFact {
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return ModelFact(label, sorted.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
  }
}
