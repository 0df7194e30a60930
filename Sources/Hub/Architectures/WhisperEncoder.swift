import Forge

/// Whisper's encoder: two convolutions along time, and blocks that normalize what they read.
///
/// Source: Radford and others, Robust Speech Recognition via Large-Scale Weak Supervision, 2022.
struct WhisperEncoder: Sendable {
  static let types = ["whisper"]
  static let prefixes = ["encoder.", "model.encoder."]

  let channels: Int
  /// The steps of the output; the input has twice as many.
  let positions: Int
  /// The bands of a step of the input.
  let bands: Int
  private let heads, layers, hidden: Int
  private let activation: HubActivation

  /// The epsilon of the normalizations, which no configuration states.
  private static let epsilon: Float = 1e-5

  /// Reads `config.json`.
  ///
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  init(_ settings: Settings, limits: HubLimits) throws(HubError) {
    let sizes = 1...max(1, limits.channels)
    channels = try settings.integer("d_model", in: sizes, default: 384)
    positions = try settings.integer(
      "max_source_positions", in: 1...max(1, limits.positions), default: 1500)
    bands = try settings.integer("num_mel_bins", in: 1...65_536, default: 80)
    heads = try settings.integer("encoder_attention_heads", in: 1...4096, default: 6)
    layers = try settings.integer("encoder_layers", in: 0...limits.layers, default: 4)
    hidden = try settings.integer("encoder_ffn_dim", in: sizes, default: 1536)
    activation = try settings.activation("activation_function")
    try EncoderSizes.check(heads: heads, divide: channels, in: settings, "encoder_attention_heads")
    try settings.refuseQuantization()
  }

  /// The features of each step, [positions][channels].
  func features(of sound: Tensor) -> Tensor {
    func convolution(_ stride: Int, _ name: String) -> Convolution1D {
      Convolution1D(
        kernel: 3, channels: channels, stride: stride, padding: .valid, activation: .gelu,
        name: name)
    }
    let edge = Pad(before: [1, 0], after: [1, 0])
    var x =
      sound --> edge --> convolution(1, "conv1") --> edge --> convolution(2, "conv2")
      --> PositionalEncoding(.learned(maximumLength: positions), name: "embed_positions")
    for layer in 0..<layers {
      let name = "layers.\(layer)"
      let block = InputNormalizedBlock(
        heads: heads, hidden: hidden, activation: activation, epsilon: Self.epsilon,
        attention: "\(name).self_attn", norm1: "\(name).self_attn_layer_norm",
        norm2: "\(name).final_layer_norm", expand: "\(name).fc1", reduce: "\(name).fc2")
      x = block(x)
    }
    return x --> LayerNormalization(epsilon: Self.epsilon, name: "layer_norm")
  }

  /// The tensor that holds a parameter.
  func place(of spec: ParameterSpec) -> TensorPlace? {
    // Keys have no biases.
    if spec.type == .keyBiases { return .zeros }
    return TensorPlace(spec, query: "q_proj", key: "k_proj", value: "v_proj", output: "out_proj")
  }
}
