import Forge
import ForgeSystem

/// MPNet: BERT's encoder with a bias for each distance of a query and a key, shared by all layers.
///
/// Distances fall into buckets: small ones each have their own, larger ones share them by their
/// logarithm, up to a distance of 128.
///
/// Source: Song and others, MPNet, 2020; the buckets are those of Raffel and others, T5, 2019.
struct MPNet: ClassifyingEncoder {
  static let types = ["mpnet"]
  static let prefixes = ["mpnet."]

  private let sizes: EncoderSizes
  private let buckets: Int

  /// The id of padding, which no configuration changes.
  private static let padding = 1
  /// The layer of the biases.
  private static let distances = "encoder.relative_attention_bias"
  /// The number of buckets that the library computes, whatever the configuration says.
  private static let bucketCount = 32

  var channels: Int { sizes.channels }
  var vocabulary: Int { sizes.vocabulary }
  var positions: Int { sizes.positions - Self.padding - 1 }

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    sizes = try EncoderSizes(settings, limits: limits, vocabulary: 30_527)
    buckets = try settings.integer(
      "relative_attention_num_buckets", in: Self.bucketCount...4096, default: Self.bucketCount)
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
    let most = inputs.maximumLength - 1
    var bias =
      (inputs.distances + Float(most))
      --> Embedding(vocabulary: 2 * most + 1, channels: sizes.heads, name: Self.distances)
      --> Permute(order: [2, 0, 1])
    if let mask = inputs.visible { bias = bias + (mask - 1) * 1e30 }
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
    // The file has a row for each bucket, the layer one for each distance.
    let most = spec.sizes[0] / 2
    return TensorPlace(
      names: ["\(spec.layer).weight"], rows: .chosen((-most...most).map(Self.bucket)))
  }

  /// The bucket of a key's number less that of the query.
  static func bucket(of distance: Int) -> Int {
    let half = bucketCount / 2
    let exact = half / 2
    let start = distance > 0 ? half : 0
    let size = abs(distance)
    if size < exact { return start + size }
    // In single precision, as the library computes it.
    let ratio = logf(Float(size) / Float(exact)) / Float(log(128 / Double(exact)))
    return start + min(exact + Int(ratio * Float(half - exact)), half - 1)
  }

  func classification(of first: Tensor, labels: Int) -> Tensor {
    RoBERTa.classification(first, channels, labels, activation: .tanh)
  }
}
