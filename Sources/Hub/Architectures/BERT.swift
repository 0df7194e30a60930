import Forge

/// BERT's encoder: words, positions and types, and blocks that normalize their sums.
///
/// Source: Devlin and others, BERT, 2018.
struct BERT: ClassifyingEncoder {
  static let types = ["bert"]
  static let prefixes = ["bert."]

  private let sizes: EncoderSizes
  let tokenTypes: Int

  var channels: Int { sizes.channels }
  var vocabulary: Int { sizes.vocabulary }
  var positions: Int { sizes.positions }

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    sizes = try EncoderSizes(settings, limits: limits)
    tokenTypes = try settings.integer("type_vocab_size", in: 1...1024, default: 2)
  }

  func features(of inputs: TextInputs) -> Tensor {
    var x = Self.embeddings(of: inputs, sizes, tokenTypes: tokenTypes, width: channels)
    let mask = inputs.visible
    for layer in 0..<sizes.layers { x = Self.block(layer, of: sizes)(x, mask) }
    return x
  }

  /// The sum of words, types and positions, normalized, [length][width], as ELECTRA and ALBERT have
  /// it, too.
  static func embeddings(
    of inputs: TextInputs, _ sizes: EncoderSizes, tokenTypes: Int, width: Int
  ) -> Tensor {
    let words =
      inputs.ids
      --> Embedding(
        vocabulary: sizes.vocabulary, channels: width, name: "embeddings.word_embeddings")
    let types =
      (inputs.types ?? Constant([0], shape: [1]))
      --> Embedding(
        vocabulary: tokenTypes, channels: width, name: "embeddings.token_type_embeddings")
    return words + types
      --> PositionalEncoding(
        .learned(maximumLength: sizes.positions), name: "embeddings.position_embeddings")
      --> LayerNormalization(epsilon: sizes.epsilon, name: "embeddings.LayerNorm")
  }

  /// A block under the names that RoBERTa and ELECTRA share.
  static func block(_ layer: Int, of sizes: EncoderSizes) -> SumNormalizedBlock {
    let name = "encoder.layer.\(layer)"
    return SumNormalizedBlock(
      heads: sizes.heads, hidden: sizes.hidden, activation: sizes.activation,
      epsilon: sizes.epsilon, mask: .visible, attention: "\(name).attention",
      norm1: "\(name).attention.output.LayerNorm", expand: "\(name).intermediate.dense",
      reduce: "\(name).output.dense", norm2: "\(name).output.LayerNorm")
  }

  /// The places of the parameters of such blocks.
  static func place(of spec: ParameterSpec) -> TensorPlace? {
    TensorPlace(
      spec, query: "self.query", key: "self.key", value: "self.value", output: "output.dense")
  }

  func place(of spec: ParameterSpec) -> TensorPlace? { Self.place(of: spec) }

  func classification(of first: Tensor, labels: Int) -> Tensor {
    first
      --> LastAxisDense(neurons: channels, activation: .tanh, name: "pooler.dense")
      --> LastAxisDense(neurons: labels, name: "classifier")
  }
}
