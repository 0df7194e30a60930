#if Macros
  import ForgeMacros

  @Network enum MobileNetV1 {
    static func normalized(_ name: String) -> Block {
      BatchNormalization(name: "\(name)_bn") --> Activation(.relu6, name: "\(name)_relu")
    }

    static func separable(_ x: Tensor, channels: Int, stride: Int, number: Int) -> Tensor {
      let padded =
        stride == 1 ? x : x --> ZeroPadding(bottom: 1, right: 1, name: "conv_pad_\(number)")
      return padded
        --> DepthwiseConvolution(
          kernel: 3, stride: stride, padding: stride == 1 ? .same : .valid, useBias: false,
          name: "conv_dw_\(number)")
        --> normalized("conv_dw_\(number)")
        --> PointwiseConvolution(channels: channels, useBias: false, name: "conv_pw_\(number)")
        --> normalized("conv_pw_\(number)")
    }

    static let stages = [
      (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1), (512, 1),
      (512, 1), (512, 1), (1024, 2), (1024, 1),
    ]

    static var body: Tensor {
      var x =
        Input(width: 224, height: 224, channels: 3)
        --> Convolution(kernel: 3, channels: 32, stride: 2, useBias: false, name: "conv1")
        --> normalized("conv1")
      for (index, (channels, stride)) in stages.enumerated() {
        x = separable(x, channels: channels, stride: stride, number: index + 1)
      }
      return x
        --> GlobalAveragePooling(name: "global_average_pooling2d")
        --> Dropout(rate: 0.001, name: "dropout")
        --> PointwiseConvolution(channels: 1000, name: "conv_preds")
        --> Flatten(name: "reshape_2")
        --> Softmax(name: "predictions")
    }
  }
#endif
