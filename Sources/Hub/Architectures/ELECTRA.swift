import Forge

/// ELECTRA: BERT's encoder, with embeddings that may be narrower than its blocks.
///
/// Source: Clark and others, ELECTRA, 2020.
struct ELECTRA: ClassifyingEncoder {
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
    var x = BERT.embeddings(of: inputs, sizes, tokenTypes: tokenTypes, width: width)
    if width != channels {
      x = x --> LastAxisDense(neurons: channels, name: "embeddings_project")
    }
    let mask = inputs.visible
    for layer in 0..<sizes.layers { x = BERT.block(layer, of: sizes)(x, mask) }
    return x
  }

  func place(of spec: ParameterSpec) -> TensorPlace? { BERT.place(of: spec) }

  func classification(of first: Tensor, labels: Int) -> Tensor {
    RoBERTa.classification(first, channels, labels, activation: .gelu)
  }
}
