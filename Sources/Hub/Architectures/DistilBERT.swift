import Forge

/// DistilBERT: BERT's encoder without types of tokens.
///
/// Source: Sanh and others, DistilBERT, 2019.
struct DistilBERT: ClassifyingEncoder {
  static let types = ["distilbert"]
  static let prefixes = ["distilbert."]

  let channels: Int
  let vocabulary: Int
  let positions: Int
  private let heads, layers, hidden: Int
  private let activation: HubActivation

  /// The epsilon of the normalizations, which no configuration states.
  private static let epsilon: Float = 1e-12

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    let sizes = 1...max(1, limits.channels)
    channels = try settings.integer("dim", "hidden_size", in: sizes, default: 768)
    heads = try settings.integer("n_heads", "num_attention_heads", in: 1...4096, default: 12)
    layers = try settings.integer(
      "n_layers", "num_hidden_layers", in: 0...limits.layers, default: 6)
    hidden = try settings.integer("hidden_dim", in: sizes, default: 3072)
    vocabulary = try settings.integer(
      "vocab_size", in: 1...max(1, limits.vocabulary), default: 30_522)
    positions = try settings.integer(
      "max_position_embeddings", in: 1...max(1, limits.positions), default: 512)
    activation = try settings.activation("activation")
    try EncoderSizes.check(heads: heads, divide: channels, in: settings, "n_heads")
    try EncoderSizes.refuseDecoders(settings)
  }

  func features(of inputs: TextInputs) -> Tensor {
    var x =
      inputs.ids
      --> Embedding(
        vocabulary: vocabulary, channels: channels, name: "embeddings.word_embeddings")
      --> PositionalEncoding(
        .learned(maximumLength: positions), name: "embeddings.position_embeddings")
      --> LayerNormalization(epsilon: Self.epsilon, name: "embeddings.LayerNorm")
    let mask = inputs.visible
    for layer in 0..<layers {
      let name = "transformer.layer.\(layer)"
      let block = SumNormalizedBlock(
        heads: heads, hidden: hidden, activation: activation, epsilon: Self.epsilon,
        mask: .visible, attention: "\(name).attention", norm1: "\(name).sa_layer_norm",
        expand: "\(name).ffn.lin1", reduce: "\(name).ffn.lin2",
        norm2: "\(name).output_layer_norm")
      x = block(x, mask)
    }
    return x
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    TensorPlace(spec, query: "q_lin", key: "k_lin", value: "v_lin", output: "out_lin")
  }

  func classification(of first: Tensor, labels: Int) -> Tensor {
    first
      --> LastAxisDense(neurons: channels, activation: .relu, name: "pre_classifier")
      --> LastAxisDense(neurons: labels, name: "classifier")
  }
}
