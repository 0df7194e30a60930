import Forge
import ForgeLoaders

/// Embeddings whose table, or a matrix of its own, also leads back from vectors to ids.
enum KerasReversibleEmbedding {
  static let classes: [KerasClass] = [
    KerasClass(
      ["ReversibleEmbedding"], arguments: .byLayer, mask: .byLayer, training: .same,
      positions: .together, build: embedding
    ).quantizable
  ]

  private static let parameters = ["inputs", "reverse", "training", "mask"]

  private static func embedding(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let config = layer.config
    let vocabulary = try config.integer("input_dim")
    let channels = try config.integer("output_dim")
    let hidesZero = try config.flag("mask_zero", default: false)
    let isTied = try config.flag("tie_weights", default: true)
    let cap = try config.optionalNumber("logit_soft_cap")
    let type = config["reverse_dtype"]?.text ?? "float32"
    guard type == "float32" else { throw .unsupported("reverse_dtype \(type.prefix(80))") }
    let product = try self.product(layer, vocabulary, channels, isTied: isTied)
    let embedding = Embedding(vocabulary: vocabulary, channels: channels, name: layer.path)
    return .one { call throws(KerasFault) in
      let arguments = try KerasArguments(call, parameters: parameters)
      try arguments.refuse("mask")
      guard try arguments.flag("reverse") else {
        return try KerasEmbedding.rows(of: embedding, call, try call.only(), hidesZero: hidesZero)
      }
      guard let cap else { return try product(call, try call.only()) }
      let inner = call.with(inputs: call.inputs, name: "\(call.name)/logits")
      let logits = try product(inner, try call.only())
      return try KerasNodes.run(call) { nodes in
        let quotient = try nodes("Div", try KerasNodes.value(logits), .number(cap))
        return [try nodes("Mul", try nodes("Tanh", quotient), .number(cap))]
      }[0]
    }
  }

  /// The way back, and the parameters of both ways.
  private static func product(
    _ layer: KerasLayer, _ vocabulary: Int, _ channels: Int, isTied: Bool
  ) throws(KerasFault) -> @Sendable (KerasCall, KerasTensor) throws(KerasFault) -> KerasTensor {
    let quantization = try layer.quantization(ofInt4: KerasRowQuantizer())
    let stored = KerasStoredWeights(
      embeddingsOf: layer, quantization?.weights, hasReverse: !isTied)
    guard let quantization else {
      let name = "\(layer.path)/reverse"
      let table = try stored.data("embeddings")
      layer.file.decode(
        KerasStoredValues(data: table, layout: .forge), as: .weights, of: layer.path)
      layer.file.decode(
        isTied
          ? KerasStoredValues(data: table, layout: .forge)
          : KerasStoredValues(data: try stored.data("reverse_embeddings"), layout: .keras),
        as: .weights, of: name)
      let dense = LastAxisDense(neurons: vocabulary, useBias: false, name: name)
      return { call, input throws(KerasFault) in
        let result = try call.apply(dense, to: input)
        return try call.apply(Identity(name: call.name), to: result)
      }
    }
    if let quantizer = quantization.inputs, !quantizer.isOfLastAxis {
      throw .unsupported("a quantizer of other axes than the last one")
    }
    func matrix(_ form: KerasStoredMatrix.Form) throws(KerasFault) -> KerasStoredMatrix {
      try KerasStoredMatrix(
        layer, stored, quantization.weights, form, inputs: channels, outputs: vocabulary)
    }
    let table = try matrix(.embeddings)
    layer.file.decode(table.reals, as: .weights, of: layer.path)
    let product = KerasQuantizedProduct(
      layer, isTied ? table : try matrix(.reverse), quantization.inputs, biases: nil,
      activation: .linear, name: "reverse")
    return product.callAsFunction
  }
}
