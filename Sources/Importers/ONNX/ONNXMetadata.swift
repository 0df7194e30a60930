import Forge

extension ModelMetadata {
  /// What an ONNX file says of itself.
  init(_ model: ONNXModel) {
    let name = model.graph.name
    self.init(
      name: name.isEmpty ? nil : name, about: model.docString.isEmpty ? nil : model.docString)
    let writer = [model.producerName, model.producerVersion].filter { !$0.isEmpty }
    producer = writer.isEmpty ? nil : writer.joined(separator: " ")
    for property in model.properties { values[property.key] = property.value }
    if !model.domain.isEmpty, values["domain"] == nil { values["domain"] = model.domain }
    author = values["model_author"] ?? values["author"]
    license = values["model_license"] ?? values["license"]
    version = values["version"] ?? (model.version == 0 ? nil : "\(model.version)")
  }
}
