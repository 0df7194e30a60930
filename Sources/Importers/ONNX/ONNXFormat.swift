import Forge

/// ONNX files.
package enum ONNXFormat: ModelFormat {
  package static let name = "ONNX"
  package static let extensions = ["onnx"]

  package static func imported(_ file: ModelFile) throws(ImportError) -> ImportedModel {
    try ImportedModel(onnx: file.path, options: file.options)
  }

  package static func facts(_ file: ModelFile) throws(ImportError) -> [ModelFact] {
    let model = try ONNXFile(file.path, options: file.options).model
    var facts: [ModelFact] = []
    if let producer = ModelMetadata(model).producer {
      facts.append(ModelFact("producer", producer))
    }
    let sets = model.operatorSets.map { set in
      set.domain.isEmpty ? "\(set.version)" : "\(set.domain) \(set.version)"
    }
    facts.append(ModelFact("opset", sets.joined(separator: ", ")))
    var counts: [String: Int] = [:]
    for node in model.graph.nodes { counts[node.type, default: 0] += 1 }
    let operators = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    facts.append(
      ModelFact("operators", operators.map { "\($0.key) \($0.value)" }.joined(separator: ", ")))
    return facts
  }
}
