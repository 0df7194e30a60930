import Forge

extension Model {
  /// A network with every kind of step that computes with integers once it is calibrated:
  /// convolutions, a depthwise one, a sum, poolings, functions by table and a dense layer.
  ///
  /// Its input "image" has 13 × 11 × 3 values.
  public static func withIntegerSteps() -> Model {
    let input = Input(width: 13, height: 11, channels: 3, name: "image")
    let first =
      input --> Convolution(kernel: 3, channels: 17, activation: .relu, name: "first")
      --> BatchNormalization(name: "norm")
    let left =
      first --> DepthwiseConvolution(kernel: 3, name: "depthwise") --> Activation(.swish)
      --> Convolution(kernel: 1, channels: 17, name: "left")
    let sum = [left, first] --> Add(name: "sum")
    let output =
      sum --> MaxPooling(2)
      --> Convolution(kernel: 3, channels: 29, activation: .relu6, name: "last")
      --> GlobalAveragePooling(name: "mean") --> Dense(neurons: 7, name: "classes")
    return Model(input: input, output: output)
  }
}
