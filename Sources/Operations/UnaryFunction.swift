import ForgeShapes
import ForgeSystem

/// A function of each element that is not an activation of a convolution.
public enum UnaryFunction: Hashable, Sendable, Encodable {
  /// `|x|`.
  case absolute
  /// `−x`.
  case negate
  /// 1, 0 or −1; NaN for NaN.
  case sign
  /// `1 / x`.
  case reciprocal
  /// `√x`.
  case squareRoot
  /// `1 / √x`.
  case reciprocalSquareRoot
  /// `x²`.
  case square
  /// `eˣ`.
  case exponential
  /// `ln x`.
  case logarithm
  /// The largest whole number that is not above.
  case floor
  /// The smallest whole number that is not below.
  case ceiling
  /// The nearest whole number, the even one of two.
  case round
  /// The whole number without the fraction.
  case truncate
  /// The error function.
  case errorFunction
  /// `sin x`.
  case sine
  /// `cos x`.
  case cosine
  /// `tan x`.
  case tangent
  /// `arcsin x`.
  case arcsine
  /// `arccos x`.
  case arccosine
  /// `arctan x`.
  case arctangent
  /// `sinh x`.
  case hyperbolicSine
  /// `cosh x`.
  case hyperbolicCosine
  /// `arsinh x`.
  case hyperbolicArcsine
  /// `arcosh x`.
  case hyperbolicArccosine
  /// `artanh x`.
  case hyperbolicArctangent
  /// `x / (1 + |x|)`.
  case softsign
  /// 1 for 0, else 0.
  case logicalNot
  /// 0 for 0, else 1.
  case isNonzero
  /// 1 for NaN, else 0.
  case isNaN
  /// The nearest number of IEEE 754's binary16, the even one of two; ±∞ from ±65520 on.
  case roundToFloat16
  /// The nearest number of bfloat16, the even one of two.
  case roundToBFloat16
  /// 1 for infinity of a sign that counts, else 0.
  case isInfinite(positive: Bool, negative: Bool)
  /// `x` above `alpha`, else 0.
  case thresholdedReLU(alpha: Float)
  /// `gamma·x` above 0, else `gamma·alpha·(eˣ − 1)`.
  case scaledELU(alpha: Float, gamma: Float)
  /// `x` above 0, else `alpha·(e^(x/alpha) − 1)`.
  case celu(alpha: Float)
  /// `x·σ(beta·x)`.
  case swish(beta: Float)
  /// `x + bias` below `−lambda`, `x − bias` above `lambda`, else 0.
  case shrink(bias: Float, lambda: Float)
  /// `alpha·tanh(beta·x)`.
  case scaledTanh(alpha: Float, beta: Float)
  /// `alpha·ln(1 + e^(beta·x))`.
  case parametricSoftplus(alpha: Float, beta: Float)

  /// Checks that the function's arguments are finite and that it is never divided by 0.
  ///
  /// - Throws: ``ShapeError`` of kind `invalidArgument`.
  package func validate() throws(ShapeError) {
    let (numbers, needs): ([Float], String) =
      switch self {
      case .thresholdedReLU(let alpha): ([alpha], "a finite alpha")
      case .celu(let alpha): ([alpha == 0 ? .nan : alpha], "a finite alpha other than 0")
      case .swish(let beta): ([beta], "a finite beta")
      case .shrink(let bias, let lambda): ([bias, lambda], "a finite bias and lambda")
      case .scaledELU(let alpha, let gamma): ([alpha, gamma], "a finite alpha and gamma")
      case .scaledTanh(let alpha, let beta), .parametricSoftplus(let alpha, let beta):
        ([alpha, beta], "a finite alpha and beta")
      case .absolute, .negate, .sign, .reciprocal, .squareRoot, .reciprocalSquareRoot, .square,
        .exponential, .logarithm, .floor, .ceiling, .round, .truncate, .errorFunction, .sine,
        .cosine, .tangent, .arcsine, .arccosine, .arctangent, .hyperbolicSine, .hyperbolicCosine,
        .hyperbolicArcsine, .hyperbolicArccosine, .hyperbolicArctangent, .softsign, .logicalNot,
        .isNonzero, .isNaN, .roundToFloat16, .roundToBFloat16, .isInfinite:
        ([], "")
      }
    try ArgumentRule.require(
      numbers.allSatisfy(\.isFinite), "function", "\(self)", needs: needs)
  }

  /// The result for a number.
  func value(_ x: Double) -> Double {
    switch self {
    case .absolute: abs(x)
    case .negate: -x
    case .sign: x > 0 ? 1 : x < 0 ? -1 : x
    case .reciprocal: 1 / x
    case .squareRoot: x.squareRoot()
    case .reciprocalSquareRoot: 1 / x.squareRoot()
    case .square: x * x
    case .exponential: exp(x)
    case .logarithm: log(x)
    case .floor: x.rounded(.down)
    case .ceiling: x.rounded(.up)
    case .round: x.rounded(.toNearestOrEven)
    case .truncate: x.rounded(.towardZero)
    case .errorFunction: erf(x)
    case .sine: sin(x)
    case .cosine: cos(x)
    case .tangent: tan(x)
    case .arcsine: asin(x)
    case .arccosine: acos(x)
    case .arctangent: atan(x)
    case .hyperbolicSine: sinh(x)
    case .hyperbolicCosine: cosh(x)
    case .hyperbolicArcsine: asinh(x)
    case .hyperbolicArccosine: acosh(x)
    case .hyperbolicArctangent: atanh(x)
    case .softsign: x.isInfinite ? (x > 0 ? 1 : -1) : x / (1 + abs(x))
    case .logicalNot: x == 0 ? 1 : 0
    case .isNonzero: x == 0 ? 0 : 1
    case .isNaN: x.isNaN ? 1 : 0
    // Numbers between layers are Float.
    case .roundToFloat16: Double(Float16(Float(x)))
    case .roundToBFloat16: Double(Float(x).roundedToBFloat16)
    case .isInfinite(let positive, let negative):
      x.isInfinite && (x > 0 ? positive : negative) ? 1 : 0
    case .thresholdedReLU(let alpha): x > Double(alpha) || x.isNaN ? x : 0
    case .scaledELU(let alpha, let gamma):
      x > 0 ? Double(gamma) * x : Double(gamma) * (Double(alpha) * expm1(x))
    case .celu(let alpha): x > 0 ? x : Double(alpha) * expm1(x / Double(alpha))
    case .swish(let beta): x / (1 + exp(-Double(beta) * x))
    case .shrink(let bias, let lambda):
      x.isNaN
        ? x : x < -Double(lambda) ? x + Double(bias) : x > Double(lambda) ? x - Double(bias) : 0
    case .scaledTanh(let alpha, let beta): Double(alpha) * tanh(Double(beta) * x)
    case .parametricSoftplus(let alpha, let beta):
      Double(alpha) * (max(Double(beta) * x, 0) + log1p(exp(-abs(Double(beta) * x))))
    }
  }
}
