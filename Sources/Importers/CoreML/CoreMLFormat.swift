import Forge
import ForgeMessages

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
    let path = try CoreMLPackage.model(at: file.path, limits: file.options.limits)
    let bytes = try ModelBytes.read(
      path, limits: file.options.limits, head: CoreMLFormat.canBegin(with:))
    return try CoreMLImport(bytes, path: path, options: file.options).facts()
  }
}

extension CoreMLImport {
  /// What the file says of itself.
  func facts() throws(ImportError) -> [ModelFact] {
    var facts = [ModelFact("specification version", "\(file.specificationVersion)")]
    if let type = file.type.flatMap({ Mirror(reflecting: $0).children.first?.label }) {
      facts.append(ModelFact("model", type))
    }
    let metadata = file.description_p.metadata
    for (label, text) in [
      ("description", metadata.shortDescription), ("version", metadata.versionString),
      ("author", metadata.author), ("licence", metadata.license),
    ] where !text.isEmpty {
      facts.append(ModelFact(label, text))
    }
    var counts: [String: Int] = [:]
    for layer in try layers() { counts[CoreMLOperators.typeName(layer), default: 0] += 1 }
    if case .mlProgram(let program)? = file.type {
      let name = CoreMLDescription(of: file).defaultFunctionName
      if let (function, block) = MILProgramImport.block(program, function: name) {
        facts.append(ModelFact("opset", function.opset))
        var operations: [String: Int] = [:]
        for operation in block.operations where operation.type != "const" {
          operations[operation.type, default: 0] += 1
        }
        if !operations.isEmpty { facts.append(.counted("operations", operations)) }
      }
    }
    if !counts.isEmpty { facts.append(.counted("layers", counts)) }
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
