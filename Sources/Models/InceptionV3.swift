import Forge

extension Model {
  /// Inception-v3 (Szegedy and others 2015, arXiv:1512.00567), `keras.applications.InceptionV3`.
  ///
  /// It is a stem of five convolutions, followed by eleven blocks of parallel branches. It has
  /// 23,851,784 parameters with 1,000 classes and makes 5.7 billion multiply-adds for 299×299
  /// pixels.
  ///
  /// - Input: `size`×`size` RGB pixels, scaled from 0…255 to −1…1: x / 127.5 − 1.
  /// - Output: 1×1×`classes` probabilities. Layers are named as in a fresh session of Keras:
  ///   `conv2d`, `conv2d_1`, …, `batch_normalization`, …; files from a longer session have higher
  ///   numbers. In Keras, `predictions` includes the softmax; here it returns the logits, followed
  ///   by `probabilities`.
  ///
  /// - Parameters:
  ///   - size: width and height of the input in pixels, at least 75.
  ///   - classes: the number of classes.
  ///   - head: the final layers.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  /// - Returns: the network without parameters.
  public static func inceptionV3(
    size: Int = 299, classes: Int = 1000, head: Head = .probabilities,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) -> Model {
    let caller = SourcePlace(fileID: fileID, line: line, column: column)
    return SourcePlace.describing(for: caller) {
      var network = InceptionV3()
      let input = Input(width: size, height: size, channels: 3)
      var x = network.stem(input)
      x = network.wide(x, pooled: 32, name: "mixed0")
      x = network.wide(x, pooled: 64, name: "mixed1")
      x = network.wide(x, pooled: 64, name: "mixed2")
      x = network.wideToDeep(x, name: "mixed3")
      x = network.deep(x, inner: 128, name: "mixed4")
      x = network.deep(x, inner: 160, name: "mixed5")
      x = network.deep(x, inner: 160, name: "mixed6")
      x = network.deep(x, inner: 192, name: "mixed7")
      x = network.deepToSplit(x, name: "mixed8")
      x = network.split(x, inner: "mixed9_0", name: "mixed9")
      x = network.split(x, inner: "mixed9_1", name: "mixed10")
      let classifier =
        GlobalAveragePooling(name: "avg_pool") --> Dense(neurons: classes, name: "predictions")
      return Model(
        input: input, output: x --> head.layers(classifier),
        metadata: ModelMetadata(name: "Inception-v3"))
    }
  }
}

/// The blocks of Inception-v3; layers are numbered in order of creation, as in Keras.
private struct InceptionV3 {
  private var counts: [String: Int] = [:]

  /// The next name of a kind: `kind`, then `kind_1`, `kind_2` and so on.
  private mutating func name(_ kind: String) -> String {
    let count = counts[kind, default: 0]
    counts[kind] = count + 1
    return count == 0 ? kind : "\(kind)_\(count)"
  }

  /// A convolution with batch normalization and ReLU.
  private mutating func conv(
    _ channels: Int, _ width: Int, _ height: Int, stride: Int = 1, padding: Padding = .same
  ) -> Block {
    Convolution(
      kernel: (width, height), channels: channels, stride: (stride, stride), padding: padding,
      useBias: false, name: name("conv2d"))
      --> BatchNormalization(scale: false, name: name("batch_normalization"))
      --> Activation(.relu, name: name("activation"))
  }

  /// A 3×3 max pooling with stride 2, which about halves width and height.
  private mutating func maxPooling() -> MaxPooling {
    MaxPooling(kernel: (3, 3), stride: (2, 2), name: name("max_pooling2d"))
  }

  /// An average pooling that keeps width and height.
  private mutating func averagePooling() -> AveragePooling {
    AveragePooling(
      kernel: (3, 3), stride: (1, 1), padding: .same, name: name("average_pooling2d"))
  }

  /// The stem, which reduces width and height to about an eighth.
  mutating func stem(_ x: Tensor) -> Tensor {
    x --> conv(32, 3, 3, stride: 2, padding: .valid) --> conv(32, 3, 3, padding: .valid)
      --> conv(64, 3, 3) --> maxPooling()
      --> conv(80, 1, 1, padding: .valid) --> conv(192, 3, 3, padding: .valid) --> maxPooling()
  }

  /// The first block of the paper, with a 5×5 branch and a branch of two 3×3 convolutions.
  mutating func wide(_ x: Tensor, pooled: Int, name: String) -> Tensor {
    return [
      x --> conv(64, 1, 1),
      x --> conv(48, 1, 1) --> conv(64, 5, 5),
      x --> conv(64, 1, 1) --> conv(96, 3, 3) --> conv(96, 3, 3),
      x --> averagePooling() --> conv(pooled, 1, 1),
    ] --> Concatenate(name: name)
  }

  /// The reduction after the first blocks: half the width and height, more channels.
  mutating func wideToDeep(_ x: Tensor, name: String) -> Tensor {
    return [
      x --> conv(384, 3, 3, stride: 2, padding: .valid),
      x --> conv(64, 1, 1) --> conv(96, 3, 3) --> conv(96, 3, 3, stride: 2, padding: .valid),
      x --> maxPooling(),
    ] --> Concatenate(name: name)
  }

  /// The second block of the paper, with 7×7 convolutions factored into 7×1 and 1×7.
  mutating func deep(_ x: Tensor, inner: Int, name: String) -> Tensor {
    return [
      x --> conv(192, 1, 1),
      x --> conv(inner, 1, 1) --> conv(inner, 7, 1) --> conv(192, 1, 7),
      x --> conv(inner, 1, 1) --> conv(inner, 1, 7) --> conv(inner, 7, 1)
        --> conv(inner, 1, 7) --> conv(192, 7, 1),
      x --> averagePooling() --> conv(192, 1, 1),
    ] --> Concatenate(name: name)
  }

  /// The reduction after the second blocks: half the width and height again.
  mutating func deepToSplit(_ x: Tensor, name: String) -> Tensor {
    return [
      x --> conv(192, 1, 1) --> conv(320, 3, 3, stride: 2, padding: .valid),
      x --> conv(192, 1, 1) --> conv(192, 7, 1) --> conv(192, 1, 7)
        --> conv(192, 3, 3, stride: 2, padding: .valid),
      x --> maxPooling(),
    ] --> Concatenate(name: name)
  }

  /// The third block of the paper, with branches that end in parallel 3×1 and 1×3 convolutions.
  mutating func split(_ x: Tensor, inner: String, name: String) -> Tensor {
    let narrow = x --> conv(320, 1, 1)
    let one = x --> conv(384, 1, 1)
    let first = [one --> conv(384, 3, 1), one --> conv(384, 1, 3)] --> Concatenate(name: inner)
    let two = x --> conv(448, 1, 1) --> conv(384, 3, 3)
    let second =
      [two --> conv(384, 3, 1), two --> conv(384, 1, 3)]
      --> Concatenate(name: self.name("concatenate"))
    let pooled = x --> averagePooling() --> conv(192, 1, 1)
    return [narrow, first, second, pooled] --> Concatenate(name: name)
  }
}
