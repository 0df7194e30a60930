import Forge

/// A format of model files: how messages name it, and what they say for every format.
enum ExportFormat: String {
  case onnx = "ONNX"
  case keras = "Keras"
  case coreML = "Core ML"

  /// The name of its options.
  private var options: String {
    switch self {
    case .onnx: "ONNXOptions"
    case .keras: "KerasOptions"
    case .coreML: "CoreMLOptions"
    }
  }

  /// The mistakes that are known before any operation is written.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - length: the length of its sequences that is stated.
  /// - Returns: the mistakes; none for a model that does not compile, which says so itself.
  func problems(of model: Model, length: Int?) -> [Problem] {
    let inference = Inference(model)
    guard inference.problems.isEmpty else { return [] }
    var problems: [Problem] = []
    let maximum = inference.maximumLength
    if let length {
      if !(1...max(maximum ?? 0, 1)).contains(length) || maximum == nil {
        problems.append(
          Problem(
            headline: "the model has no sequences of this length",
            details: [
              ("received", "\(length)"),
              ("needs", maximum.map { "1 to \($0)" } ?? "no length: all sizes are fixed"),
            ]))
      }
    } else if let maximum {
      let node = inference.nodes.first { !$0.lengthAxes.isEmpty }
      problems.append(
        Problem(
          place: node?.place, layer: node?.reference,
          headline: "a file has sequences of one length",
          details: [("needs", "\(options)(length: 1 to \(maximum))")]))
    }
    for (index, shape) in zip(inference.inputs, inference.openInputShapes)
    where shape?.isKnown != true {
      let node = inference.nodes[index]
      problems.append(
        Problem(
          place: node.place, layer: node.reference,
          headline: "the sizes of the input are not known",
          details: [
            ("received", shape?.description ?? "?"),
            ("remedy", "give it sizes with model.replacing(input:with:)"),
          ]))
    }
    return problems
  }

  /// The mistake of a layer that the format does not have.
  func problem(_ node: Inference.Node, _ refusal: ExportRefusal) -> Problem {
    Problem(
      place: node.place, layer: node.reference,
      headline: "the layer cannot be written to \(rawValue)",
      details: [("received", refusal.what)] + (refusal.remedy.map { [("remedy", $0)] } ?? []))
  }
}
