import Forge

/// DINOv2: ViT's encoder, with a factor for each channel after each part of a block.
///
/// Source: Oquab and others, DINOv2, 2023.
struct DINOv2: ImageArchitecture {
  static let types = ["dinov2"]
  static let prefixes = ["dinov2."]
  static let interpolates = true

  var sizes: PatchSizes
  private let hidden: Int
  private let isGated, queryBias: Bool

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    sizes = try PatchSizes(settings, limits: limits, patch: 14, epsilon: 1e-6)
    let ratio = try settings.number("mlp_ratio") ?? 4
    let product = Double(sizes.channels) * ratio
    guard product >= 1, product <= Double(limits.channels) else {
      throw .invalid(
        settings.name("mlp_ratio"), "\(ratio)", in: settings.path,
        needs: "1 to \(limits.channels) hidden channels")
    }
    isGated = try settings.flag("use_swiglu_ffn")
    // Two thirds, rounded up to a multiple of 8.
    hidden = isGated ? (Int(product) * 2 / 3 + 7) / 8 * 8 : Int(product)
    queryBias = try settings.flag("qkv_bias", default: true)
  }

  private func features(of pixels: Tensor) -> Tensor {
    ViT.features(of: pixels, sizes) { name in
      InputNormalizedBlock(
        heads: sizes.heads, hidden: hidden,
        activation: isGated ? .function(.swish) : sizes.activation, epsilon: sizes.epsilon,
        isGated: isGated, isScaled: true, attention: "\(name).attention", norm1: "\(name).norm1",
        norm2: "\(name).norm2", expand: "\(name).mlp.\(isGated ? "up_proj" : "fc1")",
        reduce: "\(name).mlp.\(isGated ? "down_proj" : "fc2")", gate: "\(name).mlp.gate_proj",
        scale1: "\(name).layer_scale1", scale2: "\(name).layer_scale2")
    }
  }

  func outputs(
    of head: HubImageHead, on pixels: Tensor, labels: Int, has: (String) -> Bool
  ) -> KeyValuePairs<String, Tensor>? {
    let features = features(of: pixels)
    let first = features --> Slice(starts: [0], ends: [1], axes: [0])
    switch head {
    case .features: return ["last_hidden_state": features, "pooler_output": first]
    case .classification:
      let patches = features --> Slice(starts: [1], ends: [.max], axes: [0])
      let mean = patches --> Reduce(.mean, axes: [0], keepsDimensions: true)
      return [
        "logits": [first, mean] --> Concatenate(axis: -1)
          --> LastAxisDense(neurons: labels, name: "classifier")
      ]
    case .embedding: return nil
    }
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    if spec.layer.contains(".layer_scale") {
      return TensorPlace(names: ["\(spec.layer).lambda1"])
    }
    guard var place = ViT.place(of: spec, queryBias: queryBias) else { return nil }
    // Files of the network's authors have one matrix for both products that are multiplied.
    if let part = ["gate_proj", "up_proj"].firstIndex(where: { spec.layer.hasSuffix($0) }),
      let end = place.names.first?.split(separator: ".").last
    {
      let layer = spec.layer.split(separator: ".").dropLast().joined(separator: ".")
      place.parts = TensorPlace.Parts(name: "\(layer).weights_in.\(end)", index: part, count: 2)
    }
    return place.adding(["mlp.down_proj": "mlp.weights_out"])
  }
}
