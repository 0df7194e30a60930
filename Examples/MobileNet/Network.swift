import Forge

/// MobileNet v1 of Howard and others (2017), as Keras builds it for channels-last images.
enum MobileNetV1 {
  /// The network for square pictures of `size` pixels; `alpha` scales the channels of every layer.
  static func model(alpha: Double = 1, size: Int = 224, classes: Int = 1000) -> Model {
    func channels(_ count: Int) -> Int { Int(Double(count) * alpha) }

    /// Zeros at the bottom and right and padding `.valid` are Keras's way to write stride 2.
    func separable(_ x: Tensor, _ count: Int, stride: Int = 1, block: Int) -> Tensor {
      let padded =
        stride == 1 ? x : x --> ZeroPadding(bottom: 1, right: 1, name: "conv_pad_\(block)")
      return padded
        --> DepthwiseConvolution(
          kernel: (3, 3), stride: (stride, stride), padding: stride == 1 ? .same : .valid,
          useBias: false, name: "conv_dw_\(block)")
        --> BatchNormalization(name: "conv_dw_\(block)_bn")
        --> Activation(.relu6)
        --> PointwiseConvolution(
          channels: channels(count), useBias: false, name: "conv_pw_\(block)")
        --> BatchNormalization(name: "conv_pw_\(block)_bn")
        --> Activation(.relu6)
    }

    let input = Input(width: size, height: size, channels: 3)
    var x =
      input
      --> Convolution(
        kernel: (3, 3), channels: channels(32), stride: (2, 2), useBias: false, name: "conv1")
      --> BatchNormalization(name: "conv1_bn")
      --> Activation(.relu6)
    let blocks = [
      (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1), (512, 1),
      (512, 1), (512, 1), (1024, 2), (1024, 1),
    ]
    for (index, (count, stride)) in blocks.enumerated() {
      x = separable(x, count, stride: stride, block: index + 1)
    }
    let output =
      x
      --> GlobalAveragePooling()
      --> Dropout(rate: 0.001)
      --> PointwiseConvolution(channels: classes, name: "conv_preds")
      --> Softmax()
    return Model(input: input, output: output)
  }
}
