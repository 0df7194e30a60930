import Forge

extension Model {
  /// LeNet in the form of the 2017 toolkit: 28×28 gray pixels in, ten probabilities out.
  ///
  /// Two 5×5 convolutions with max pooling are followed by two dense layers (LeCun et al. 1998,
  /// with ReLU). It has 813,100 parameters: `conv1`, `conv2`, `fc1` and `fc2`. The scale of the
  /// pixels depends on the weights; those of Forge's example expect raw values 0…255, with white
  /// digits on black.
  ///
  /// - Parameters:
  ///   - classes: the number of outputs.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  /// - Returns: the network without parameters.
  public static func leNet(
    classes: Int = 10,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) -> Model {
    let caller = SourcePlace(fileID: fileID, line: line, column: column)
    return SourcePlace.describing(for: caller) {
      let input = Input(width: 28, height: 28, channels: 1)
      let output =
        input
        --> Convolution(kernel: (5, 5), channels: 20, activation: .relu, name: "conv1")
        --> MaxPooling(kernel: (2, 2), stride: (2, 2))
        --> Convolution(kernel: (5, 5), channels: 50, activation: .relu, name: "conv2")
        --> MaxPooling(kernel: (2, 2), stride: (2, 2))
        --> Dense(neurons: 320, activation: .relu, name: "fc1")
        --> Dense(neurons: classes, name: "fc2")
        --> Softmax()
      return Model(input: input, output: output, metadata: ModelMetadata(name: "LeNet"))
    }
  }
}
