import Forge

/// MPNet: BERT's encoder with a bias for each distance of a query and a key, shared by all layers.
///
/// Source: Song and others, MPNet, 2020.
struct MPNet: ClassifyingEncoder {
  static let types = ["mpnet"]
  static let prefixes = ["mpnet."]

  private let sizes: EncoderSizes

  /// The id of padding, which no configuration changes.
  private static let padding = 1
  /// The layer of the biases.
  private static let distances = "encoder.relative_attention_bias"

  var channels: Int { sizes.channels }
  var vocabulary: Int { sizes.vocabulary }
  var positions: Int { sizes.positions - Self.padding - 1 }

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    sizes = try EncoderSizes(settings, limits: limits, vocabulary: 30_527)
    // The library computes 32 buckets, whatever the configuration says.
    _ = try settings.integer("relative_attention_num_buckets", in: 32...4096)
  }

  func features(of inputs: TextInputs) -> Tensor {
    let words =
      inputs.ids
      --> Embedding(
        vocabulary: vocabulary, channels: channels, name: "embeddings.word_embeddings")
    let places =
      inputs.positions(behind: Self.padding)
      --> Embedding(
        vocabulary: sizes.positions, channels: channels, name: "embeddings.position_embeddings")
    var x =
      words + places
      --> LayerNormalization(epsilon: sizes.epsilon, name: "embeddings.LayerNorm")
    let bias = inputs.distanceBias(heads: sizes.heads, name: Self.distances)
    for layer in 0..<sizes.layers {
      let name = "encoder.layer.\(layer)"
      let block = SumNormalizedBlock(
        heads: sizes.heads, hidden: sizes.hidden, activation: sizes.activation,
        epsilon: sizes.epsilon, mask: .added, attention: "\(name).attention.attn",
        norm1: "\(name).attention.LayerNorm", expand: "\(name).intermediate.dense",
        reduce: "\(name).output.dense", norm2: "\(name).output.LayerNorm")
      x = block(x, bias)
    }
    return x
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    guard spec.layer == Self.distances else {
      return TensorPlace(spec, query: "q", key: "k", value: "v", output: "o")
    }
    return DistanceBuckets().place(of: spec)
  }

  func classification(of first: Tensor, labels: Int) -> Tensor {
    RoBERTa.classification(first, channels, labels, activation: .tanh)
  }
}
