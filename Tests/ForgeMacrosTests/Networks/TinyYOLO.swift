#if Macros
  import ForgeMacros

  @Network enum TinyYOLO {
    static let anchors = 5
    static let classes = 20

    static func convolution(_ channels: Int, number: Int) -> Block {
      Convolution(kernel: 3, channels: channels, useBias: false, name: "conv\(number)")
        --> BatchNormalization(name: "conv\(number)_bn")
        --> Activation(.leakyReLU(slope: 0.1), name: "conv\(number)_leaky")
    }

    static let body: Tensor = {
      var x = Input(width: 416, height: 416, channels: 3)
      for (index, channels) in [16, 32, 64, 128, 256, 512].enumerated() {
        x =
          x --> convolution(channels, number: index + 1)
          --> MaxPooling(
            kernel: 2, stride: index < 5 ? 2 : 1, padding: .same, name: "pool\(index + 1)")
      }
      return x --> convolution(1024, number: 7) --> convolution(1024, number: 8)
        --> PointwiseConvolution(channels: anchors * (5 + classes), name: "conv9")
    }()
  }
#endif
