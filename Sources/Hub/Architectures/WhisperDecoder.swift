import Forge

/// Whisper's decoder, which writes what the encoder has heard.
///
/// The keys and values of the sound do not change from token to token: they are outputs of the
/// encoder's network and inputs of the decoder's.
///
/// Source: Radford and others, Robust Speech Recognition via Large-Scale Weak Supervision, 2022.
struct WhisperDecoder: Sendable {
  static let prefixes = ["decoder.", "model.decoder."]

  let channels: Int
  let vocabulary: Int
  /// The maximum number of tokens of a text, with those in front.
  let positions: Int
  private let heads, layers, hidden: Int
  private let activation: HubActivation
  private let tiesWords: Bool

  /// The epsilon of the normalizations, which no configuration states.
  private static let epsilon: Float = 1e-5

  /// Reads `config.json`.
  ///
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  init(_ settings: Settings, limits: HubLimits, channels: Int) throws(HubError) {
    self.channels = channels
    vocabulary = try settings.integer(
      "vocab_size", in: 1...max(1, limits.vocabulary), default: 51_865)
    // Forge's lengths that a prediction chooses begin with a maximum of 8.
    positions = try settings.integer(
      "max_target_positions", in: 8...max(8, limits.positions), default: 448)
    heads = try settings.integer("decoder_attention_heads", in: 1...4096, default: 6)
    layers = try settings.integer("decoder_layers", in: 1...max(1, limits.layers), default: 4)
    hidden = try settings.integer(
      "decoder_ffn_dim", in: 1...max(1, limits.channels), default: 1536)
    activation = try settings.activation("activation_function")
    tiesWords = try settings.flag("tie_word_embeddings", default: true)
    try EncoderSizes.check(heads: heads, divide: channels, in: settings, "decoder_attention_heads")
    try settings.refuse("scale_embedding")
  }

  /// The inputs for the keys and values of the sound, in the order of ``sound(_:)``.
  func soundInputs(steps: Int) -> [Tensor] {
    (0..<layers).flatMap { layer in
      ["keys", "values"].map { Input(shape: [steps, channels], name: "\($0).\(layer)") }
    }
  }

  /// The keys and values that each layer reads, [steps][channels], from the encoder's features.
  func sound(_ features: Tensor) -> [Tensor] {
    (0..<layers).flatMap { layer in
      let name = "decoder.layers.\(layer).encoder_attn"
      return [
        features
          --> LastAxisDense(neurons: channels, useBias: false, name: "\(name).k_proj")
          --> Identity(name: "keys.\(layer)"),
        features
          --> LastAxisDense(neurons: channels, name: "\(name).v_proj")
          --> Identity(name: "values.\(layer)"),
      ]
    }
  }

  /// The numbers of all tokens after the last of the ids, [1][vocabulary].
  func logits(_ ids: Tensor, sound: [Tensor]) -> Tensor {
    func norm(_ name: String) -> LayerNormalization {
      LayerNormalization(epsilon: Self.epsilon, name: name)
    }
    var x =
      ids --> Embedding(vocabulary: vocabulary, channels: channels, name: "embed_tokens")
      --> PositionalEncoding(
        .learned(maximumLength: positions), streamLength: positions, name: "embed_positions")
    for layer in 0..<layers {
      let name = "layers.\(layer)"
      x =
        x
        + (x --> norm("\(name).self_attn_layer_norm")
          --> MultiHeadAttention(
            heads: heads, keyChannels: channels / heads, isCausal: true, cacheLength: positions,
            name: "\(name).self_attn"))
      let queries =
        x --> norm("\(name).encoder_attn_layer_norm")
        --> LastAxisDense(neurons: channels, name: "\(name).encoder_attn.q_proj")
      x =
        x
        + ([queries, sound[2 * layer], sound[2 * layer + 1]]
          --> ScaledDotProductAttention(heads: heads)
          --> LastAxisDense(neurons: channels, name: "\(name).encoder_attn.out_proj"))
      let expanded = activation.rest(
        x --> norm("\(name).final_layer_norm")
          --> LastAxisDense(neurons: hidden, activation: activation.fused, name: "\(name).fc1"))
      x = x + (expanded --> LastAxisDense(neurons: channels, name: "\(name).fc2"))
    }
    // What follows depends on the last token alone.
    return x --> Slice(starts: [-1], ends: [.max], axes: [0]) --> norm("layer_norm")
      --> LastAxisDense(neurons: vocabulary, useBias: false, name: "proj_out")
  }

  /// The tensor that holds a parameter.
  func place(of spec: ParameterSpec) -> TensorPlace? {
    if spec.type == .keyBiases { return .zeros }
    if spec.layer == "proj_out" {
      return TensorPlace(names: ["proj_out.weight"] + (tiesWords ? ["embed_tokens.weight"] : []))
    }
    return TensorPlace(spec, query: "q_proj", key: "k_proj", value: "v_proj", output: "out_proj")
  }
}
