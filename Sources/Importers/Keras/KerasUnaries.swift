import Forge

/// Functions of single values that are layers of their own in Forge.
enum KerasUnaries {
  /// Functions as activations and operations, by Keras's and TensorFlow's names.
  private static let functions: [String: UnaryFunction] = [
    "softsign": .softsign, "exponential": .exponential, "exp": .exponential,
    "celu": .celu(alpha: 1), "soft_shrink": .shrink(bias: 0.5, lambda: 0.5),
    "hard_shrink": .shrink(bias: 0, lambda: 0.5),
  ]

  /// Functions as operations only.
  private static let operations: [String: UnaryFunction] = [
    "absolute": .absolute, "abs": .absolute, "negative": .negate, "neg": .negate, "sign": .sign,
    "reciprocal": .reciprocal, "sqrt": .squareRoot, "rsqrt": .reciprocalSquareRoot,
    "square": .square, "log": .logarithm, "floor": .floor, "ceil": .ceiling,
    "trunc": .truncate, "erf": .errorFunction, "sin": .sine, "cos": .cosine, "tan": .tangent,
    "arcsin": .arcsine, "asin": .arcsine, "arccos": .arccosine, "acos": .arccosine,
    "arctan": .arctangent, "atan": .arctangent, "sinh": .hyperbolicSine,
    "cosh": .hyperbolicCosine,
  ]

  /// An activation; `nil` for other names.
  static func named(_ name: String) -> KerasStep? {
    if let function = functions[name] { return .layer { Unary(function, name: $0.name) } }
    guard name == "tanh_shrink" else { return nil }
    // x − tanh(x)
    return .one { call throws(KerasFault) in
      let input = try call.only()
      let tanh = try call.apply(Activation(.tanh), to: input.tensor)
      return KerasTensor(
        tensor: try call.apply(Subtract(name: call.name), to: input.tensor, tanh),
        rank: input.rank)
    }
  }

  static let makers: [String: KerasOperations.Maker] = {
    var makers: [String: KerasOperations.Maker] = ["power": power, "pow": power, "round": round]
    for (name, function) in functions.merging(operations, uniquingKeysWith: { first, _ in first }) {
      makers[name] = unary(function)
    }
    makers["celu"] = unary("alpha", default: 1) { .celu(alpha: $0) }
    makers["soft_shrink"] = unary("threshold", default: 0.5) { .shrink(bias: $0, lambda: $0) }
    makers["hard_shrink"] = unary("threshold", default: 0.5) { .shrink(bias: 0, lambda: $0) }
    return makers
  }()

  private static func unary(_ function: UnaryFunction) -> KerasOperations.Maker {
    { _ throws(KerasFault) in .layer { Unary(function, name: $0.name) } }
  }

  /// A function with one number.
  private static func unary(
    _ argument: String, default usual: Float,
    _ function: @escaping @Sendable (Float) -> UnaryFunction
  ) -> KerasOperations.Maker {
    { _ throws(KerasFault) in
      .one { call throws(KerasFault) in
        let number = try call.number(call.value(argument, at: 1)) ?? usual
        return try KerasStep.layer { Unary(function(number), name: $0.name) }.only(call)
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

  /// A power with a constant exponent, or of two tensors.
  private static func power(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    .one { call throws(KerasFault) in
      if call.inputs.count == 2 {
        return try KerasMerges.elementwise { Power(name: $0) }.only(call)
      }
      let input = try call.only()
      guard case .tensor? = call.value("x1", "x", at: 0),
        let exponent = try call.number(call.value("x2", "y", at: 1))
      else { throw .unsupported("a number to the power of a tensor") }
      let power = Power(of: [exponent], name: call.name)
      return KerasTensor(tensor: try call.apply(power, to: input.tensor), rank: input.rank)
    }
  }
}
