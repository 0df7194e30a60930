import Forge

/// MobileNet v1 of Howard and others (2017), for channels-last pictures.
///
/// A convolution, then thirteen pairs of a depthwise and a pointwise convolution, each with ReLU6.
struct MobileNetV1 {
  /// How the layers are called and whether batch normalization is a layer of its own.
  enum Weights {
    /// Keras: `conv_dw_1`, `conv_dw_1_bn`, …; no bias but a batch normalization.
    case keras
    /// The 2017 toolkit: `conv2_1_dw`, `conv2_1_sep`, …; batch normalization folded into a bias.
    case folded
  }

  let weights: Weights
  /// The factor on the channels of every layer.
  let alpha: Double
  /// The number of classes.
  let classes: Int
  /// Width and height of the input in pixels.
  let size: Int

  /// The channels and the stride of each pair, with the 2017 toolkit's number.
  private static let pairs = [
    (64, 1, "2_1"), (128, 2, "2_2"), (128, 1, "3_1"), (256, 2, "3_2"), (256, 1, "4_1"),
    (512, 2, "4_2"), (512, 1, "5_1"), (512, 1, "5_2"), (512, 1, "5_3"), (512, 1, "5_4"),
    (512, 1, "5_5"), (1024, 2, "5_6"), (1024, 1, "6"),
  ]

  /// The network with its softmax.
  var model: Model {
    let input = Input(width: size, height: size, channels: 3)
    var x =
      input
      --> Convolution(
        kernel: (3, 3), channels: scaled(32), stride: (2, 2), useBias: usesBias, name: "conv1")
      --> normalized("conv1")
    for (index, (channels, stride, number)) in Self.pairs.enumerated() {
      let depthwise = weights == .keras ? "conv_dw_\(index + 1)" : "conv\(number)_dw"
      let pointwise = weights == .keras ? "conv_pw_\(index + 1)" : "conv\(number)_sep"
      x =
        x
        --> DepthwiseConvolution(
          kernel: (3, 3), stride: (stride, stride), useBias: usesBias, name: depthwise)
        --> normalized(depthwise)
        --> PointwiseConvolution(channels: scaled(channels), useBias: usesBias, name: pointwise)
        --> normalized(pointwise)
    }
    let output =
      x
      --> GlobalAveragePooling()
      --> PointwiseConvolution(channels: classes, name: weights == .keras ? "conv_preds" : "fc7")
      --> Softmax()
    return Model(input: input, output: output)
  }

  private var usesBias: Bool { weights == .folded }

  private func scaled(_ channels: Int) -> Int { Int(Double(channels) * alpha) }

  /// What follows each convolution.
  private func normalized(_ name: String) -> Block {
    weights == .keras
      ? BatchNormalization(name: "\(name)_bn") --> Activation(.relu6)
      : Block([Activation(.relu6)])
  }
}
