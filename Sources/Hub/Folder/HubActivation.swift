import Forge

/// The activation functions that configurations name.
enum HubActivation: Sendable, Hashable {
  /// A function that a layer applies to its own output.
  case function(ActivationFunction)
  /// `x · sigmoid(1.702·x)`.
  case quickGELU
  /// The square of `max(x, 0)`.
  case squaredReLU
  /// GELU, clipped to −10 and 10.
  case clippedGELU
  /// The cumulative normal distribution of mean √½ and deviation √(1/4π).
  case laplace

  /// The names, as the library has them.
  static let names: [String: HubActivation] = [
    "gelu": .function(.gelu), "gelu_python": .function(.gelu), "gelu_10": .clippedGELU,
    "gelu_fast": .function(.geluTanh), "gelu_new": .function(.geluTanh),
    "gelu_pytorch_tanh": .function(.geluTanh), "gelu_python_tanh": .function(.geluTanh),
    "gelu_accurate": .function(.geluTanh), "quick_gelu": .quickGELU, "laplace": .laplace,
    "leaky_relu": .function(.leakyReLU(slope: 0.01)), "linear": .function(.linear),
    "mish": .function(.mish), "relu": .function(.relu), "relu2": .squaredReLU,
    "relu6": .function(.relu6), "sigmoid": .function(.sigmoid), "silu": .function(.swish),
    "swish": .function(.swish), "tanh": .function(.tanh),
  ]

  /// What a layer before it applies by itself.
  var fused: ActivationFunction {
    if case .function(let function) = self { function } else { .linear }
  }

  /// What is left to do after a layer that has applied ``fused``.
  func rest(_ x: Tensor) -> Tensor {
    switch self {
    case .function: x
    case .quickGELU: x --> Unary(.swish(beta: 1.702))
    case .squaredReLU: x --> Activation(.relu) --> Unary(.square)
    case .clippedGELU:
      x --> Activation(.gelu) --> Activation(.clipped(minimum: -10, maximum: 10))
    case .laplace:
      (((x - 0.707107) * (1 / (0.282095 * 1.414_213_562_4))) --> Unary(.errorFunction)) * 0.5 + 0.5
    }
  }

  /// The function of a tensor.
  func callAsFunction(_ x: Tensor) -> Tensor {
    if case .function(.linear) = self { return x }
    if case .function(let function) = self { return x --> Activation(function) }
    return rest(x)
  }
}

extension Settings {
  /// An activation function.
  ///
  /// - Throws: ``HubError`` of kind `unsupported` for a name that is not known.
  func activation(
    _ names: String..., default standard: HubActivation = .function(.gelu)
  ) throws(HubError) -> HubActivation {
    for name in names {
      guard let text = try text(name) else { continue }
      guard let activation = HubActivation.names[text] else {
        throw unsupported(
          name, needs: HubActivation.names.keys.sorted().joined(separator: ", "))
      }
      return activation
    }
    return standard
  }
}
