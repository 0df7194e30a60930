import Forge

extension ModelMetadata {
  /// What an ONNX file says about itself.
  ///
  /// All of `metadata_props` are in ``values``. The author and the license are read from the keys
  /// that ONNX proposes, `model_author` and `model_license`, or from `author` and `license`; labels
  /// from `names`, `labels` or `classes`, if these hold a list.
  init(_ model: ONNXModel) {
    let name = model.graph.name
    let about = model.docString
    self.init(name: name.isEmpty ? nil : name, about: about.isEmpty ? nil : about)
    let writer = [model.producerName, model.producerVersion].filter { !$0.isEmpty }
    producer = writer.isEmpty ? nil : writer.joined(separator: " ")
    for property in model.properties { values[property.key] = property.value }
    if !model.domain.isEmpty, values["domain"] == nil { values["domain"] = model.domain }
    author = values["model_author"] ?? values["author"]
    license = values["model_license"] ?? values["license"]
    version = values["version"] ?? (model.version == 0 ? nil : "\(model.version)")
    for key in ["names", "labels", "classes"] {
      guard let text = values[key], let list = LabelList(text)?.labels else { continue }
      labels = list
      break
    }
  }
}
