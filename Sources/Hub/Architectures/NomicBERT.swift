import Forge

/// Nomic's BERT: types but no positions in the embeddings, rotated queries and keys, and gated
/// products.
///
/// Files have the names of Nomic's own program, or those of transformers.
///
/// Source: Nussbaum and others, Nomic Embed, 2024.
struct NomicBERT: TextArchitecture {
  static let types = ["nomic_bert"]
  static let prefixes = ["nomic_bert.", "bert."]

  let channels: Int
  let vocabulary: Int
  let positions: Int
  let tokenTypes: Int
  private let heads, layers, hidden: Int
  private let activation: HubActivation
  private let epsilon: Float
  private let base: Float

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    let sizes = 1...max(1, limits.channels)
    channels = try settings.integer("hidden_size", "n_embd", in: sizes, default: 768)
    heads = try settings.integer("num_attention_heads", "n_head", in: 1...4096, default: 12)
    layers = try settings.integer(
      "num_hidden_layers", "n_layer", in: 0...limits.layers, default: 12)
    hidden = try settings.integer("intermediate_size", "n_inner", in: sizes, default: 3072)
    vocabulary = try settings.integer(
      "vocab_size", in: 1...max(1, limits.vocabulary), default: 30_528)
    positions = try settings.integer(
      "max_position_embeddings", "n_positions", in: 1...max(1, limits.positions), default: 2048)
    tokenTypes = try settings.integer("type_vocab_size", in: 1...1024, default: 2)
    epsilon = try settings.epsilon("layer_norm_eps", "layer_norm_epsilon", default: 1e-12)
    try settings.require("activation_function", "swiglu")
    activation = try settings.activation("hidden_act", default: .function(.swish))
    base = try (try settings.settings("rope_parameters")).rotaryBase(
      default: try settings.number("rotary_emb_base") ?? 1000)
    try EncoderSizes.check(heads: heads, divide: channels, in: settings, "num_attention_heads")
    guard try settings.integer("head_dim", in: sizes) ?? (channels / heads) == channels / heads
    else { throw settings.unsupported("head_dim", needs: "\(channels / heads)") }
    // What the program of Nomic can do beyond its published networks.
    for name in [
      "qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias", "prenorm", "parallel_block", "causal",
      "use_rms_norm", "rotary_emb_interleaved", "rotary_emb_scale_base", "rotary_scaling_factor",
    ] { try settings.refuse(name) }
    if let fraction = try settings.number("rotary_emb_fraction"), fraction != 1 {
      throw settings.unsupported("rotary_emb_fraction", needs: "1")
    }
    if let count = try settings.integer("num_experts", in: 0...65_536), count > 0 {
      throw settings.unsupported("num_experts", needs: "0")
    }
  }

  func features(of inputs: TextInputs) -> Tensor {
    let words =
      inputs.ids
      --> Embedding(
        vocabulary: vocabulary, channels: channels, name: "embeddings.word_embeddings")
    let types =
      (inputs.types ?? Constant([0], shape: [1]))
      --> Embedding(
        vocabulary: tokenTypes, channels: channels, name: "embeddings.token_type_embeddings")
    var x =
      words + types --> LayerNormalization(epsilon: epsilon, name: "embeddings.LayerNorm")
    let mask = inputs.visible
    for layer in 0..<layers {
      let name = "layers.\(layer)"
      let attention = MultiHeadAttention(
        heads: heads, keyChannels: channels / heads, mask: mask == nil ? .none : .visible,
        rotary: .halves(base: base), useBias: false, name: "\(name).self_attn")
      x =
        x + (mask.map { [x, $0] --> attention } ?? (x --> attention))
        --> LayerNormalization(epsilon: epsilon, name: "\(name).post_attention_layernorm")
      let gate = activation.rest(
        x
          --> LastAxisDense(
            neurons: hidden, activation: activation.fused, useBias: false,
            name: "\(name).mlp.gate_proj"))
      let up = x --> LastAxisDense(neurons: hidden, useBias: false, name: "\(name).mlp.up_proj")
      let down =
        gate * up
        --> LastAxisDense(neurons: channels, useBias: false, name: "\(name).mlp.down_proj")
      x =
        x + down
        --> LayerNormalization(epsilon: epsilon, name: "\(name).post_mlp_layernorm")
    }
    return x
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    guard
      var place = TensorPlace(
        spec, query: "q_proj", key: "k_proj", value: "v_proj", output: "o_proj")
    else { return nil }
    for (forgeName, nomic) in Self.nomicNames {
      for name in place.names where name.contains(forgeName) {
        let old = name.replacing(forgeName, with: nomic)
        place.names.append(old.hasPrefix("layers.") ? "encoder." + old : old)
      }
    }
    // Nomic's file has one matrix for queries, keys and values.
    if let part = [.queryWeights, .keyWeights, .valueWeights].firstIndex(of: spec.type) {
      place.parts = TensorPlace.Parts(
        name: "encoder.\(spec.layer.replacing("self_attn", with: "attn")).Wqkv.weight",
        index: part, count: 3)
    }
    return place
  }

  /// The names of transformers, and those of Nomic's program.
  private static let nomicNames: KeyValuePairs = [
    "embeddings.LayerNorm": "emb_ln", "self_attn.o_proj": "attn.out_proj",
    "mlp.gate_proj": "mlp.fc12", "mlp.up_proj": "mlp.fc11", "mlp.down_proj": "mlp.fc2",
    "post_attention_layernorm": "norm1", "post_mlp_layernorm": "norm2",
  ]

  func output(
    of head: HubHead, on features: Tensor, _ inputs: TextInputs, labels: Int
  ) -> Tensor? {
    head == .features ? features : nil
  }
}
