import Forge

extension Model {
  /// MobileNet v2 (Sandler and others 2018, arXiv:1801.04381), `keras.applications.MobileNetV2`.
  ///
  /// It has seventeen inverted residual blocks: wide inside, narrow and linear at their ends. It
  /// has 3,538,984 parameters with an alpha of 1 and 1,000 classes, and makes 301 million
  /// multiply-adds for 224×224 pixels.
  ///
  /// - Input: `size`×`size` RGB pixels, scaled from 0…255 to −1…1: x / 127.5 − 1.
  /// - Output: 1×1×`classes` probabilities. Layers are named as in Keras. In Keras, `predictions`
  ///   includes the softmax; here it returns the logits, followed by `probabilities`.
  ///
  /// - Parameters:
  ///   - alpha: the factor on the channels, which are rounded to multiples of 8; 0.35, 0.5, 0.75,
  ///     1, 1.3 and 1.4 have published weights.
  ///   - size: width and height of the input in pixels: 96 to 224 in the paper.
  ///   - classes: the number of classes.
  ///   - head: the final layers.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  /// - Returns: the network without parameters.
  public static func mobileNetV2(
    alpha: Double = 1, size: Int = 224, classes: Int = 1000, head: Head = .probabilities,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) -> Model {
    let caller = SourcePlace(fileID: fileID, line: line, column: column)
    return SourcePlace.describing(for: caller) {
      let channels = { WidthMultiplier.multipleOf8($0, by: alpha) }
      let input = Input(width: size, height: size, channels: 3)
      var x =
        input
        --> Convolution(
          kernel: (3, 3), channels: channels(32), stride: (2, 2), useBias: false, name: "Conv1")
        --> BatchNormalization(name: "bn_Conv1")
        --> Activation(.relu6, name: "Conv1_relu")

      var number = 0
      for (count, repeats, stride) in [
        (16, 1, 1), (24, 2, 2), (32, 3, 2), (64, 4, 2), (96, 3, 1), (160, 3, 2), (320, 1, 1),
      ] {
        for index in 0..<repeats {
          x = invertedResidual(
            x, channels: channels(count), stride: index == 0 ? stride : 1, number: number)
          number += 1
        }
      }

      // The last convolution is never narrowed.
      let features =
        x
        --> PointwiseConvolution(
          channels: alpha > 1 ? channels(1280) : 1280, useBias: false, name: "Conv_1")
        --> BatchNormalization(name: "Conv_1_bn")
        --> Activation(.relu6, name: "out_relu")
      let classifier =
        GlobalAveragePooling(name: "global_average_pooling2d")
        --> Dense(neurons: classes, name: "predictions")
      return Model(
        input: input, output: features --> head.layers(classifier),
        metadata: ModelMetadata(name: "MobileNet v2"))
    }
  }
}

/// An inverted residual block: expansion by six, depthwise convolution, projection.
///
/// The block's input is added if it has the shape of the result. The first block does not expand.
private func invertedResidual(_ x: Tensor, channels: Int, stride: Int, number: Int) -> Tensor {
  let name = number == 0 ? "expanded_conv" : "block_\(number)"
  let received = x.channels ?? 0
  var y = x
  if number > 0 {
    y =
      y --> PointwiseConvolution(channels: 6 * received, useBias: false, name: "\(name)_expand")
      --> normalized("\(name)_expand")
  }
  if stride == 2 {
    // The padding of `.same`, as a separate layer.
    let odd = (x.width ?? 0) % 2
    y = y --> ZeroPadding(top: odd, left: odd, bottom: 1, right: 1, name: "\(name)_pad")
  }
  y =
    y
    --> DepthwiseConvolution(
      kernel: (3, 3), stride: (stride, stride), padding: stride == 1 ? .same : .valid,
      useBias: false, name: "\(name)_depthwise")
    --> normalized("\(name)_depthwise")
    --> PointwiseConvolution(channels: channels, useBias: false, name: "\(name)_project")
    --> BatchNormalization(name: "\(name)_project_BN")
  return stride == 1 && received == channels ? [x, y] --> Add(name: "\(name)_add") : y
}

/// The layers after each convolution with an activation.
private func normalized(_ name: String) -> Block {
  BatchNormalization(name: "\(name)_BN") --> Activation(.relu6, name: "\(name)_relu")
}
