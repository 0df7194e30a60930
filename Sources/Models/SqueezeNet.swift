import Forge

extension Model {
  /// SqueezeNet 1.1 (Iandola and others 2016, arXiv:1602.07360).
  ///
  /// It has eight fire modules, each a narrow 1×1 convolution, then 1×1 and 3×3 convolutions in
  /// parallel. It has 1,235,496 parameters with 1,000 classes and makes 353 million multiply-adds
  /// for 227×227 pixels; version 1.1, by the same authors, needs less arithmetic than that of the
  /// paper.
  ///
  /// - Input: `size`×`size` BGR pixels from 0 to 255, minus the means 103.939, 116.779 and 123.68.
  /// - Output: 1×1×`classes` probabilities. Keras itself has no SqueezeNet; layers are named as in
  ///   the most common port of the authors' Caffe file: `fire2/squeeze1x1`, `fire2/expand1x1`,
  ///   `fire2/expand3x3`, …, `conv10`, and `loss` for the softmax.
  ///
  /// - Parameters:
  ///   - size: width and height of the input in pixels.
  ///   - classes: the number of classes.
  ///   - head: the final layers.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  /// - Returns: the network without parameters.
  public static func squeezeNet(
    size: Int = 227, classes: Int = 1000, head: Head = .probabilities,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) -> Model {
    let caller = SourcePlace(fileID: fileID, line: line, column: column)
    return SourcePlace.describing(for: caller) {
      let input = Input(width: size, height: size, channels: 3)
      let features =
        input
        --> Convolution(
          kernel: (3, 3), channels: 64, stride: (2, 2), padding: .valid, name: "conv1")
        --> Activation(.relu, name: "relu_conv1")
        --> MaxPooling(kernel: (3, 3), stride: (2, 2), name: "pool1")
        --> fire(2, squeeze: 16, expand: 64)
        --> fire(3, squeeze: 16, expand: 64)
        --> MaxPooling(kernel: (3, 3), stride: (2, 2), name: "pool3")
        --> fire(4, squeeze: 32, expand: 128)
        --> fire(5, squeeze: 32, expand: 128)
        --> MaxPooling(kernel: (3, 3), stride: (2, 2), name: "pool5")
        --> fire(6, squeeze: 48, expand: 192)
        --> fire(7, squeeze: 48, expand: 192)
        --> fire(8, squeeze: 64, expand: 256)
        --> fire(9, squeeze: 64, expand: 256)
      let classifier =
        Dropout(rate: 0.5, name: "drop9")
        --> PointwiseConvolution(channels: classes, name: "conv10")
        --> Activation(.relu, name: "relu_conv10")
        --> GlobalAveragePooling(name: "global_average_pooling2d")
      return Model(
        input: input, output: features --> head.layers(classifier, softmax: "loss"),
        metadata: ModelMetadata(name: "SqueezeNet 1.1"))
    }
  }
}

/// A fire module: `squeeze` channels, then `expand` channels from 1×1 and as many from 3×3.
private func fire(_ number: Int, squeeze: Int, expand: Int) -> (Tensor) -> Tensor {
  let name = "fire\(number)"
  return { x in
    let squeezed =
      x --> PointwiseConvolution(channels: squeeze, name: "\(name)/squeeze1x1")
      --> Activation(.relu, name: "\(name)/relu_squeeze1x1")
    return [
      squeezed --> PointwiseConvolution(channels: expand, name: "\(name)/expand1x1")
        --> Activation(.relu, name: "\(name)/relu_expand1x1"),
      squeezed --> Convolution(kernel: (3, 3), channels: expand, name: "\(name)/expand3x3")
        --> Activation(.relu, name: "\(name)/relu_expand3x3"),
    ] --> Concatenate(name: "\(name)/concat")
  }
}
