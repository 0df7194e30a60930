import Forge

/// BART: an encoder, and a decoder that reads the same text after a first token, as the library
/// computes it where no other text is given.
///
/// Source: Lewis and others, BART, 2019.
struct BART: TextArchitecture {
  static let types = ["bart"]
  static let prefixes = ["model."]

  /// The sizes of one of the two stacks of blocks.
  private struct Stack {
    var heads, layers, hidden: Int
  }

  let channels: Int
  let vocabulary: Int
  let positions: Int
  private let encoder, decoder: Stack
  private let activation: HubActivation
  private let scale: Float
  /// The id in front of the decoder's text, and the id that ends texts.
  private let start, end: Int

  /// The epsilon of the normalizations, which no configuration states.
  private static let epsilon: Float = 1e-5
  /// The rows of the positions that no text has.
  private static let unusedPositions = 2

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    let sizes = 1...max(1, limits.channels)
    let channels = try settings.integer("d_model", in: sizes, default: 1024)
    self.channels = channels
    vocabulary = try settings.integer(
      "vocab_size", in: 1...max(1, limits.vocabulary), default: 50_265)
    positions = try settings.integer(
      "max_position_embeddings", in: 1...max(1, limits.positions), default: 1024)
    activation = try settings.activation("activation_function")
    scale = try settings.flag("scale_embedding") ? Float(channels).squareRoot() : 1
    let ids = 0...(vocabulary - 1)
    start = try settings.integer("decoder_start_token_id", in: ids, default: min(2, ids.upperBound))
    end = try settings.integer("eos_token_id", in: ids, default: min(2, ids.upperBound))
    func stack(_ side: String) throws(HubError) -> Stack {
      let heads = try settings.integer("\(side)_attention_heads", in: 1...4096, default: 16)
      try EncoderSizes.check(
        heads: heads, divide: channels, in: settings, "\(side)_attention_heads")
      return Stack(
        heads: heads,
        layers: try settings.integer("\(side)_layers", in: 0...limits.layers, default: 12),
        hidden: try settings.integer("\(side)_ffn_dim", in: sizes, default: 4096))
    }
    encoder = try stack("encoder")
    decoder = try stack("decoder")
    // What other architectures of the same type name have had.
    for name in ["normalize_before", "add_final_layer_norm"] { try settings.refuse(name) }
  }

  func features(of inputs: TextInputs) -> Tensor {
    var read = embedded(inputs.ids, "encoder")
    let mask = inputs.visible
    for layer in 0..<encoder.layers {
      let name = "encoder.layers.\(layer)"
      read = sum(read, attention([read], mask, encoder, "\(name).self_attn"))
      read = product(read, encoder, name)
    }
    var x = embedded(later(inputs), "decoder")
    for layer in 0..<decoder.layers {
      let name = "decoder.layers.\(layer)"
      let selfAttention = MultiHeadAttention(
        heads: decoder.heads, keyChannels: channels / decoder.heads, isCausal: true,
        name: "\(name).self_attn")
      x = sum(x, x --> selfAttention, "\(name).self_attn")
      x = sum(x, attention([x, read], mask, decoder, "\(name).encoder_attn"))
      x = product(x, decoder, name)
    }
    return x
  }

  /// The ids one place later, [length]: a first one comes in front, and the last is left out.
  private func later(_ inputs: TextInputs) -> Tensor {
    // 1 where the key stands before the query.
    let before = inputs.distances --> Compare(.equal, than: [-1])
    let ids = before * (inputs.ids --> ExpandDims(axes: [0])) --> Reduce(.sum, axes: [1])
    return ids + (inputs.positions --> Compare(.equal, than: [0])) * Float(start)
  }

  private func norm(_ name: String) -> LayerNormalization {
    LayerNormalization(epsilon: Self.epsilon, name: name)
  }

  /// Words and positions, normalized, [length][channels].
  private func embedded(_ ids: Tensor, _ side: String) -> Tensor {
    ids --> Embedding(vocabulary: vocabulary, channels: channels, name: "\(side).embed_tokens")
      --> Scale(scale)
      --> PositionalEncoding(
        .learned(maximumLength: positions), name: "\(side).embed_positions")
      --> norm("\(side).layernorm_embedding")
  }

  private func attention(
    _ sources: [Tensor], _ mask: Tensor?, _ stack: Stack, _ name: String
  ) -> (Tensor, String) {
    let attention = MultiHeadAttention(
      heads: stack.heads, keyChannels: channels / stack.heads,
      mask: mask == nil ? .none : .visible, name: name)
    let inputs = sources + [mask].compactMap(\.self)
    return (inputs.count == 1 ? inputs[0] --> attention : inputs --> attention, name)
  }

  private func sum(_ x: Tensor, _ attended: (Tensor, String)) -> Tensor {
    sum(x, attended.0, attended.1)
  }

  private func sum(_ x: Tensor, _ attended: Tensor, _ name: String) -> Tensor {
    x + attended --> norm("\(name)_layer_norm")
  }

  private func product(_ x: Tensor, _ stack: Stack, _ name: String) -> Tensor {
    let expanded = activation.rest(
      x
        --> LastAxisDense(
          neurons: stack.hidden, activation: activation.fused, name: "\(name).fc1"))
    return x + (expanded --> LastAxisDense(neurons: channels, name: "\(name).fc2"))
      --> norm("\(name).final_layer_norm")
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    if spec.layer.hasSuffix(".embed_tokens") {
      return TensorPlace(names: ["\(spec.layer).weight", "shared.weight"])
    }
    if spec.layer.hasSuffix(".embed_positions") {
      let first = Self.unusedPositions
      return TensorPlace(
        names: ["\(spec.layer).weight"], rows: .range(first..<first + positions))
    }
    return TensorPlace(spec, query: "q_proj", key: "k_proj", value: "v_proj", output: "out_proj")
  }

  func output(
    of head: HubHead, on features: Tensor, _ inputs: TextInputs, labels: Int
  ) -> Tensor? {
    switch head {
    case .features: return features
    case .sequenceClassification:
      return ending(features, inputs)
        --> LastAxisDense(
          neurons: channels, activation: .tanh, name: "classification_head.dense")
        --> LastAxisDense(neurons: labels, name: "classification_head.out_proj")
    case .tokenClassification, .nextToken, .embedding: return nil
    }
  }

  /// The features at the last token that ends a text, [1][channels]; 0 if there is none.
  private func ending(_ features: Tensor, _ inputs: TextInputs) -> Tensor {
    let ends = inputs.ids --> Compare(.equal, than: [Float(end)])
    // From the last end token on, the count is one.
    let last =
      (ends --> CumulativeSum(axis: 0, reversed: true) --> Compare(.equal, than: [1])) * ends
    return features * (last --> ExpandDims(axes: [1]))
      --> Reduce(.sum, axes: [0], keepsDimensions: true)
  }
}
