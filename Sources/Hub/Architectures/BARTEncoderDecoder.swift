import Forge
import ForgeSystem

/// BART, mBART and Marian with the decoder, whose tokens see those before them and the prompt.
///
/// mBART normalizes what each part of a block reads, and both results. Marian has sines for
/// positions, and does not normalize the words.
///
/// Source: Lewis and others, BART, 2019; Liu and others, Multilingual Denoising Pre-training, 2020;
/// Junczys-Dowmunt and others, Marian, 2018.
struct BARTEncoderDecoder: EncoderDecoder {
  static let types = ["bart", "mbart", "marian"]
  static let prefixes = ["model."]

  /// The sizes of one of the two stacks of blocks.
  private struct Stack {
    var name: String
    var heads, layers, hidden, vocabulary: Int
  }

  let channels: Int
  let positions: Int
  private let encoder, decoder: Stack
  private let activation: HubActivation
  private let scale: Float
  private let tiesWords: Bool
  /// Whether parts of blocks normalize what they read, not their sums.
  private let normalizesFirst: Bool
  /// Whether positions are sines, not learned.
  private let hasSines: Bool

  /// The epsilon of the normalizations, which no configuration states.
  private static let epsilon: Float = 1e-5
  /// The rows of learned positions that no text has.
  private static let unusedPositions = 2
  /// The most numbers of a table of sines.
  private static let maximumSines = 1 << 24

  var vocabulary: Int { encoder.vocabulary }
  var layers: Int { decoder.layers }
  var keyChannels: Int { channels }

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    let sizes = 1...max(1, limits.channels)
    let channels = try settings.integer("d_model", in: sizes, default: 1024)
    self.channels = channels
    let type = try settings.text("model_type")
    normalizesFirst = type == "mbart"
    hasSines = type == "marian"
    let ids = 1...max(1, limits.vocabulary)
    let vocabulary = try settings.integer(
      "vocab_size", in: ids, default: hasSines ? 58_101 : 50_265)
    positions = try settings.integer(
      "max_position_embeddings", in: 1...max(1, limits.positions), default: 1024)
    activation = try settings.activation("activation_function")
    scale = try settings.flag("scale_embedding") ? Float(channels).squareRoot() : 1
    tiesWords = try settings.flag("tie_word_embeddings", default: true)
    func stack(_ side: String, _ vocabulary: Int, layers: Int) throws(HubError) -> Stack {
      let heads = try settings.integer("\(side)_attention_heads", in: 1...4096, default: 16)
      try EncoderSizes.check(
        heads: heads, divide: channels, in: settings, "\(side)_attention_heads")
      return Stack(
        name: side, heads: heads,
        layers: try settings.integer(
          "\(side)_layers", in: layers...max(1, limits.layers), default: 12),
        hidden: try settings.integer("\(side)_ffn_dim", in: sizes, default: 4096),
        vocabulary: vocabulary)
    }
    encoder = try stack("encoder", vocabulary, layers: 0)
    let written = hasSines ? try settings.integer("decoder_vocab_size", in: ids) : nil
    decoder = try stack("decoder", written ?? vocabulary, layers: 1)
    // No file bounds a table that is computed.
    guard !hasSines || positions <= Self.maximumSines / channels else {
      throw .invalid(
        settings.name("max_position_embeddings"), "\(positions)", in: settings.path,
        needs: "at most \(Self.maximumSines / channels) for \(channels) channels")
    }
    // What other architectures of the same type name have had.
    for name in ["normalize_before", "add_final_layer_norm"] where type == "bart" {
      try settings.refuse(name)
    }
  }

  // MARK: Parts

  private func norm(_ name: String) -> LayerNormalization {
    LayerNormalization(epsilon: Self.epsilon, name: name)
  }

  /// The vectors of words at their positions.
  private func embedded(_ ids: Tensor, _ stack: Stack, _ positions: (Tensor) -> Tensor) -> Tensor {
    let words =
      ids
      --> Embedding(
        vocabulary: stack.vocabulary, channels: channels, name: "\(stack.name).embed_tokens")
    let sum = positions(words --> Scale(scale))
    return hasSines ? sum : sum --> norm("\(stack.name).layernorm_embedding")
  }

  /// The sum of a tensor and a part of a block, normalized before or after.
  private func sum(_ x: Tensor, _ name: String, _ part: (Tensor) -> Tensor) -> Tensor {
    normalizesFirst ? x + part(x --> norm(name)) : x + part(x) --> norm(name)
  }

  private func product(_ x: Tensor, _ stack: Stack, _ name: String) -> Tensor {
    sum(x, "\(name).final_layer_norm") { x in
      activation.rest(
        x
          --> LastAxisDense(
            neurons: stack.hidden, activation: activation.fused, name: "\(name).fc1"))
        --> LastAxisDense(neurons: channels, name: "\(name).fc2")
    }
  }

  private func result(_ x: Tensor, _ stack: Stack) -> Tensor {
    normalizesFirst ? x --> norm("\(stack.name).layer_norm") : x
  }

  private func dense(_ x: Tensor, _ name: String) -> Tensor {
    x --> LastAxisDense(neurons: channels, name: name)
  }

  // MARK: Networks

  func features(of inputs: TextInputs) -> Tensor {
    var x = embedded(inputs.ids, encoder) {
      $0
        --> PositionalEncoding(
          .learned(maximumLength: positions), name: "encoder.embed_positions")
    }
    for layer in 0..<encoder.layers {
      let name = "encoder.layers.\(layer)"
      x = sum(x, "\(name).self_attn_layer_norm") {
        $0
          --> MultiHeadAttention(
            heads: encoder.heads, keyChannels: channels / encoder.heads,
            name: "\(name).self_attn")
      }
      x = product(x, encoder, name)
    }
    return result(x, encoder)
  }

  func keys(of features: Tensor, layer: Int) -> Tensor {
    dense(features, "decoder.layers.\(layer).encoder_attn.k_proj")
  }

  func values(of features: Tensor, layer: Int) -> Tensor {
    dense(features, "decoder.layers.\(layer).encoder_attn.v_proj")
  }

  func logits(_ inputs: StepInputs) -> Tensor {
    var x = embedded(inputs.id, decoder) {
      $0
        + (inputs.position
          --> Embedding(
            vocabulary: positions, channels: channels, name: "decoder.embed_positions"))
    }
    for layer in 0..<layers {
      let name = "decoder.layers.\(layer)"
      x = sum(x, "\(name).self_attn_layer_norm") {
        $0
          --> MultiHeadAttention(
            heads: decoder.heads, keyChannels: channels / decoder.heads, isCausal: true,
            cacheLength: inputs.maximumLength, name: "\(name).self_attn")
      }
      x = sum(x, "\(name).encoder_attn_layer_norm") {
        let queries = dense($0, "\(name).encoder_attn.q_proj")
        let read =
          [queries, inputs.sources[2 * layer], inputs.sources[2 * layer + 1]]
          --> ScaledDotProductAttention(heads: decoder.heads)
        return dense(read, "\(name).encoder_attn.out_proj")
      }
      x = product(x, decoder, name)
    }
    return result(x, decoder) --> LastAxisDense(neurons: decoder.vocabulary, name: "lm_head")
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    let written = ["decoder.embed_tokens.weight", "shared.weight"]
    switch spec.layer {
    case "encoder.embed_tokens":
      return TensorPlace(names: ["encoder.embed_tokens.weight", "shared.weight"])
    case "decoder.embed_tokens": return TensorPlace(names: written)
    case "lm_head" where spec.type == .biases:
      return TensorPlace(names: ["final_logits_bias"], rows: .row(0), isZero: true)
    case "lm_head":
      return TensorPlace(names: ["lm_head.weight"] + (tiesWords ? written : []))
    default: break
    }
    if spec.layer.hasSuffix(".embed_positions") {
      if hasSines { return TensorPlace(names: [], values: sines) }
      let first = Self.unusedPositions
      return TensorPlace(
        names: ["\(spec.layer).weight"], rows: .range(first..<first + positions))
    }
    return TensorPlace(spec, query: "q_proj", key: "k_proj", value: "v_proj", output: "out_proj")
  }

  /// The sines of each position, and after them the cosines, [positions][channels].
  @Sendable private func sines() -> [Float] {
    let count = (channels + 1) / 2
    var values: [Float] = []
    values.reserveCapacity(positions * channels)
    for position in 0..<positions {
      for channel in 0..<channels {
        let pair = channel < count ? channel : channel - count
        let angle = Double(position) / pow(10_000, Double(2 * pair) / Double(channels))
        values.append(Float(channel < count ? sin(angle) : cos(angle)))
      }
    }
    return values
  }
}
