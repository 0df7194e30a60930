import Forge

extension Model {
  /// Tiny YOLO v2 (Redmon and Farhadi 2016, arXiv:1612.08242), an object detector.
  ///
  /// It has nine convolutions, as in Darknet's `yolov2-tiny-voc`. It has 15,867,885 parameters with
  /// five anchors and the twenty classes of Pascal VOC, and makes 3.5 billion multiply-adds for
  /// 416×416 pixels.
  ///
  /// - Input: `size`×`size` RGB pixels, scaled from 0…255 to 0…1: x / 255.
  /// - Output: a map of one cell per 32×32 pixels (13×13 for 416) with `anchors` · (5 + `classes`)
  ///   channels, before any activation. Each anchor has the position x and y in the cell (before a
  ///   sigmoid), width and height (before exp), the confidence of an object (before a sigmoid) and
  ///   the classes (before a softmax).
  ///
  /// Convolutions are named `conv1` to `conv9`, their normalizations `conv1_bn` to `conv8_bn`.
  /// Darknet adds 10⁻⁶ to the square root of the variance; this network adds 0.001 to the variance,
  /// like Keras ports.
  ///
  /// - Parameters:
  ///   - size: width and height of the input in pixels: a multiple of 32, the size of a cell.
  ///   - anchors: the number of boxes each cell predicts.
  ///   - classes: the number of classes: 20 for Pascal VOC, 80 for COCO.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  /// - Returns: the network without parameters.
  public static func tinyYOLOV2(
    size: Int = 416, anchors: Int = 5, classes: Int = 20,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) -> Model {
    let caller = SourcePlace(fileID: fileID, line: line, column: column)
    return SourcePlace.describing(for: caller) {
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
}

/// A 3×3 convolution with batch normalization and a leaky ReLU of slope 0.1.
private func convolution(_ channels: Int, number: Int) -> Block {
  Convolution(kernel: (3, 3), channels: channels, useBias: false, name: "conv\(number)")
    --> BatchNormalization(name: "conv\(number)_bn")
    --> Activation(.leakyReLU(slope: 0.1), name: "conv\(number)_leaky")
}

/// The number of values per cell; if out of range, 0, which model validation rejects.
private func boxChannels(_ anchors: Int, _ classes: Int) -> Int {
  let range = 1...1_000_000
  return range.contains(anchors) && range.contains(classes) ? anchors * (5 + classes) : 0
}
