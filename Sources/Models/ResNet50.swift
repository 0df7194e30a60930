import Forge

extension Model {
  /// ResNet-50 (He and others 2015, arXiv:1512.03385), `keras.applications.ResNet50`.
  ///
  /// It consists of sixteen residual blocks of three convolutions. In blocks that shrink the map,
  /// the first convolution has stride 2. It has 25,636,712 parameters with 1,000 classes and makes
  /// 3.9 billion multiply-adds for 224×224 pixels.
  ///
  /// - Input: `size`×`size` BGR pixels from 0 to 255, minus the means 103.939, 116.779 and 123.68.
  /// - Output: 1×1×`classes` probabilities. Layers are named as in Keras. In Keras, `predictions`
  ///   includes the softmax; here it returns the logits, followed by `probabilities`.
  ///
  /// - Parameters:
  ///   - size: width and height of the input in pixels.
  ///   - classes: the number of classes.
  ///   - head: the final layers.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  /// - Returns: the network without parameters.
  public static func resNet50(
    size: Int = 224, classes: Int = 1000, head: Head = .probabilities,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) -> Model {
    let caller = SourcePlace(fileID: fileID, line: line, column: column)
    return SourcePlace.describing(for: caller) {
      let input = Input(width: size, height: size, channels: 3)
      var x =
        input
        --> ZeroPadding(3, name: "conv1_pad")
        --> Convolution(
          kernel: (7, 7), channels: 64, stride: (2, 2), padding: .valid, name: "conv1_conv")
        --> activated("conv1")
        --> ZeroPadding(1, name: "pool1_pad")
        --> MaxPooling(kernel: (3, 3), stride: (2, 2), name: "pool1_pool")

      for (stage, channels, blocks) in [(2, 64, 3), (3, 128, 4), (4, 256, 6), (5, 512, 3)] {
        for block in 1...blocks {
          x = residual(
            x, channels: channels, stride: stage > 2 && block == 1 ? 2 : 1, projected: block == 1,
            name: "conv\(stage)_block\(block)")
        }
      }
      let classifier =
        GlobalAveragePooling(name: "avg_pool") --> Dense(neurons: classes, name: "predictions")
      return Model(
        input: input, output: x --> head.layers(classifier),
        metadata: ModelMetadata(name: "ResNet-50"))
    }
  }
}

/// A residual block: three convolutions, the last four times as wide, added to the block's input.
private func residual(
  _ x: Tensor, channels: Int, stride: Int, projected: Bool, name: String
) -> Tensor {
  let shortcut =
    projected
    ? x
      --> PointwiseConvolution(
        channels: 4 * channels, stride: (stride, stride), name: "\(name)_0_conv")
      --> normalized("\(name)_0")
    : x
  let branch =
    x
    --> PointwiseConvolution(
      channels: channels, stride: (stride, stride), name: "\(name)_1_conv")
    --> activated("\(name)_1")
    --> Convolution(kernel: (3, 3), channels: channels, name: "\(name)_2_conv")
    --> activated("\(name)_2")
    --> PointwiseConvolution(channels: 4 * channels, name: "\(name)_3_conv")
    --> normalized("\(name)_3")
  return [shortcut, branch]
    --> Add(name: "\(name)_add")
    --> Activation(.relu, name: "\(name)_out")
}

/// The normalization after a convolution.
private func normalized(_ name: String) -> BatchNormalization {
  BatchNormalization(epsilon: 1.001e-5, name: "\(name)_bn")
}

/// The layers after a convolution that is not followed by an addition.
private func activated(_ name: String) -> Block {
  normalized(name) --> Activation(.relu, name: "\(name)_relu")
}
