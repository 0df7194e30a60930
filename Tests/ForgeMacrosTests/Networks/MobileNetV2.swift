#if Macros
  import ForgeMacros

  @Network enum MobileNetV2 {
    /// A residual block whose inner tensors are wide.
    static func invertedResidual(_ x: Tensor, channels: Int, stride: Int, number: Int) -> Tensor {
      let name = number == 0 ? "expanded_conv" : "block_\(number)"
      let received = x.channels ?? 0
      var y = x
      if number > 0 {
        y =
          y --> PointwiseConvolution(channels: 6 * received, useBias: false, name: "\(name)_expand")
          --> normalized("\(name)_expand")
      }
      if stride == 2 {
        let odd = (x.width ?? 0) % 2
        y = y --> ZeroPadding(top: odd, left: odd, bottom: 1, right: 1, name: "\(name)_pad")
      }
      y =
        y
        --> DepthwiseConvolution(
          kernel: 3, stride: stride, padding: stride == 1 ? .same : .valid, useBias: false,
          name: "\(name)_depthwise")
        --> normalized("\(name)_depthwise")
        --> PointwiseConvolution(channels: channels, useBias: false, name: "\(name)_project")
        --> BatchNormalization(name: "\(name)_project_BN")
      return stride == 1 && received == channels ? [x, y] --> Add(name: "\(name)_add") : y
    }

    static func normalized(_ name: String) -> Block {
      BatchNormalization(name: "\(name)_BN") --> Activation(.relu6, name: "\(name)_relu")
    }

    static let body: Tensor = {
      var x =
        Input(width: 224, height: 224, channels: 3)
        --> Convolution(kernel: 3, channels: 32, stride: 2, useBias: false, name: "Conv1")
        --> BatchNormalization(name: "bn_Conv1")
        --> Activation(.relu6, name: "Conv1_relu")
      var number = 0
      for (channels, repeats, stride) in [
        (16, 1, 1), (24, 2, 2), (32, 3, 2), (64, 4, 2), (96, 3, 1), (160, 3, 2), (320, 1, 1),
      ] {
        for index in 0..<repeats {
          x = invertedResidual(
            x, channels: channels, stride: index == 0 ? stride : 1, number: number)
          number += 1
        }
      }
      return x
        --> PointwiseConvolution(channels: 1280, useBias: false, name: "Conv_1")
        --> BatchNormalization(name: "Conv_1_bn")
        --> Activation(.relu6, name: "out_relu")
        --> GlobalAveragePooling(name: "global_average_pooling2d")
        --> Dense(neurons: 1000, name: "predictions")
        --> Softmax(name: "probabilities")
    }()
  }
#endif
