import ForgeShapes

/// A function applied to each value of a tensor, as a separate layer or at the end of another one.
///
/// Where frameworks disagree, each variant has its own name. For the same reason, slopes have no
/// default.
public enum ActivationFunction: Hashable, Sendable, Encodable {
  /// `x`.
  case linear
  /// `max(x, 0)`.
  case relu
  /// `min(max(x, 0), 6)`.
  case relu6
  /// `min(max(x, minimum), maximum)`, which is ONNX's Clip.
  ///
  /// `clipped(minimum: 0, maximum: 20)` is a clipped ReLU.
  case clipped(minimum: Float, maximum: Float)
  /// `x` where positive, else `slope·x` (Keras 0.3, PyTorch and ONNX 0.01, YOLO 0.1).
  case leakyReLU(slope: Float)
  /// `x` where positive, else `alpha·(eˣ − 1)`.
  case elu(alpha: Float)
  /// `1.0507·elu(x)` with alpha 1.6733 (Klambauer et al. 2017, to Float's precision).
  case selu
  /// `1 / (1 + e⁻ˣ)`.
  case sigmoid
  /// The hyperbolic tangent.
  case tanh
  /// `min(max(x/6 + 1/2, 0), 1)`: MobileNet v3's, Keras 3's and PyTorch's.
  case hardSigmoid
  /// `min(max(0.2·x + 0.5, 0), 1)`: Keras 1 and 2's, and ONNX's default.
  case hardSigmoidKeras2
  /// `min(max(alpha·x + beta, 0), 1)`: ONNX's and Core ML's with attributes.
  case hardSigmoidLinear(alpha: Float, beta: Float)
  /// `x · hardSigmoid(x)`.
  case hardSwish
  /// `x · sigmoid(x)`, also called SiLU.
  case swish
  /// `x · tanh(ln(1 + eˣ))`.
  case mish
  /// `x/2 · (1 + erf(x/√2))`, exact.
  case gelu
  /// `x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³)))`, the approximation many models were trained with.
  case geluTanh
  /// `ln(1 + eˣ)`.
  case softplus

  /// The scale of ``selu``.
  package static let seluScale = 1.050_700_987_355_480_5
  /// The alpha of ``selu``.
  package static let seluAlpha = 1.673_263_242_354_377_2

  /// Whether a larger number never has a smaller result, rounding and the signs of zeros included.
  package var isMonotonic: Bool {
    switch self {
    case .linear, .relu, .relu6, .clipped: true
    // With a slope of 0 the sign of a zero would differ.
    case .leakyReLU(let slope): slope > 0
    // Rounding may turn the order of close results around, or the function itself does.
    case .elu, .selu, .sigmoid, .tanh, .hardSigmoid, .hardSigmoidKeras2, .hardSigmoidLinear,
      .hardSwish, .swish, .mish, .gelu, .geluTanh, .softplus:
      false
    }
  }

  /// Checks that the function's arguments are finite and in order.
  ///
  /// - Throws: ``ShapeError`` of kind `invalidArgument`.
  package func validate() throws(ShapeError) {
    let (isValid, needs) =
      switch self {
      // Infinite bounds are allowed, for one-sided clips.
      case .clipped(let minimum, let maximum): (minimum <= maximum, "minimum at most maximum")
      case .leakyReLU(let slope): (slope.isFinite, "a finite slope")
      case .elu(let alpha): (alpha.isFinite, "a finite alpha")
      case .hardSigmoidLinear(let alpha, let beta):
        (alpha.isFinite && beta.isFinite, "a finite alpha and beta")
      case .linear, .relu, .relu6, .selu, .sigmoid, .tanh, .hardSigmoid, .hardSigmoidKeras2,
        .hardSwish, .swish, .mish, .gelu, .geluTanh, .softplus:
        (true, "")
      }
    try ArgumentRule.require(isValid, "activation", "\(self)", needs: needs)
  }
}

extension ActivationFunction: CustomStringConvertible {
  /// The function as written in source, without the leading dot: `leakyReLU(slope: 0.1)`.
  public var description: String {
    switch self {
    case .linear: "linear"
    case .relu: "relu"
    case .relu6: "relu6"
    case .clipped(let minimum, let maximum): "clipped(minimum: \(minimum), maximum: \(maximum))"
    case .leakyReLU(let slope): "leakyReLU(slope: \(slope))"
    case .elu(let alpha): "elu(alpha: \(alpha))"
    case .selu: "selu"
    case .sigmoid: "sigmoid"
    case .tanh: "tanh"
    case .hardSigmoid: "hardSigmoid"
    case .hardSigmoidKeras2: "hardSigmoidKeras2"
    case .hardSigmoidLinear(let alpha, let beta):
      "hardSigmoidLinear(alpha: \(alpha), beta: \(beta))"
    case .hardSwish: "hardSwish"
    case .swish: "swish"
    case .mish: "mish"
    case .gelu: "gelu"
    case .geluTanh: "geluTanh"
    case .softplus: "softplus"
    }
  }
}
