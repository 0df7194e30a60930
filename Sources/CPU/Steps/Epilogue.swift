import CForgeKernels
import ForgeOperations

extension forge_activation {
  /// Creates the C form of an activation function.
  init(_ function: ActivationFunction) {
    self.init()
    let (kind, a, b): (forge_activation_kind, Float, Float) =
      switch function {
      case .linear: (FORGE_LINEAR, 0, 0)
      case .relu: (FORGE_CLAMP, 0, .infinity)
      case .relu6: (FORGE_CLAMP, 0, 6)
      case .clipped(let minimum, let maximum): (FORGE_CLAMP, minimum, maximum)
      case .leakyReLU(let slope): (FORGE_LEAKY_RELU, slope, 0)
      case .elu(let alpha): (FORGE_ELU, alpha, 1)
      case .selu:
        (
          FORGE_ELU, Float(ActivationFunction.seluScale * ActivationFunction.seluAlpha),
          Float(ActivationFunction.seluScale)
        )
      case .sigmoid: (FORGE_SIGMOID, 0, 0)
      case .tanh: (FORGE_TANH, 0, 0)
      case .hardSigmoid: (FORGE_HARD_SIGMOID, 1 / 6, 0.5)
      case .hardSigmoidKeras2: (FORGE_HARD_SIGMOID, 0.2, 0.5)
      case .hardSigmoidLinear(let alpha, let beta): (FORGE_HARD_SIGMOID, alpha, beta)
      case .hardSwish: (FORGE_HARD_SWISH, 1 / 6, 0.5)
      case .swish: (FORGE_SWISH, 1, 0)
      case .mish: (FORGE_MISH, 0, 0)
      case .gelu: (FORGE_GELU, 0, 0)
      case .geluTanh: (FORGE_GELU_TANH, 0, 0)
      case .softplus: (FORGE_SOFTPLUS, 0, 0)
      }
    self.kind = Int32(kind.rawValue)
    self.a = a
    self.b = b
  }
}

extension forge_epilogue {
  /// Creates an epilogue; its residual has no place yet.
  init(_ function: ActivationFunction, hasResidual: Bool) {
    self.init()
    activation = forge_activation(function)
    has_residual = hasResidual ? 1 : 0
  }

  /// Creates the epilogue of a convolution; its residual has no place yet.
  init(_ convolution: PlannedConvolution) {
    self.init(convolution.activation, hasResidual: convolution.node.residual != nil)
  }
}
