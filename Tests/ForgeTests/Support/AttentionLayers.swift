import Forge

/// The layers of Tests/Fixtures/attention.safetensors by the names of their cases.
enum AttentionLayers {
  /// All of them.
  static let all: [String: any Layer] = keras.merging(torch) { $1 }.merging(onnx) { $1 }
    .merging(numpy) { $1 }

  private static let keras: [String: any Layer] = [
    "keras attention": MultiHeadAttention(heads: 4, keyChannels: 5, name: "layer"),
    "keras attention of blocks": MultiHeadAttention(heads: 3, keyChannels: 16, name: "layer"),
    "keras attention causal": MultiHeadAttention(
      heads: 2, keyChannels: 7, outputs: 13, isCausal: true, name: "layer"),
    "keras attention of two": MultiHeadAttention(
      heads: 3, keyChannels: 16, useBias: false, name: "layer"),
    "keras attention of three": MultiHeadAttention(heads: 2, keyChannels: 19, name: "layer"),
    "keras attention masked": MultiHeadAttention(
      heads: 2, keyChannels: 6, mask: .visible, name: "layer"),
    "keras grouped attention": MultiHeadAttention(
      heads: 4, keyChannels: 6, keyValueHeads: 2, isCausal: true, name: "layer"),
    "keras rms": RMSNormalization(epsilon: 1e-5, name: "layer"),
    "keras rms of an image": RMSNormalization(name: "layer"),
    "keras embedding": Embedding(vocabulary: 23, channels: 19, name: "layer"),
    "keras embedding of rows": Embedding(vocabulary: 11, channels: 32, name: "layer"),
    "keras time distributed dense": TimeDistributed(
      Dense(neurons: 9, activation: .relu), name: "layer"),
    "keras time distributed convolution": TimeDistributed(
      Convolution(kernel: (3, 3), channels: 8, stride: (2, 2)), name: "layer"),
    "keras time distributed pooling": TimeDistributed(GlobalAveragePooling(), name: "layer"),
  ]

  private static let torch: [String: any Layer] = [
    "torch attention": MultiHeadAttention(
      heads: 4, keyChannels: 9, form: .joined, name: "layer"),
    "torch sdpa": ScaledDotProductAttention(),
    "torch sdpa of one query": ScaledDotProductAttention(heads: 3),
    "torch sdpa long": ScaledDotProductAttention(heads: 2),
    "torch sdpa causal": ScaledDotProductAttention(heads: 2, keyValueHeads: 1, isCausal: true),
    "torch sdpa masked": ScaledDotProductAttention(heads: 4, keyValueHeads: 2, mask: .added),
    "torch sdpa masked alike": ScaledDotProductAttention(heads: 3, mask: .added),
    "torch sdpa masked keys": ScaledDotProductAttention(heads: 2, mask: .added),
    "torch sdpa large": ScaledDotProductAttention(heads: 2),
    "torch rms": RMSNormalization(name: "layer"),
    "torch rms tiny": RMSNormalization(epsilon: 1e-30, name: "layer"),
  ]

  private static let onnx: [String: any Layer] = [
    "onnx attention capped": ScaledDotProductAttention(heads: 3, scale: 1.3, cap: 0.75),
    "onnx attention grouped": ScaledDotProductAttention(
      heads: 4, keyValueHeads: 2, isCausal: true),
    "onnx rotary halves": PositionalEncoding(.rotary(.halves(), heads: 4)),
    "onnx rotary neighbors": PositionalEncoding(.rotary(.neighbors(), heads: 3)),
    "onnx rotary of a part": PositionalEncoding(.rotary(.halves(channels: 8), heads: 2)),
  ]

  private static let numpy: [String: any Layer] = [
    "numpy sines": PositionalEncoding(),
    "numpy sines of odd channels": PositionalEncoding(),
    "numpy sines of one channel": PositionalEncoding(),
    "numpy sines of many positions": PositionalEncoding(),
    "numpy sines of rows": PositionalEncoding(),
    "numpy sines of another base": PositionalEncoding(.sinusoidal(base: 77)),
  ]
}
