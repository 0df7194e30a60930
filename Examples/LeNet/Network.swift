import Forge

/// LeCun's network in the form the 2017 toolkit used: raw pixels 0…255, white digit on black.
enum LeNetwork {
  /// The network; 28×28 pixels in, ten probabilities out.
  static func model() -> Model {
    let input = Input(width: 28, height: 28, channels: 1)
    let output =
      input
      --> Convolution(kernel: (5, 5), channels: 20, activation: .relu, name: "conv1")
      --> MaxPooling(kernel: (2, 2), stride: (2, 2))
      --> Convolution(kernel: (5, 5), channels: 50, activation: .relu, name: "conv2")
      --> MaxPooling(kernel: (2, 2), stride: (2, 2))
      --> Dense(neurons: 320, activation: .relu, name: "fc1")
      --> Dense(neurons: 10, name: "fc2")
      --> Softmax()
    return Model(input: input, output: output)
  }

  /// The network with the weights that ship with this example, or those of a folder of raw files.
  static func compiled(parameters directory: String?, shipped: String) throws -> CompiledModel {
    guard let directory else {
      return try model().compile(parameters: HDF5Parameters(shipped))
    }
    return try model().compile { name, count, type in
      try ParameterFile(
        directory: directory, name: name, count: count, suffix: type == .weights ? "_W" : "_b",
        ext: "bin")
    }
  }
}
