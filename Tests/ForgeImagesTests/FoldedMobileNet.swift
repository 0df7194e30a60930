import Forge

extension Model {
  /// MobileNet v1 with batch normalization folded into biases, in the 2017 toolkit's names.
  static func foldedMobileNet(alpha: Double) -> Model {
    let channels = { (count: Int) in Int(Double(count) * alpha) }
    let pairs = [
      (64, 1, "2_1"), (128, 2, "2_2"), (128, 1, "3_1"), (256, 2, "3_2"), (256, 1, "4_1"),
      (512, 2, "4_2"), (512, 1, "5_1"), (512, 1, "5_2"), (512, 1, "5_3"), (512, 1, "5_4"),
      (512, 1, "5_5"), (1024, 2, "5_6"), (1024, 1, "6"),
    ]
    let input = Input(width: 224, height: 224, channels: 3)
    var x =
      input
      --> Convolution(
        kernel: (3, 3), channels: channels(32), stride: (2, 2), activation: .relu6, name: "conv1")
    for (count, stride, number) in pairs {
      x =
        x
        --> DepthwiseConvolution(
          kernel: (3, 3), stride: (stride, stride), activation: .relu6, name: "conv\(number)_dw")
        --> PointwiseConvolution(
          channels: channels(count), activation: .relu6, name: "conv\(number)_sep")
    }
    let output =
      x --> GlobalAveragePooling() --> PointwiseConvolution(channels: 1000, name: "fc7")
      --> Softmax()
    return Model(input: input, output: output)
  }
}
