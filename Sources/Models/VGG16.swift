import Forge

extension Model {
  /// VGG-16 (Simonyan and Zisserman 2014, arXiv:1409.1556), `keras.applications.VGG16`.
  ///
  /// It consists of thirteen 3×3 convolutions in five groups with max pooling, and three dense
  /// layers. It has 138,357,544 parameters for 224×224 pixels and 1,000 classes (the first dense
  /// layer takes the whole map) and makes 15.5 billion multiply-adds.
  ///
  /// - Input: `size`×`size` BGR pixels from 0 to 255, minus the means 103.939, 116.779 and 123.68.
  /// - Output: 1×1×`classes` probabilities. Layers are named as in Keras. In Keras, `predictions`
  ///   includes the softmax; here it returns the logits, followed by `probabilities`.
  ///
  /// - Parameters:
  ///   - size: width and height of the input in pixels, at least 32.
  ///   - classes: the number of classes.
  ///   - head: the final layers.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  /// - Returns: the network without parameters.
  public static func vgg16(
    size: Int = 224, classes: Int = 1000, head: Head = .probabilities,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) -> Model {
    let caller = SourcePlace(fileID: fileID, line: line, column: column)
    return SourcePlace.describing(for: caller) {
      let input = Input(width: size, height: size, channels: 3)
      var x = input
      for (group, channels, convolutions) in [
        (1, 64, 2), (2, 128, 2), (3, 256, 3), (4, 512, 3), (5, 512, 3),
      ] {
        for number in 1...convolutions {
          x =
            x
            --> Convolution(
              kernel: (3, 3), channels: channels, activation: .relu,
              name: "block\(group)_conv\(number)")
        }
        x = x --> MaxPooling(kernel: (2, 2), stride: (2, 2), name: "block\(group)_pool")
      }
      let classifier =
        Flatten(name: "flatten")
        --> Dense(neurons: 4096, activation: .relu, name: "fc1")
        --> Dense(neurons: 4096, activation: .relu, name: "fc2")
        --> Dense(neurons: classes, name: "predictions")
      return Model(
        input: input, output: x --> head.layers(classifier),
        metadata: ModelMetadata(name: "VGG-16"))
    }
  }
}
