import Forge

/// ModernBERT: rotated queries and keys, gated products, normalized inputs, and blocks most of
/// which see only nearby tokens.
///
/// Source: Warner and others, Smarter, Better, Faster, Longer, 2024.
struct ModernBERT: TextArchitecture {
  static let types = ["modernbert"]
  static let prefixes = ["model."]

  let channels: Int
  let vocabulary: Int
  let positions: Int
  private let heads, layers, hidden, window: Int
  private let activation, headActivation: HubActivation
  private let epsilon: Float
  private let normBias, attentionBias, productBias, headBias, meansClasses: Bool
  private let isLocal: [Bool]
  private let globalBase, localBase: Float

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    let sizes = 1...max(1, limits.channels)
    channels = try settings.integer("hidden_size", in: sizes, default: 768)
    heads = try settings.integer("num_attention_heads", in: 1...4096, default: 12)
    layers = try settings.integer("num_hidden_layers", in: 0...limits.layers, default: 22)
    hidden = try settings.integer("intermediate_size", in: sizes, default: 1152)
    vocabulary = try settings.integer(
      "vocab_size", in: 1...max(1, limits.vocabulary), default: 50_368)
    positions = try settings.integer(
      "max_position_embeddings", in: 1...max(1, limits.positions), default: 8192)
    window = try settings.integer("local_attention", in: 1...(1 << 30), default: 128) / 2
    activation = try settings.activation("hidden_activation")
    headActivation = try settings.activation("classifier_activation")
    epsilon = try settings.epsilon("norm_eps", default: 1e-5)
    normBias = try settings.flag("norm_bias")
    attentionBias = try settings.flag("attention_bias")
    productBias = try settings.flag("mlp_bias")
    headBias = try settings.flag("classifier_bias")
    try settings.require("classifier_pooling", "cls", "mean")
    meansClasses = try settings.text("classifier_pooling") == "mean"
    try EncoderSizes.check(heads: heads, divide: channels, in: settings, "num_attention_heads")
    let period = try settings.integer("global_attn_every_n_layers", in: 1...65_536, default: 3)
    isLocal = try settings.slidingLayers(layers) { !$0.isMultiple(of: period) }
    let rotation = try settings.settings("rope_parameters")
    if settings["rope_scaling"] != nil { throw settings.unsupported("rope_scaling") }
    globalBase = try (rotation?.settings("full_attention")).rotaryBase(
      default: try settings.number("global_rope_theta") ?? 160_000)
    localBase = try (rotation?.settings("sliding_attention")).rotaryBase(
      default: try settings.number("local_rope_theta") ?? 10_000)
  }

  private func norm(_ name: String) -> LayerNormalization {
    LayerNormalization(epsilon: epsilon, center: normBias, name: name)
  }

  func features(of inputs: TextInputs) -> Tensor {
    var x =
      inputs.ids
      --> Embedding(
        vocabulary: vocabulary, channels: channels, name: "embeddings.tok_embeddings")
      --> norm("embeddings.norm")
    let visible = inputs.visible
    var near = visible
    if inputs.maximumLength - 1 > window, isLocal.contains(true) {
      let distances =
        inputs.distances --> Unary(.absolute) --> Compare(.lessOrEqual, than: [Float(window)])
      near = visible.map { distances * $0 } ?? distances
    }
    for layer in 0..<layers {
      let name = "layers.\(layer)"
      let mask = isLocal[layer] ? near : visible
      let attention = MultiHeadAttention(
        heads: heads, keyChannels: channels / heads, mask: mask == nil ? .none : .visible,
        rotary: .halves(base: isLocal[layer] ? localBase : globalBase), useBias: attentionBias,
        form: .joined, name: "\(name).attn")
      let normed = layer == 0 ? x : x --> norm("\(name).attn_norm")
      x = x + (mask.map { [normed, $0] --> attention } ?? (normed --> attention))
      let both =
        x --> norm("\(name).mlp_norm")
        --> LastAxisDense(neurons: 2 * hidden, useBias: productBias, name: "\(name).mlp.Wi")
      let activated = both --> Slice(starts: [0], ends: [hidden], axes: [-1])
      let gate = both --> Slice(starts: [hidden], ends: [2 * hidden], axes: [-1])
      x =
        x
        + (activation(activated) * gate
          --> LastAxisDense(neurons: channels, useBias: productBias, name: "\(name).mlp.Wo"))
    }
    return x --> norm("final_norm")
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    guard spec.layer.hasSuffix(".attn") else { return TensorPlace(spec) }
    let isOutput = spec.type == .outputWeights || spec.type == .outputBiases
    let isWeight = spec.type == .outputWeights || spec.type == .weights
    return TensorPlace(
      names: ["\(spec.layer).\(isOutput ? "Wo" : "Wqkv").\(isWeight ? "weight" : "bias")"])
  }

  func output(
    of head: HubHead, on features: Tensor, _ inputs: TextInputs, labels: Int
  ) -> Tensor? {
    func classes(_ x: Tensor) -> Tensor {
      headActivation.rest(
        x
          --> LastAxisDense(
            neurons: channels, activation: headActivation.fused, useBias: headBias,
            name: "head.dense"))
        --> norm("head.norm") --> LastAxisDense(neurons: labels, name: "classifier")
    }
    switch head {
    case .features: return features
    case .sequenceClassification:
      return classes(meansClasses ? inputs.mean(of: features) : first(features))
    case .tokenClassification: return classes(features)
    case .nextToken, .embedding: return nil
    }
  }
}

extension Settings {
  /// Which layers see only tokens near by.
  ///
  /// - Parameters:
  ///   - count: the number of layers.
  ///   - usual: returns whether a layer does in a configuration that does not say so.
  /// - Returns: whether each layer does.
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  func slidingLayers(
    _ count: Int, usual: (Int) -> Bool
  ) throws(HubError) -> [Bool] {
    guard let value = self["layer_types"] else { return (0..<count).map(usual) }
    guard let list = value.array, list.count == count else {
      throw wrong("layer_types", value, needs: "a list of \(count)")
    }
    var layers: [Bool] = []
    for type in list {
      guard let text = type.text, ["full_attention", "sliding_attention"].contains(text) else {
        throw .unsupported(
          name("layer_types"), Self.text(of: type), in: path,
          needs: "full_attention, sliding_attention")
      }
      layers.append(text == "sliding_attention")
    }
    return layers
  }
}

extension Settings? {
  /// The base of the angles in the parameters of a rotation.
  ///
  /// - Throws: ``HubError``: `invalid`, or `unsupported` for a rotation that is scaled.
  func rotaryBase(default standard: Double) throws(HubError) -> Float {
    guard let self else { return Float(standard) }
    try self.require("rope_type", "default")
    try self.require("type", "default")
    let base = try self.number("rope_theta") ?? standard
    guard base > 0 else {
      throw .invalid(
        self.name("rope_theta"), "\(base)", in: self.path, needs: "a number above 0")
    }
    return Float(base)
  }
}
