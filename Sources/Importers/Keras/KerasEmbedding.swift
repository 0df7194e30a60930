import Forge
import ForgeLoaders

/// Embeddings.
enum KerasEmbedding {
  static let classes: [KerasClass] = [
    .masking("Embedding", build: embedding)
  ]

  private static func embedding(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let config = layer.config
    let vocabulary = try config.integer("input_dim")
    let channels = try config.integer("output_dim")
    let hidesZero = try config.flag("mask_zero", default: false)
    return .one { call throws(KerasFault) in
      let input = try call.only()
      let embedding = Embedding(vocabulary: vocabulary, channels: channels, name: layer.path)
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
}
