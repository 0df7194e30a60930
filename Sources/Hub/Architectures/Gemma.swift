import Forge

/// Gemma, Gemma 2, the text part of Gemma 3, and EmbeddingGemma.
///
/// Products are gated, and files hold gammas less 1. From Gemma 2 on, the results of a block's
/// parts are normalized, too, and some layers see only nearby tokens. Gemma 3 normalizes each head.
/// A token of EmbeddingGemma also sees those after it.
///
/// Source: the technical reports of Gemma, Gemma 2, Gemma 3 and EmbeddingGemma, 2024 and 2025.
struct Gemma: TextArchitecture {
  static let types = ["gemma", "gemma2", "gemma3_text"]
  static let prefixes = ["model."]

  let channels, vocabulary, positions: Int
  let isCausal: Bool
  private let heads, groups, width, layers, hidden: Int
  private let activation: HubActivation
  private let epsilon, scale: Float
  private let hasBias, tiesWords, normsResults, normsHeads: Bool
  private let attentionCap, outputCap: Float?
  /// Which layers see only nearby tokens.
  private let isLocal: [Bool]
  /// The distance from which a token is not near.
  private let window: Int
  private let globalBase, localBase: Float

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    let type = try settings.text("model_type")
    let isFirst = type == "gemma"
    (normsResults, normsHeads) = (!isFirst, type == "gemma3_text")
    let sizes = 1...max(1, limits.channels)
    channels = try settings.integer("hidden_size", in: sizes, default: isFirst ? 3072 : 2304)
    heads = try settings.integer("num_attention_heads", in: 1...4096, default: isFirst ? 16 : 8)
    groups = try settings.integer("num_key_value_heads", in: 1...4096, default: isFirst ? 16 : 4)
    layers = try settings.integer(
      "num_hidden_layers", in: 0...limits.layers, default: isFirst ? 28 : 26)
    hidden = try settings.integer(
      "intermediate_size", in: sizes, default: isFirst ? 24_576 : 9216)
    vocabulary = try settings.integer(
      "vocab_size", in: 1...max(1, limits.vocabulary), default: normsHeads ? 262_208 : 256_000)
    positions = try settings.integer(
      "max_position_embeddings", in: 1...max(1, limits.positions),
      default: normsHeads ? 131_072 : 8192)
    width = try settings.integer("head_dim", in: sizes, default: 256)
    try settings.check(heads: heads, groups: groups, width: width)
    let name = isFirst ? "hidden_act" : "hidden_activation"
    let stated = try settings.activation(name, default: .function(.geluTanh))
    // The first files say "gelu" and mean its approximation.
    let text = try settings.text(name)
    activation = isFirst && text == "gelu" ? .function(.geluTanh) : stated
    epsilon = try settings.epsilon("rms_norm_eps", default: 1e-6)
    hasBias = try settings.flag("attention_bias")
    tiesWords = try settings.flag("tie_word_embeddings", default: true)
    if !normsHeads { try settings.refuse("use_bidirectional_attention") }
    isCausal = try !settings.flag("use_bidirectional_attention")

    let divisor = isFirst ? Double(width) : try settings.number("query_pre_attn_scalar") ?? 256
    guard divisor > 0 else {
      throw .invalid(
        settings.name("query_pre_attn_scalar"), "\(divisor)", in: settings.path,
        needs: "a number above 0")
    }
    scale = Float(1 / divisor.squareRoot())
    // Where a configuration leaves them out, only the second Gemma has them.
    if isFirst {
      (attentionCap, outputCap) = (nil, nil)
    } else {
      attentionCap = try settings.cap("attn_logit_softcapping", default: normsHeads ? nil : 50)
      outputCap = try settings.cap("final_logit_softcapping", default: normsHeads ? nil : 30)
    }

    let period =
      normsHeads
      ? try settings.integer(
        "sliding_window_pattern", "_sliding_window_pattern", in: 1...65_536, default: 6) : 2
    let isLocal = try settings.slidingLayers(layers) { !($0 + 1).isMultiple(of: period) }
    self.isLocal = isFirst ? isLocal.map { _ in false } : isLocal
    let nearby = try settings.integer("sliding_window", in: 1...(1 << 30), default: 4096)
    window = isCausal ? nearby : nearby / 2 + 1

    let scaling = try settings.settings("rope_scaling")
    for name in ["rope_type", "type"] { try scaling?.require(name, "default") }
    let rotation = try settings.settings("rope_parameters")
    if normsHeads {
      globalBase = try (rotation?.settings("full_attention")).rotaryBase(
        default: try settings.number("rope_theta") ?? 1_000_000)
      localBase = try (rotation?.settings("sliding_attention")).rotaryBase(
        default: try settings.number("rope_local_base_freq") ?? 10_000)
    } else {
      globalBase = try rotation.rotaryBase(default: try settings.number("rope_theta") ?? 10_000)
      localBase = globalBase
    }
  }

  private func norm(_ name: String) -> RMSNormalization {
    RMSNormalization(epsilon: epsilon, name: name)
  }

  func features(of inputs: TextInputs) -> Tensor {
    let words =
      inputs.ids --> Embedding(vocabulary: vocabulary, channels: channels, name: "embed_tokens")
    var x = words * Float(channels).squareRoot()
    let near = near(inputs)
    for layer in 0..<layers {
      let name = "layers.\(layer)"
      func normed(_ x: Tensor, _ part: String) -> Tensor { x --> norm("\(name).\(part)_layernorm") }
      func dense(_ x: Tensor, _ neurons: Int, _ part: String) -> Tensor {
        x --> LastAxisDense(neurons: neurons, useBias: false, name: "\(name).mlp.\(part)_proj")
      }
      let a = attention(normed(x, "input"), layer, isLocal[layer] ? near : inputs.visible, inputs)
      x = x + (normsResults ? normed(a, "post_attention") : a)
      let b = normed(x, normsResults ? "pre_feedforward" : "post_attention")
      let gate = activation(dense(b, hidden, "gate"))
      let c = dense(gate * dense(b, hidden, "up"), channels, "down")
      x = x + (normsResults ? normed(c, "post_feedforward") : c)
    }
    return x --> norm("norm")
  }

  /// 1 for the keys that are near a query and not padding, [queries][keys]; `nil` if all are.
  private func near(_ inputs: TextInputs) -> Tensor? {
    guard inputs.maximumLength > window, isLocal.contains(true) else { return inputs.visible }
    let distances = distances(inputs)
    let near =
      isCausal
      ? distances --> Compare(.greater, than: [-Float(window)])
      : distances --> Unary(.absolute) --> Compare(.less, than: [Float(window)])
    return inputs.visible.map { near * $0 } ?? near
  }

  /// The number of each key less that of each query, [queries][keys].
  private func distances(_ inputs: TextInputs) -> Tensor {
    guard let length = inputs.cacheLength else { return inputs.distances }
    // The queries of a stream go on counting where the part before ended.
    let queries =
      inputs.ids * 0 --> ExpandDims(axes: [1])
      --> PositionalEncoding(
        .learned(maximumLength: length), streamLength: length, name: Self.places)
    let keys =
      [Tensor]()
      --> Constant((0..<length).map { Float($0) }, shape: Shape(sizes: [1, length]))
    return keys - queries
  }

  /// The name of a layer whose table has the number of each position.
  private static let places = "places"

  private func attention(
    _ x: Tensor, _ layer: Int, _ mask: Tensor?, _ inputs: TextInputs
  ) -> Tensor {
    let name = "layers.\(layer).self_attn"
    let rotary = RotaryEncoding.halves(base: isLocal[layer] ? localBase : globalBase)
    func part(_ heads: Int, _ part: String) -> Tensor {
      x
        --> LastAxisDense(
          neurons: heads * width, useBias: hasBias, name: "\(name).\(part)_proj")
    }
    func rotated(_ heads: Int, _ name: String, _ norm: String) -> Tensor {
      var y = part(heads, name)
      if normsHeads {
        y =
          y --> Reshape(to: [-1, heads, width]) --> self.norm(norm)
          --> Reshape(to: [-1, heads * width])
      }
      return y
        --> PositionalEncoding(
          .rotary(rotary, heads: heads), streamLength: inputs.cacheLength,
          name: "\(norm)_places")
    }
    let attention = ScaledDotProductAttention(
      heads: heads, keyValueHeads: groups, scale: scale, isCausal: isCausal, cap: attentionCap,
      mask: mask == nil ? .none : .visible, cacheLength: inputs.cacheLength)
    let parts = [
      rotated(heads, "q", "\(name).q_norm"), rotated(groups, "k", "\(name).k_norm"),
      part(groups, "v"),
    ]
    return parts + [mask].compactMap(\.self) --> attention
      --> LastAxisDense(neurons: channels, useBias: hasBias, name: "\(name).o_proj")
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    if spec.layer == "lm_head" {
      return TensorPlace(
        names: tiesWords ? ["lm_head.weight", "embed_tokens.weight"] : ["lm_head.weight"])
    }
    if spec.layer == Self.places {
      let count = spec.count
      return TensorPlace(names: []) { (0..<count).map { Float($0) } }
    }
    var place = TensorPlace(spec)
    if spec.type == .gamma { place?.offset = 1 }
    return place
  }

  func output(
    of head: HubHead, on features: Tensor, _ inputs: TextInputs, labels: Int
  ) -> Tensor? {
    switch head {
    case .features: return features
    case .sequenceClassification:
      return inputs.last(of: features)
        --> LastAxisDense(neurons: labels, useBias: false, name: "score")
    case .tokenClassification: return features --> LastAxisDense(neurons: labels, name: "score")
    case .nextToken:
      let logits = features --> LastAxisDense(neurons: vocabulary, useBias: false, name: "lm_head")
      return outputCap.map { cap in (logits * (1 / cap) --> Activation(.tanh)) * cap } ?? logits
    case .embedding: return nil
    }
  }
}

extension Settings {
  /// Checks the sizes of an attention whose heads share keys and values and are rotated.
  ///
  /// - Throws: ``HubError`` of kind `invalid`.
  func check(heads: Int, groups: Int, width: Int) throws(HubError) {
    guard width > 0, width.isMultiple(of: 2) else {
      throw .invalid(name("head_dim"), "\(width)", in: path, needs: "an even number")
    }
    guard heads.isMultiple(of: groups) else {
      throw .invalid(
        name("num_key_value_heads"), "\(groups)", in: path, needs: "a divisor of the \(heads) heads"
      )
    }
  }

  /// The largest magnitude of scores or outputs; `nil` if they have no bound.
  ///
  /// - Throws: ``HubError`` of kind `invalid`.
  fileprivate func cap(_ name: String, default standard: Double?) throws(HubError) -> Float? {
    guard names.contains(name) else { return standard.map { Float($0) } }
    guard let cap = try number(name) else { return nil }
    guard Float(cap) > 0, Float(cap).isFinite else {
      throw .invalid(self.name(name), "\(cap)", in: path, needs: "a number above 0")
    }
    return Float(cap)
  }
}
