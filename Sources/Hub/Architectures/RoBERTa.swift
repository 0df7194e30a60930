import Forge

/// RoBERTa, XLM-RoBERTa and CamemBERT: BERT's encoder, whose positions count from after the id of
/// padding and leave padding out.
///
/// Source: Liu and others, RoBERTa, 2019.
struct RoBERTa: ClassifyingEncoder {
  static let types = ["roberta", "xlm-roberta", "camembert"]
  static let prefixes = ["roberta."]

  private let sizes: EncoderSizes
  private let padding: Int
  let tokenTypes: Int

  var channels: Int { sizes.channels }
  var vocabulary: Int { sizes.vocabulary }
  var positions: Int { sizes.positions - padding - 1 }

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    sizes = try EncoderSizes(settings, limits: limits, vocabulary: 50_265)
    tokenTypes = try settings.integer("type_vocab_size", in: 1...1024, default: 2)
    padding = try settings.integer("pad_token_id", in: 0...sizes.vocabulary, default: 1)
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
    let places =
      inputs.positions(behind: padding)
      --> Embedding(
        vocabulary: sizes.positions, channels: channels, name: "embeddings.position_embeddings")
    var x =
      words + types + places
      --> LayerNormalization(epsilon: sizes.epsilon, name: "embeddings.LayerNorm")
    let mask = inputs.visible
    for layer in 0..<sizes.layers { x = BERT.block(layer, of: sizes)(x, mask) }
    return x
  }

  func place(of spec: ParameterSpec) -> TensorPlace? { BERT.place(of: spec) }

  func classification(of first: Tensor, labels: Int) -> Tensor {
    Self.classification(first, channels, labels, activation: .tanh)
  }

  /// Two products on the first token, as MPNet and ELECTRA have them, too.
  static func classification(
    _ first: Tensor, _ channels: Int, _ labels: Int, activation: ActivationFunction
  ) -> Tensor {
    first
      --> LastAxisDense(neurons: channels, activation: activation, name: "classifier.dense")
      --> LastAxisDense(neurons: labels, name: "classifier.out_proj")
  }
}

extension TextInputs {
  /// The numbers of tokens that are not padding, from `padding + 1` on; `padding` for padding.
  func positions(behind padding: Int) -> Tensor {
    let tokens = ids --> Compare(.notEqual, than: [Float(padding)])
    return (tokens --> CumulativeSum(axis: 0)) * tokens + Float(padding)
  }
}
