import Forge

/// The encoders of T5, mT5 and UMT5: no positions but a bias for each distance, attention whose
/// scores are not scaled, and normalization without means.
///
/// Source: Raffel and others, Exploring the Limits of Transfer Learning, 2019; Chung and others,
/// UniMax, 2023.
struct T5: TextArchitecture {
  static let types = ["t5", "mt5", "umt5"]
  static let prefixes = ["encoder.", "transformer.encoder.", "transformer."]

  let channels: Int
  let vocabulary: Int
  let positions: Int
  let heads, width: Int
  private let layers, hidden: Int
  private let activation: HubActivation
  private let isGated: Bool
  private let epsilon: Float
  let buckets: DistanceBuckets
  /// Whether each layer has biases of its own.
  let hasOwnBiases: Bool

  /// The layer of the biases in a block.
  static let distances = "SelfAttention.relative_attention_bias"

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    let sizes = 1...max(1, limits.channels)
    channels = try settings.integer("d_model", in: sizes, default: 512)
    width = try settings.integer("d_kv", in: 1...4096, default: 64)
    heads = try settings.integer("num_heads", in: 1...4096, default: 8)
    layers = try settings.integer("num_layers", in: 0...limits.layers, default: 6)
    hidden = try settings.integer("d_ff", in: sizes, default: 2048)
    vocabulary = try settings.integer(
      "vocab_size", in: 1...max(1, limits.vocabulary), default: 32_128)
    // Distances have no maximum; the library's tokenizers cut at this one.
    positions = try settings.integer(
      "n_positions", in: 1...max(1, limits.positions), default: min(512, max(1, limits.positions)))
    epsilon = try settings.epsilon("layer_norm_epsilon", default: 1e-6)
    buckets = DistanceBuckets(
      count: try settings.integer(
        "relative_attention_num_buckets", in: 4...4096, default: 32),
      most: try settings.integer(
        "relative_attention_max_distance", in: 2...(1 << 20), default: 128))
    guard buckets.count.isMultiple(of: 4), buckets.most > buckets.count / 4 else {
      throw .invalid(
        settings.name("relative_attention_num_buckets"), "\(buckets.count)", in: settings.path,
        needs: "a multiple of 4, at most four times relative_attention_max_distance")
    }
    hasOwnBiases = try settings.text("model_type") == "umt5"
    (activation, isGated) = try Self.activation(settings)
  }

  /// The activation function of `feed_forward_proj`, and whether a product of its own gates it.
  private static func activation(_ settings: Settings) throws(HubError) -> (HubActivation, Bool) {
    let isSmall = try settings.text("model_type") == "t5"
    let text = try settings.text("feed_forward_proj") ?? (isSmall ? "relu" : "gated-gelu")
    let isGated = text.hasPrefix("gated-")
    let name = isGated ? String(text.dropFirst("gated-".count)) : text
    // The library has another GELU for this name.
    guard let activation = HubActivation.names[text == "gated-gelu" ? "gelu_new" : name] else {
      throw settings.unsupported(
        "feed_forward_proj",
        needs: "gated- or nothing, and \(HubActivation.names.keys.sorted().joined(separator: ", "))"
      )
    }
    return (activation, isGated)
  }

  func norm(_ name: String) -> RMSNormalization {
    RMSNormalization(epsilon: epsilon, name: name)
  }

  func features(of inputs: TextInputs) -> Tensor {
    var x = inputs.ids --> Embedding(vocabulary: vocabulary, channels: channels, name: "shared")
    var bias = Tensor?.none
    for layer in 0..<layers {
      let name = "block.\(layer).layer"
      if bias == nil || hasOwnBiases {
        bias = inputs.distanceBias(heads: heads, name: "\(name).0.\(Self.distances)")
      }
      let attention = MultiHeadAttention(
        heads: heads, keyChannels: width, scale: 1, mask: bias == nil ? .none : .added,
        useBias: false, name: "\(name).0.SelfAttention")
      let normed = x --> norm("\(name).0.layer_norm")
      x = x + (bias.map { [normed, $0] --> attention } ?? (normed --> attention))
      x = x + product(x --> norm("\(name).1.layer_norm"), "\(name).1.DenseReluDense")
    }
    return x --> norm("final_layer_norm")
  }

  /// The second part of a block: products of each token by itself.
  func product(_ x: Tensor, _ name: String) -> Tensor {
    func dense(_ part: String, _ activation: ActivationFunction = .linear) -> Tensor {
      x
        --> LastAxisDense(
          neurons: hidden, activation: activation, useBias: false, name: "\(name).\(part)")
    }
    let activated = activation.rest(dense(isGated ? "wi_0" : "wi", activation.fused))
    return (isGated ? activated * dense("wi_1") : activated)
      --> LastAxisDense(neurons: channels, useBias: false, name: "\(name).wo")
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    if spec.layer == "shared" {
      return TensorPlace(names: ["shared.weight", "encoder.embed_tokens.weight"])
    }
    if spec.layer.hasSuffix(Self.distances) { return buckets.place(of: spec) }
    return TensorPlace(spec, query: "q", key: "k", value: "v", output: "o")
  }

  func output(
    of head: HubHead, on features: Tensor, _ inputs: TextInputs, labels: Int
  ) -> Tensor? {
    switch head {
    case .features: features
    case .tokenClassification: features --> LastAxisDense(neurons: labels, name: "classifier")
    case .sequenceClassification, .nextToken, .embedding: nil
    }
  }
}
