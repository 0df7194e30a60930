import Forge

/// ELECTRA: BERT's encoder, with embeddings that may be narrower than its blocks.
///
/// Source: Clark and others, ELECTRA, 2020.
struct ELECTRA: TextArchitecture {
  static let types = ["electra"]
  static let prefixes = ["electra."]

  private let sizes: EncoderSizes
  private let width: Int
  let tokenTypes: Int

  var channels: Int { sizes.channels }
  var vocabulary: Int { sizes.vocabulary }
  var positions: Int { sizes.positions }

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    sizes = try EncoderSizes(settings, limits: limits)
    width = try settings.integer("embedding_size", in: 1...max(1, limits.channels), default: 128)
    tokenTypes = try settings.integer("type_vocab_size", in: 1...1024, default: 2)
  }

  func features(of inputs: TextInputs) -> Tensor {
    let words =
      inputs.ids
      --> Embedding(vocabulary: vocabulary, channels: width, name: "embeddings.word_embeddings")
    let types =
      (inputs.types ?? Constant([0], shape: [1]))
      --> Embedding(
        vocabulary: tokenTypes, channels: width, name: "embeddings.token_type_embeddings")
    var x =
      words + types
      --> PositionalEncoding(
        .learned(maximumLength: positions), name: "embeddings.position_embeddings")
      --> LayerNormalization(epsilon: sizes.epsilon, name: "embeddings.LayerNorm")
    if width != channels {
      x = x --> LastAxisDense(neurons: channels, name: "embeddings_project")
    }
    let mask = inputs.visible
    for layer in 0..<sizes.layers { x = BERT.block(layer, of: sizes)(x, mask) }
    return x
  }

  func place(of spec: ParameterSpec) -> TensorPlace? { BERT.place(of: spec) }

  func output(
    of head: HubHead, on features: Tensor, _ inputs: TextInputs, labels: Int
  ) -> Tensor? {
    switch head {
    case .features: features
    case .sequenceClassification:
      RoBERTa.classification(first(features), channels, labels, activation: .gelu)
    case .tokenClassification: features --> LastAxisDense(neurons: labels, name: "classifier")
    case .nextToken: nil
    }
  }
}
