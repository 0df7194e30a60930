import Forge

extension Model {
  /// Tiny YOLO v2 (Redmon and Farhadi 2016, arXiv:1612.08242), a detector of objects.
  ///
  /// Nine convolutions: Darknet's `yolov2-tiny-voc`. It has 15,867,885 parameters with five anchors
  /// and the twenty classes of Pascal VOC, and makes 3.5 billion multiply-adds for 416×416 pixels.
  ///
  /// - Input: `size`×`size` RGB pixels, scaled from 0…255 to 0…1: x / 255.
  /// - Output: a map of one cell per 32×32 pixels (13×13 for 416) with `anchors` · (5 + `classes`)
  ///   channels, before any function: for each anchor the position x and y in the cell (before a
  ///   sigmoid), width and height (before exp), the certainty of an object (before a sigmoid) and
  ///   the classes (before a softmax).
  ///
  /// Convolutions are named `conv1` to `conv9`, their normalizations `conv1_bn` to `conv8_bn`.
  /// Darknet adds 10⁻⁶ to the square root of the variance where 0.001 is added to the variance
  /// here, as Keras ports do.
  ///
  /// - Parameters:
  ///   - size: width and height of the input in pixels: a multiple of 32, so that cells fit.
  ///   - anchors: the number of boxes each cell predicts.
  ///   - classes: the number of classes: 20 for Pascal VOC, 80 for COCO.
  /// - Returns: the network without parameters.
  public static func tinyYOLOV2(size: Int = 416, anchors: Int = 5, classes: Int = 20) -> Model {
    let input = Input(width: size, height: size, channels: 3)
    var x = input
    for (index, channels) in [16, 32, 64, 128, 256, 512].enumerated() {
      // The last pooling keeps the size of the map.
      let stride = index < 5 ? 2 : 1
      x =
        x --> convolution(channels, number: index + 1)
        --> MaxPooling(
          kernel: (2, 2), stride: (stride, stride), padding: .same, name: "pool\(index + 1)")
    }
    let output =
      x --> convolution(1024, number: 7) --> convolution(1024, number: 8)
      --> PointwiseConvolution(channels: boxChannels(anchors, classes), name: "conv9")
    return Model(
      input: input, output: output, metadata: ModelMetadata(name: "Tiny YOLO v2"))
  }
}

/// A 3×3 convolution, normalized, with a slope of 0.1 below zero.
private func convolution(_ channels: Int, number: Int) -> Block {
  Convolution(kernel: (3, 3), channels: channels, useBias: false, name: "conv\(number)")
    --> BatchNormalization(name: "conv\(number)_bn")
    --> Activation(.leakyReLU(slope: 0.1), name: "conv\(number)_leaky")
}

/// How many numbers each cell predicts; 0, which the model's check refuses, when out of range.
private func boxChannels(_ anchors: Int, _ classes: Int) -> Int {
  let range = 1...1_000_000
  return range.contains(anchors) && range.contains(classes) ? anchors * (5 + classes) : 0
}
