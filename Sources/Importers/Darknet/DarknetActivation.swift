import Forge

/// Darknet's names of activation functions.
enum DarknetActivation {
  /// The function of a name; `nil` for one that Forge does not have.
  static func function(_ name: String) -> ActivationFunction? {
    switch name {
    case "linear": .linear
    case "leaky": .leakyReLU(slope: 0.1)
    case "relu": .relu
    case "relu6": .relu6
    case "relie": .leakyReLU(slope: 0.01)
    case "logistic": .sigmoid
    case "tanh": .tanh
    case "hardtan": .clipped(minimum: -1, maximum: 1)
    case "elu": .elu(alpha: 1)
    case "selu": .selu
    case "gelu": .geluTanh
    case "swish": .swish
    case "mish": .mish
    default: nil
    }
  }
}
