import Forge

/// CLIP's encoder of texts, whose tokens see only those before them.
///
/// Source: Radford and others, Learning Transferable Visual Models, 2021.
struct CLIPText: TextArchitecture {
  static let types = ["clip", "clip_text_model"]
  static let prefixes = ["text_model.", "clip.text_model."]

  let channels: Int
  let vocabulary: Int
  let positions: Int
  var isCausal: Bool { true }
  private let heads, layers, hidden, numbers: Int
  private let activation: HubActivation
  private let epsilon: Float
  /// The id that ends texts; `nil` for the largest one of a text, as old configurations mean it.
  private let end: Int?

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    let own = try Self.part("text_config", of: settings)
    let sizes = 1...max(1, limits.channels)
    channels = try own.integer("hidden_size", in: sizes, default: 512)
    heads = try own.integer("num_attention_heads", in: 1...4096, default: 8)
    layers = try own.integer("num_hidden_layers", in: 0...limits.layers, default: 12)
    hidden = try own.integer("intermediate_size", in: sizes, default: 2048)
    vocabulary = try own.integer(
      "vocab_size", in: 1...max(1, limits.vocabulary), default: 49_408)
    positions = try own.integer(
      "max_position_embeddings", in: 1...max(1, limits.positions), default: 77)
    activation = try own.activation("hidden_act", default: .quickGELU)
    epsilon = try own.epsilon("layer_norm_eps", default: 1e-5)
    let end = try own.integer("eos_token_id", in: 0...(1 << 30), default: 49_407)
    self.end = end == 2 ? nil : end
    numbers = try Self.numbers(settings, own, limits)
    try EncoderSizes.check(heads: heads, divide: channels, in: own, "num_attention_heads")
  }

  /// The settings of one of the two networks.
  static func part(_ name: String, of settings: Settings) throws(HubError) -> Settings {
    guard try settings.text("model_type") == "clip" else { return settings }
    guard let part = try settings.settings(name) else {
      throw .missing(name, in: settings.path, needs: "an object")
    }
    return part
  }

  /// The numbers of a vector: those of the whole network, or of one of the two.
  static func numbers(
    _ settings: Settings, _ own: Settings, _ limits: HubLimits
  ) throws(HubError) -> Int {
    let sizes = 1...max(1, limits.channels)
    if let numbers = try settings.integer("projection_dim", in: sizes) { return numbers }
    return try own.integer("projection_dim", in: sizes, default: 512)
  }

  /// A block under the names that both networks share.
  static func block(
    _ layer: Int, heads: Int, hidden: Int, _ activation: HubActivation, _ epsilon: Float,
    isCausal: Bool
  ) -> InputNormalizedBlock {
    let name = "encoder.layers.\(layer)"
    return InputNormalizedBlock(
      heads: heads, hidden: hidden, activation: activation, epsilon: epsilon, isCausal: isCausal,
      attention: "\(name).self_attn", norm1: "\(name).layer_norm1", norm2: "\(name).layer_norm2",
      expand: "\(name).mlp.fc1", reduce: "\(name).mlp.fc2")
  }

  func features(of inputs: TextInputs) -> Tensor {
    var x =
      inputs.ids
      --> Embedding(
        vocabulary: vocabulary, channels: channels, name: "embeddings.token_embedding")
      --> PositionalEncoding(
        .learned(maximumLength: positions), name: "embeddings.position_embedding")
    let mask = inputs.visible
    for layer in 0..<layers {
      let block = Self.block(
        layer, heads: heads, hidden: hidden, activation, epsilon, isCausal: true)
      x = block(x, mask)
    }
    return x --> LayerNormalization(epsilon: epsilon, name: "final_layer_norm")
  }

  static func place(_ spec: ParameterSpec) -> TensorPlace? {
    TensorPlace(spec, query: "q_proj", key: "k_proj", value: "v_proj", output: "out_proj")
  }

  func place(of spec: ParameterSpec) -> TensorPlace? { Self.place(spec) }

  func output(
    of head: HubHead, on features: Tensor, _ inputs: TextInputs, labels: Int
  ) -> Tensor? {
    switch head {
    case .features: features
    case .embedding:
      ending(features, inputs)
        --> LastAxisDense(neurons: numbers, useBias: false, name: "text_projection")
    case .sequenceClassification, .tokenClassification, .nextToken: nil
    }
  }

  /// The features at the first token that ends the text, [1][channels]; 0 if there is none.
  private func ending(_ features: Tensor, _ inputs: TextInputs) -> Tensor {
    let ends =
      if let end {
        inputs.ids --> Compare(.equal, than: [Float(end)])
      } else {
        [inputs.ids, inputs.ids --> Reduce(.maximum, axes: [0], keepsDimensions: true)]
          --> Compare(.equal)
      }
    let first = (ends --> CumulativeSum(axis: 0) --> Compare(.equal, than: [1])) * ends
    return features * (first --> ExpandDims(axes: [1]))
      --> Reduce(.sum, axes: [0], keepsDimensions: true)
  }
}
