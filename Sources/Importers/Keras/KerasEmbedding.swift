import Forge
import ForgeLoaders

/// Embeddings.
enum KerasEmbedding {
  static let classes: [KerasClass] = [
    KerasClass.masking("Embedding", build: embedding).quantizable
  ]

  private static func embedding(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let config = layer.config
    let vocabulary = try config.integer("input_dim")
    let channels = try config.integer("output_dim")
    let hidesZero = try config.flag("mask_zero", default: false)
    if let quantization = try layer.quantization() {
      let table = try KerasStoredMatrix(
        layer, KerasStoredWeights(embeddingsOf: layer, quantization.weights), quantization.weights,
        .embeddings, inputs: channels, outputs: vocabulary)
      layer.file.decode(table.reals, as: .weights, of: layer.path)
    }
    let embedding = Embedding(vocabulary: vocabulary, channels: channels, name: layer.path)
    return .one { call throws(KerasFault) in
      try rows(of: embedding, call, try call.only(), hidesZero: hidesZero)
    }
  }

  /// The rows of a table for ids.
  ///
  /// - Parameters:
  ///   - embedding: the table.
  ///   - call: the call.
  ///   - input: the ids.
  ///   - hidesZero: whether the rows of the id 0 are masked.
  /// - Returns: the rows.
  /// - Throws: ``KerasFault``.
  static func rows(
    of embedding: Embedding, _ call: KerasCall, _ input: KerasTensor, hidesZero: Bool
  ) throws(KerasFault) -> KerasTensor {
    var ids = input.tensor
    if input.rank == 1 {
      // The ids of a sequence are 1×1×n.
      ids = try call.apply(Reshape(to: [-1], name: "\(call.name)/ids"), to: ids)
    }
    var result = KerasTensor(tensor: try call.apply(embedding, to: ids), rank: input.rank + 1)
    if hidesZero {
      guard input.rank == 1 else { throw .unsupported("mask_zero with several axes of ids") }
      result.mask = try call.apply(Compare(.notEqual, than: [0]), to: ids)
    }
    return result
  }
}
