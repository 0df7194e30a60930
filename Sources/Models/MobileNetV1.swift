import Forge

extension Model {
  /// MobileNet v1 (Howard and others 2017, arXiv:1704.04861), `keras.applications.MobileNet`.
  ///
  /// It consists of a convolution and thirteen pairs of depthwise and pointwise convolutions, each
  /// with batch normalization and ReLU6. It has 4,253,864 parameters with an alpha of 1 and 1,000
  /// classes, 475,544 with 0.25, and makes 569 million multiply-adds for 224×224 pixels.
  ///
  /// - Input: `size`×`size` RGB pixels, scaled from 0…255 to −1…1: x / 127.5 − 1.
  /// - Output: 1×1×`classes` probabilities. Layers are named as in Keras.
  ///
  /// - Parameters:
  ///   - alpha: the factor on the channels of every layer: 0.25, 0.5, 0.75 and 1 in the paper.
  ///   - size: width and height of the input in pixels: 128, 160, 192 and 224 in the paper.
  ///   - classes: the number of classes; 1,001 for weights of TensorFlow, whose first class is
  ///     background.
  ///   - head: the final layers.
  ///   - isFolded: whether the convolutions have biases instead of normalizations, for weights with
  ///     folded normalizations: 4,221,032 parameters with an alpha of 1 and 1,000 classes.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  /// - Returns: the network without parameters.
  public static func mobileNetV1(
    alpha: Double = 1, size: Int = 224, classes: Int = 1000, head: Head = .probabilities,
    isFolded: Bool = false,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) -> Model {
    let caller = SourcePlace(fileID: fileID, line: line, column: column)
    return SourcePlace.describing(for: caller) {
      let channels = { WidthMultiplier.scaled($0, by: alpha) }
      let input = Input(width: size, height: size, channels: 3)
      var x =
        input
        --> Convolution(
          kernel: (3, 3), channels: channels(32), stride: (2, 2), useBias: isFolded, name: "conv1")
        --> activated("conv1", isFolded)
      let pairs = [
        (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1), (512, 1),
        (512, 1), (512, 1), (1024, 2), (1024, 1),
      ]
      for (index, (count, stride)) in pairs.enumerated() {
        x = separable(
          x, channels: channels(count), stride: stride, number: index + 1, isFolded: isFolded)
      }
      let classifier =
        GlobalAveragePooling(name: "global_average_pooling2d")
        --> Dropout(rate: 0.001, name: "dropout")
        --> PointwiseConvolution(channels: classes, name: "conv_preds")
        --> Flatten(name: "reshape_2")
      return Model(
        input: input, output: x --> head.layers(classifier, softmax: "predictions"),
        metadata: ModelMetadata(name: "MobileNet v1"))
    }
  }
}

/// A depthwise and a pointwise convolution; with stride 2, padding goes to the bottom and right.
private func separable(
  _ x: Tensor, channels: Int, stride: Int, number: Int, isFolded: Bool
) -> Tensor {
  let padded = stride == 1 ? x : x --> ZeroPadding(bottom: 1, right: 1, name: "conv_pad_\(number)")
  return padded
    --> DepthwiseConvolution(
      kernel: (3, 3), stride: (stride, stride), padding: stride == 1 ? .same : .valid,
      useBias: isFolded, name: "conv_dw_\(number)")
    --> activated("conv_dw_\(number)", isFolded)
    --> PointwiseConvolution(channels: channels, useBias: isFolded, name: "conv_pw_\(number)")
    --> activated("conv_pw_\(number)", isFolded)
}

/// The layers after each convolution.
private func activated(_ name: String, _ isFolded: Bool) -> Block {
  let activation = Activation(.relu6, name: "\(name)_relu")
  return isFolded ? Block([activation]) : BatchNormalization(name: "\(name)_bn") --> activation
}
