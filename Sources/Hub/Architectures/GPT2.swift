import Forge
import ForgeSystem

/// GPT-2: learned positions, normalized inputs, and tokens that see only those before them.
///
/// Source: Radford and others, Language Models are Unsupervised Multitask Learners, 2019.
struct GPT2: TextArchitecture {
  static let types = ["gpt2"]
  static let prefixes = ["transformer."]

  let channels: Int
  let vocabulary: Int
  let positions: Int
  var isCausal: Bool { true }
  private let heads, layers, hidden: Int
  private let activation: HubActivation
  private let epsilon: Float
  private let scalesHeads, scalesLayers, tiesWords: Bool

  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    let sizes = 1...max(1, limits.channels)
    channels = try settings.integer("n_embd", "hidden_size", in: sizes, default: 768)
    heads = try settings.integer("n_head", "num_attention_heads", in: 1...4096, default: 12)
    layers = try settings.integer(
      "n_layer", "num_hidden_layers", in: 0...limits.layers, default: 12)
    hidden = try settings.integer("n_inner", in: sizes) ?? 4 * channels
    vocabulary = try settings.integer(
      "vocab_size", in: 1...max(1, limits.vocabulary), default: 50_257)
    positions = try settings.integer(
      "n_positions", "max_position_embeddings", in: 1...max(1, limits.positions), default: 1024)
    activation = try settings.activation("activation_function", default: .function(.geluTanh))
    epsilon = try settings.epsilon("layer_norm_epsilon", default: 1e-5)
    scalesHeads = try settings.flag("scale_attn_weights", default: true)
    scalesLayers = try settings.flag("scale_attn_by_inverse_layer_idx")
    tiesWords = try settings.flag("tie_word_embeddings", default: true)
    try settings.refuse("add_cross_attention")
    try EncoderSizes.check(heads: heads, divide: channels, in: settings, "n_head")
  }

  func features(of inputs: TextInputs) -> Tensor {
    func norm(_ name: String) -> LayerNormalization {
      LayerNormalization(epsilon: epsilon, name: name)
    }
    var x =
      inputs.ids --> Embedding(vocabulary: vocabulary, channels: channels, name: "wte")
      --> PositionalEncoding(
        .learned(maximumLength: positions), streamLength: inputs.cacheLength, name: "wpe")
    let mask = inputs.visible
    for layer in 0..<layers {
      let name = "h.\(layer)"
      let width = channels / heads
      let scale = (scalesHeads ? 1 / Float(width).squareRoot() : 1)
      let attention = MultiHeadAttention(
        heads: heads, keyChannels: width, scale: scale / (scalesLayers ? Float(layer + 1) : 1),
        isCausal: true, mask: mask == nil ? .none : .visible, cacheLength: inputs.cacheLength,
        form: .joined, name: "\(name).attn")
      let normed = x --> norm("\(name).ln_1")
      x = x + (mask.map { [normed, $0] --> attention } ?? (normed --> attention))
      let expanded = activation.rest(
        x --> norm("\(name).ln_2")
          --> LastAxisDense(
            neurons: hidden, activation: activation.fused, name: "\(name).mlp.c_fc"))
      x = x + (expanded --> LastAxisDense(neurons: channels, name: "\(name).mlp.c_proj"))
    }
    return x --> norm("ln_f")
  }

  func place(of spec: ParameterSpec) -> TensorPlace? {
    if spec.layer == "lm_head" {
      return TensorPlace(names: tiesWords ? ["lm_head.weight", "wte.weight"] : ["lm_head.weight"])
    }
    guard spec.layer.hasPrefix("h."), !spec.layer.contains(".ln_") else { return TensorPlace(spec) }
    var layer = spec.layer
    if layer.hasSuffix(".attn") {
      let isOutput = spec.type == .outputWeights || spec.type == .outputBiases
      layer += isOutput ? ".c_proj" : ".c_attn"
    }
    let isWeight = spec.type == .outputWeights || spec.type == .weights
    // GPT-2 stores its matrices [inputs][outputs].
    return TensorPlace(
      names: ["\(layer).\(isWeight ? "weight" : "bias")"], layout: isWeight ? .keras : .pytorch)
  }

  func output(
    of head: HubHead, on features: Tensor, _ inputs: TextInputs, labels: Int
  ) -> Tensor? {
    switch head {
    case .features: features
    case .sequenceClassification:
      inputs.last(of: features) --> LastAxisDense(neurons: labels, useBias: false, name: "score")
    case .tokenClassification: features --> LastAxisDense(neurons: labels, name: "classifier")
    case .nextToken:
      features --> LastAxisDense(neurons: vocabulary, useBias: false, name: "lm_head")
    case .embedding: nil
    }
  }
}
