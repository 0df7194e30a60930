import Forge

/// Functions of single values that are layers of their own in Forge.
enum KerasUnaries {
  static let functions: [KerasFunction] = [
    activation("softsign", function: .softsign),
    activation("exponential", "exp", function: .exponential),
    function("absolute", "abs", function: .absolute),
    function("negative", "neg", function: .negate),
    function("sign", function: .sign), function("reciprocal", function: .reciprocal),
    function("sqrt", function: .squareRoot),
    function("rsqrt", function: .reciprocalSquareRoot), function("square", function: .square),
    function("log", function: .logarithm), function("floor", function: .floor),
    function("ceil", function: .ceiling),
    function("trunc", function: .truncate), function("erf", function: .errorFunction),
    function("sin", function: .sine),
    function("cos", function: .cosine), function("tan", function: .tangent),
    function("arcsin", "asin", function: .arcsine),
    function("arccos", "acos", function: .arccosine),
    function("arctan", "atan", function: .arctangent),
    function("sinh", function: .hyperbolicSine), function("cosh", function: .hyperbolicCosine),
    numbered("celu", "alpha", default: 1) { .celu(alpha: $0) },
    numbered("soft_shrink", "threshold", default: 0.5) { .shrink(bias: $0, lambda: $0) },
    numbered("hard_shrink", "threshold", default: 0.5) { .shrink(bias: 0, lambda: $0) },
    function("arcsinh", "asinh", function: .hyperbolicArcsine),
    function("arccosh", "acosh", function: .hyperbolicArccosine),
    function("arctanh", "atanh", function: .hyperbolicArctangent),
    KerasFunction("tanh_shrink", activation: .after(tanhShrink)),
    KerasFunction("power", "pow", activation: .none, build: power),
    KerasFunction("round", activation: .none, build: round),
  ]

  /// An operation of one tensor.
  private static func function(_ names: String..., function: UnaryFunction) -> KerasFunction {
    KerasFunction(names, activation: .none) { _ throws(KerasFault) in step(function) }
  }

  /// A function of one tensor that may be an activation.
  private static func activation(_ names: String..., function: UnaryFunction) -> KerasFunction {
    KerasFunction(names, activation: .after(step(function))) { _ throws(KerasFault) in
      step(function)
    }
  }

  private static func step(_ function: UnaryFunction) -> KerasStep {
    .layer { Unary(function, name: $0.name) }
  }

  /// `x − tanh(x)`.
  private static let tanhShrink = KerasStep.one { call throws(KerasFault) in
    let input = try call.only()
    let tanh = try call.apply(Activation(.tanh), to: input.tensor)
    return KerasTensor(
      tensor: try call.apply(Subtract(name: call.name), to: input.tensor, tanh), rank: input.rank)
  }

  /// A function with one number, which may be an activation.
  private static func numbered(
    _ name: String, _ argument: String, default usual: Float,
    _ function: @escaping @Sendable (Float) -> UnaryFunction
  ) -> KerasFunction {
    KerasFunction(name, activation: .after(step(function(usual)))) { _ throws(KerasFault) in
      .one { call throws(KerasFault) in
        let number = try call.number(call.value(argument, at: 1)) ?? usual
        return try step(function(number)).only(call)
      }
    }
  }

  private static func round(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    .one { call throws(KerasFault) in
      guard try call.integer(call.value("decimals", at: 1), default: 0) == 0 else {
        throw .unsupported("decimals")
      }
      return try KerasStep.layer { Unary(.round, name: $0.name) }.only(call)
    }
  }

  /// A power of tensors, or of a tensor and numbers.
  private static func power(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    KerasArithmetic.binary { numbers, name in
      switch numbers {
      case .none: Power(name: name)
      case .second(let exponents): exponents.count == 1 ? Power(of: exponents, name: name) : nil
      case .first: nil
      }
    }
  }
}
