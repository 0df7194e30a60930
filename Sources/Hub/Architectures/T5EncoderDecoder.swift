import Forge

/// T5, mT5 and UMT5 with the decoder: its tokens see those before them with a bias for each
/// distance, and the prompt without one.
///
/// Source: Raffel and others, Exploring the Limits of Transfer Learning, 2019; Chung and others,
/// UniMax, 2023.
struct T5EncoderDecoder: EncoderDecoder {
  static let types = T5.types
  static let prefixes = T5.prefixes

  let layers: Int
  private let encoder: T5
  private let buckets: DistanceBuckets
  /// What features are multiplied by before the last product.
  private let scale: Float

  var channels: Int { encoder.channels }
  var vocabulary: Int { encoder.vocabulary }
  var positions: Int { encoder.positions }
  var keyChannels: Int { encoder.heads * encoder.width }

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    encoder = try T5(settings, limits: limits)
    layers = try settings.integer(
      "num_decoder_layers", "num_layers", in: 1...max(1, limits.layers), default: 6)
    buckets = DistanceBuckets(
      count: encoder.buckets.count, most: encoder.buckets.most, looksAhead: false)
    guard buckets.most > buckets.count / 2 else {
      throw .invalid(
        settings.name("relative_attention_max_distance"), "\(buckets.most)", in: settings.path,
        needs: "more than half of relative_attention_num_buckets")
    }
    // Files of networks that do not scale state that the last product is not that of the words.
    let ties = try settings.flag("tie_word_embeddings", default: true)
    let scales = try settings.flag("scale_decoder_outputs", default: ties)
    let isScaled = try settings.text("model_type") != "mt5" && scales
    scale = isScaled ? 1 / Float(encoder.channels).squareRoot() : 1
  }

  func features(of inputs: TextInputs) -> Tensor { encoder.features(of: inputs) }

  private func source(_ features: Tensor, _ layer: Int, _ part: String) -> Tensor {
    features
      --> LastAxisDense(
        neurons: keyChannels, useBias: false,
        name: "decoder.block.\(layer).layer.1.EncDecAttention.\(part)")
  }

  func keys(of features: Tensor, layer: Int) -> Tensor { source(features, layer, "k") }
  func values(of features: Tensor, layer: Int) -> Tensor { source(features, layer, "v") }

  func logits(_ inputs: StepInputs) -> Tensor {
    var x =
      inputs.id
      --> Embedding(
        vocabulary: vocabulary, channels: channels, name: "decoder.embed_tokens")
    var bias = Tensor?.none
    for layer in 0..<layers {
      let name = "decoder.block.\(layer).layer"
      let distances =
        if let bias, !encoder.hasOwnBiases { bias } else {
          inputs.distanceBias(heads: encoder.heads, name: "\(name).0.\(T5.distances)")
        }
      bias = distances
      let attention = MultiHeadAttention(
        heads: encoder.heads, keyChannels: encoder.width, scale: 1, isCausal: true, mask: .added,
        cacheLength: inputs.maximumLength, useBias: false, name: "\(name).0.SelfAttention")
      x = x + ([x --> encoder.norm("\(name).0.layer_norm"), distances] --> attention)
      let queries =
        x --> encoder.norm("\(name).1.layer_norm")
        --> LastAxisDense(
          neurons: keyChannels, useBias: false, name: "\(name).1.EncDecAttention.q")
      x =
        x
        + ([queries, inputs.sources[2 * layer], inputs.sources[2 * layer + 1]]
          --> ScaledDotProductAttention(heads: encoder.heads, scale: 1)
          --> LastAxisDense(
            neurons: channels, useBias: false, name: "\(name).1.EncDecAttention.o"))
      x =
        x
        + encoder.product(
          x --> encoder.norm("\(name).2.layer_norm"), "\(name).2.DenseReluDense")
    }
    return (x --> encoder.norm("decoder.final_layer_norm")) * scale
      --> LastAxisDense(neurons: vocabulary, useBias: false, name: "lm_head")
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    // As in the library, a matrix of its own comes first, whatever the configuration says.
    let words = ["decoder.embed_tokens.weight", "shared.weight", "encoder.embed_tokens.weight"]
    switch spec.layer {
    case "decoder.embed_tokens": return TensorPlace(names: words)
    case "lm_head": return TensorPlace(names: ["lm_head.weight"] + words)
    default: break
    }
    let isDecoder = spec.layer.hasPrefix("decoder.")
    if isDecoder, spec.layer.hasSuffix(T5.distances) { return buckets.place(of: spec) }
    return encoder.place(of: spec)
  }
}
