import CForgeKernels
import Foundation

/// An activation, and what it should give.
struct Activation: Sendable, CustomStringConvertible {
  var kind: forge_activation_kind
  var a: Float = 0
  var b: Float = 0

  static let linear = Activation(kind: FORGE_LINEAR)
  static let relu = Activation(kind: FORGE_CLAMP, a: 0, b: .infinity)

  /// Every kind, with the parameters networks use, and some with f(0) other than 0.
  static let all: [Activation] = [
    .linear,
    .relu,
    Activation(kind: FORGE_CLAMP, a: 0, b: 6),
    Activation(kind: FORGE_CLAMP, a: 0.25, b: 0.75),
    Activation(kind: FORGE_CLAMP, a: -1, b: -0.5),
    Activation(kind: FORGE_LEAKY_RELU, a: 0.1),
    Activation(kind: FORGE_ELU, a: 1, b: 1),
    Activation(kind: FORGE_ELU, a: 1.7580993, b: 1.0507010),
    Activation(kind: FORGE_SIGMOID),
    Activation(kind: FORGE_TANH),
    Activation(kind: FORGE_HARD_SIGMOID, a: 0.2, b: 0.5),
    Activation(kind: FORGE_HARD_SWISH, a: 1 / 6.0, b: 0.5),
    Activation(kind: FORGE_SWISH, a: 1),
    Activation(kind: FORGE_SWISH, a: 1.702),
    Activation(kind: FORGE_MISH),
    Activation(kind: FORGE_GELU),
    Activation(kind: FORGE_GELU_TANH),
    Activation(kind: FORGE_SOFTPLUS),
  ]

  var c: forge_activation { forge_activation(kind: Int32(kind.rawValue), a: a, b: b) }

  var description: String { "activation \(kind.rawValue)(\(a), \(b))" }

  /// f(x), each function by its definition but where that would cancel or overflow in doubles.
  func reference(_ x: Double) -> Double {
    let a = Double(self.a)
    let b = Double(self.b)
    func clamp(_ x: Double, _ low: Double, _ high: Double) -> Double {
      x.isNaN ? x : min(max(x, low), high)
    }
    switch kind {
    case FORGE_CLAMP: return clamp(x, a, b)
    case FORGE_LEAKY_RELU: return x < 0 ? a * x : x
    case FORGE_ELU: return x < 0 ? a * expm1(x) : b * x
    case FORGE_SIGMOID: return 1 / (1 + exp(-x))
    case FORGE_TANH: return tanh(x)
    case FORGE_HARD_SIGMOID: return clamp(a * x + b, 0, 1)
    case FORGE_HARD_SWISH: return x * clamp(a * x + b, 0, 1)
    case FORGE_SWISH: return x / (1 + exp(-a * x))
    case FORGE_MISH: return x * tanh(log1p(exp(x)))
    case FORGE_GELU: return x / 2 * erfc(-x / 2.0.squareRoot())
    case FORGE_GELU_TANH: return x / (1 + exp(-gate(x)))
    case FORGE_SOFTPLUS: return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x))
    default: return x
    }
  }

  /// The argument of gelu_tanh's sigmoid.
  private func gate(_ x: Double) -> Double {
    2 * (2 / Double.pi).squareRoot() * (x + 0.044715 * x * x * x)
  }

  /// How far f(x) may be off where x is exact: 3e-7 of it, more where the kernels take exp of a
  /// rounded number, and as coarse as the denormal numbers are, which a factor may be.
  func tolerance(_ x: Double) -> Double {
    var relative = 3e-7
    switch kind {
    case FORGE_LINEAR, FORGE_CLAMP: return 0
    case FORGE_SWISH where a != 1: relative *= 1 + abs(Double(a) * x)
    case FORGE_GELU where x < -2: relative = 5e-7
    case FORGE_GELU_TANH: relative *= 1 + abs(gate(x))
    case FORGE_HARD_SIGMOID: return 6e-8 * (1 + abs(Double(a) * x))
    case FORGE_HARD_SWISH: return 6e-8 * (1 + abs(Double(a) * x)) * abs(x) + 3e-45
    default: break
    }
    let value = abs(reference(x))
    let denormal = 3e-45 * (1 + min(abs(x), 200))
    return value.isFinite ? relative * value + denormal : denormal
  }

  /// How far f(x) may be off where x is known to within `error`: no activation above is steeper
  /// than 2 (with the parameters above).
  func tolerance(_ x: Double, error: Double) -> Double { 2 * error + tolerance(x) }
}
