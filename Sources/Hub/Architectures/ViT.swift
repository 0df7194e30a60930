import Forge

/// ViT: patches of a picture as tokens, after a first token that stands for the picture.
///
/// Source: Dosovitskiy and others, An Image is Worth 16x16 Words, 2020.
struct ViT: ImageArchitecture {
  static let types = ["vit"]
  static let prefixes = ["vit."]

  var sizes: PatchSizes
  private let hidden, pooled: Int
  private let poolerActivation: HubActivation
  private let queryBias: Bool

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    sizes = try PatchSizes(settings, limits: limits, patch: 16, epsilon: 1e-12)
    let channels = 1...max(1, limits.channels)
    hidden = try settings.integer("intermediate_size", in: channels, default: 3072)
    pooled = try settings.integer("pooler_output_size", in: channels) ?? sizes.channels
    poolerActivation = try settings.activation("pooler_act", default: .function(.tanh))
    queryBias = try settings.flag("qkv_bias", default: true)
  }

  private func features(of pixels: Tensor) -> Tensor {
    Self.features(of: pixels, sizes) { name in
      InputNormalizedBlock(
        heads: sizes.heads, hidden: hidden, activation: sizes.activation, epsilon: sizes.epsilon,
        attention: "\(name).attention", norm1: "\(name).layernorm_before",
        norm2: "\(name).layernorm_after", expand: "\(name).intermediate.dense",
        reduce: "\(name).output.dense")
    }
  }

  /// The tokens of a picture after all blocks, which DINOv2 has, too.
  ///
  /// - Parameters:
  ///   - pixels: the picture.
  ///   - sizes: the sizes of the picture and of the blocks.
  ///   - block: returns the block of a name.
  /// - Returns: the features, [1 + patches][channels].
  static func features(
    of pixels: Tensor, _ sizes: PatchSizes, block: (_ name: String) -> InputNormalizedBlock
  ) -> Tensor {
    var x = sizes.tokens(
      of: pixels, first: "embeddings.cls_token",
      product: "embeddings.patch_embeddings.projection",
      positions: "embeddings.position_embeddings", useBias: true)
    for layer in 0..<sizes.layers { x = block("encoder.layer.\(layer)")(x) }
    return x --> LayerNormalization(epsilon: sizes.epsilon, name: "layernorm")
  }

  func outputs(
    of head: HubImageHead, on pixels: Tensor, labels: Int, has: (String) -> Bool
  ) -> KeyValuePairs<String, Tensor>? {
    let features = features(of: pixels)
    let first = features --> Slice(starts: [0], ends: [1], axes: [0])
    switch head {
    case .features:
      guard has("pooler.dense.weight") else { return ["last_hidden_state": features] }
      let pooler = poolerActivation.rest(
        first
          --> LastAxisDense(
            neurons: pooled, activation: poolerActivation.fused, name: "pooler.dense"))
      return ["last_hidden_state": features, "pooler_output": pooler]
    case .classification:
      return ["logits": first --> LastAxisDense(neurons: labels, name: "classifier")]
    case .embedding: return nil
    }
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    ViT.place(of: spec, queryBias: queryBias)?.adding([
      "encoder.layer.": "layers.", "intermediate.dense": "mlp.fc1",
      ".output.dense": ".mlp.fc2",
    ])
  }

  /// The places that DINOv2 has, too.
  static func place(of spec: ParameterSpec, queryBias: Bool) -> TensorPlace? {
    if spec.layer.hasSuffix("_token") || spec.layer.hasSuffix("position_embeddings") {
      return TensorPlace(names: [spec.layer])
    }
    let zeros: [ParameterType] = [.queryBiases, .keyBiases, .valueBiases]
    if !queryBias, zeros.contains(spec.type) { return .zeros }
    return TensorPlace(
      spec, query: "attention.query", key: "attention.key", value: "attention.value",
      output: "output.dense"
    )?.adding([
      "attention.attention.query": "attention.q_proj",
      "attention.attention.key": "attention.k_proj",
      "attention.attention.value": "attention.v_proj",
      "attention.output.dense": "attention.o_proj",
    ])
  }
}
