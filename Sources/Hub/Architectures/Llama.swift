import Forge

/// Llama, Mistral, Qwen2 and Qwen3: rotated queries and keys, heads that share keys and values,
/// gated products, and tokens that see only those before them.
///
/// Source: Touvron and others, LLaMA, 2023; the technical reports of Mistral and Qwen.
struct Llama: TextArchitecture {
  static let types = ["llama", "mistral", "qwen2", "qwen3"]
  static let prefixes = ["model."]

  let channels: Int
  let vocabulary: Int
  let positions: Int
  var isCausal: Bool { true }
  private let heads, groups, width, layers, hidden: Int
  private let activation: HubActivation
  private let epsilon, base: Float
  /// Which products of the attention have biases.
  private let queryBias, outputBias: Bool
  private let productBias, tiesWords, normsHeads: Bool

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    let type = try settings.text("model_type")
    let sizes = 1...max(1, limits.channels)
    channels = try settings.integer("hidden_size", in: sizes, default: 4096)
    heads = try settings.integer("num_attention_heads", in: 1...4096, default: 32)
    groups = try settings.integer("num_key_value_heads", in: 1...4096) ?? heads
    layers = try settings.integer("num_hidden_layers", in: 0...limits.layers, default: 32)
    hidden = try settings.integer("intermediate_size", in: sizes, default: 11_008)
    vocabulary = try settings.integer(
      "vocab_size", in: 1...max(1, limits.vocabulary), default: 32_000)
    let stated = try settings.integer(
      "max_position_embeddings", in: 1...max(1, limits.positions), default: 2048)
    activation = try settings.activation("hidden_act", default: .function(.swish))
    epsilon = try settings.epsilon("rms_norm_eps", default: 1e-6)
    width =
      try settings.integer("head_dim", in: sizes) ?? (type == "qwen3" ? 128 : channels / heads)
    try settings.check(heads: heads, groups: groups, width: width)
    let hasBias = try settings.flag("attention_bias")
    queryBias = type == "qwen2" || hasBias
    outputBias = type != "qwen2" && hasBias
    productBias = try settings.flag("mlp_bias")
    normsHeads = type == "qwen3"
    tiesWords = try settings.flag("tie_word_embeddings")
    let scaling = try settings.settings("rope_scaling")
    for name in ["rope_type", "type"] { try scaling?.require(name, "default") }
    base = try (try settings.settings("rope_parameters")).rotaryBase(
      default: try settings.number("rope_theta") ?? 10_000)
    let window = try Self.window(settings, type)
    positions = min(stated, window ?? stated)
    if window == nil, let types = settings["layer_types"]?.array {
      for type in types where type.text != "full_attention" {
        throw .unsupported(
          settings.name("layer_types"), Settings.text(of: type), in: settings.path,
          needs: "full_attention")
      }
    }
  }

  /// The tokens that local attention sees; `nil` for all of them.
  ///
  /// Up to this many tokens, local attention is the same as any other.
  private static func window(
    _ settings: Settings, _ type: String?
  ) throws(HubError) -> Int? {
    let isUsed = type == "mistral" ? true : try settings.flag("use_sliding_window")
    guard isUsed, type != "llama" else { return nil }
    return try settings.integer("sliding_window", in: 1...(1 << 30))
  }

  private func norm(_ name: String) -> RMSNormalization {
    RMSNormalization(epsilon: epsilon, name: name)
  }

  func features(of inputs: TextInputs) -> Tensor {
    var x =
      inputs.ids --> Embedding(vocabulary: vocabulary, channels: channels, name: "embed_tokens")
    let mask = inputs.visible
    for layer in 0..<layers {
      let name = "layers.\(layer)"
      let normed = x --> norm("\(name).input_layernorm")
      x = x + attention(normed, mask, inputs.cacheLength, "\(name).self_attn")
      let b = x --> norm("\(name).post_attention_layernorm")
      func dense(_ x: Tensor, _ neurons: Int, _ part: String) -> Tensor {
        x --> LastAxisDense(neurons: neurons, useBias: productBias, name: "\(name).mlp.\(part)")
      }
      let gate = activation.rest(
        b
          --> LastAxisDense(
            neurons: hidden, activation: activation.fused, useBias: productBias,
            name: "\(name).mlp.gate_proj"))
      x = x + dense(gate * dense(b, hidden, "up_proj"), channels, "down_proj")
    }
    return x --> norm("norm")
  }

  /// The attention of a block; heads that are normalized need parts of their own.
  private func attention(
    _ x: Tensor, _ mask: Tensor?, _ cacheLength: Int?, _ name: String
  ) -> Tensor {
    let rotary = RotaryEncoding.halves(base: base)
    let form: AttentionRule.Mask = mask == nil ? .none : .visible
    if !normsHeads {
      let attention = MultiHeadAttention(
        heads: heads, keyChannels: width, keyValueHeads: groups, isCausal: true, mask: form,
        rotary: rotary, cacheLength: cacheLength, useBias: queryBias, name: name)
      return mask.map { [x, $0] --> attention } ?? (x --> attention)
    }
    func part(_ heads: Int, _ part: String) -> Tensor {
      x
        --> LastAxisDense(
          neurons: heads * width, useBias: queryBias, name: "\(name).\(part)_proj")
    }
    func normed(_ heads: Int, _ name: String, _ norm: String) -> Tensor {
      part(heads, name) --> Reshape(to: [-1, heads, width]) --> self.norm(norm)
        --> Reshape(to: [-1, heads * width])
        --> PositionalEncoding(
          .rotary(rotary, heads: heads), streamLength: cacheLength, name: "\(name).\(norm)_places")
    }
    let attention = ScaledDotProductAttention(
      heads: heads, keyValueHeads: groups, isCausal: true, mask: form, cacheLength: cacheLength)
    let parts = [
      normed(heads, "q", "\(name).q_norm"), normed(groups, "k", "\(name).k_norm"),
      part(groups, "v"),
    ]
    return parts + [mask].compactMap(\.self) --> attention
      --> LastAxisDense(neurons: channels, useBias: outputBias, name: "\(name).o_proj")
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    if spec.layer == "lm_head" {
      return TensorPlace(
        names: tiesWords ? ["lm_head.weight", "embed_tokens.weight"] : ["lm_head.weight"])
    }
    if spec.type == .outputBiases, !outputBias { return .zeros }
    return TensorPlace(spec, query: "q_proj", key: "k_proj", value: "v_proj", output: "o_proj")
  }

  func output(
    of head: HubHead, on features: Tensor, _ inputs: TextInputs, labels: Int
  ) -> Tensor? {
    switch head {
    case .features: features
    case .sequenceClassification:
      inputs.last(of: features) --> LastAxisDense(neurons: labels, useBias: false, name: "score")
    case .tokenClassification: features --> LastAxisDense(neurons: labels, name: "score")
    case .nextToken:
      features --> LastAxisDense(neurons: vocabulary, useBias: false, name: "lm_head")
    case .embedding: nil
    }
  }
}
