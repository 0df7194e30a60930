import Forge

/// CLIP's encoder of pictures.
///
/// Source: Radford and others, Learning Transferable Visual Models, 2021.
struct CLIPVision: ImageArchitecture {
  static let types = ["clip", "clip_vision_model"]
  static let prefixes = ["vision_model.", "clip.vision_model."]

  var sizes: PatchSizes
  private let hidden, numbers: Int

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    let own = try CLIPText.part("vision_config", of: settings)
    sizes = try PatchSizes(
      own, limits: limits, patch: 32, epsilon: 1e-5, activation: .quickGELU)
    let channels = 1...max(1, limits.channels)
    hidden = try own.integer("intermediate_size", in: channels, default: 3072)
    numbers = try CLIPText.numbers(settings, own, limits)
  }

  func outputs(
    of head: HubImageHead, on pixels: Tensor, labels: Int, has: (String) -> Bool
  ) -> KeyValuePairs<String, Tensor>? {
    func norm(_ name: String) -> LayerNormalization {
      LayerNormalization(epsilon: sizes.epsilon, name: name)
    }
    var x =
      sizes.tokens(
        of: pixels, first: "embeddings.class_embedding", product: "embeddings.patch_embedding",
        positions: "embeddings.position_embedding", useBias: false)
      --> norm("pre_layrnorm")
    for layer in 0..<sizes.layers {
      let block = CLIPText.block(
        layer, heads: sizes.heads, hidden: hidden, sizes.activation, sizes.epsilon,
        isCausal: false)
      x = block(x)
    }
    let pooled = x --> Slice(starts: [0], ends: [1], axes: [0]) --> norm("post_layernorm")
    switch head {
    case .features: return ["last_hidden_state": x, "pooler_output": pooled]
    case .embedding:
      return [
        "image_embeds": pooled
          --> LastAxisDense(neurons: numbers, useBias: false, name: "visual_projection")
      ]
    case .classification: return nil
    }
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    if spec.layer == "embeddings.class_embedding" { return TensorPlace(names: [spec.layer]) }
    return CLIPText.place(spec)
  }
}
