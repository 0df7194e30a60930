import Forge
import ForgeOperations

/// Functions of one number.
extension CoreMLGraphWriter {
  /// The largest number of 32 bits.
  private static let largest = Float.greatestFiniteMagnitude

  mutating func activation(
    _ call: CoreMLOperation, _ function: ActivationFunction
  ) throws(ExportRefusal) {
    guard function != .linear else { return alias(call.output, try value(call.inputs[0])) }
    let (x, form, name) = try elementwise(call)
    set(call.output, form, try activation(x, function, named: name))
  }

  /// An activation of Forge.
  mutating func activation(
    _ x: String, _ function: ActivationFunction, named name: String? = nil
  ) throws(ExportRefusal) -> String {
    switch function {
    case .linear: return x
    case .relu: return try activated(x, .relu, named: name)
    case .relu6: return try clipped(x, 0, 6, named: name)
    case .clipped(let minimum, let maximum): return try clipped(x, minimum, maximum, named: name)
    case .leakyReLU(let slope): return try activated(x, .leakyReLU(slope), named: name)
    case .elu(let alpha): return try activated(x, .elu(alpha), named: name)
    case .selu:
      let inner = try activated(x, .elu(Float(ActivationFunction.seluAlpha)))
      return try scaled(inner, by: Float(ActivationFunction.seluScale), named: name)
    case .sigmoid: return try activated(x, .sigmoid, named: name)
    case .tanh: return try activated(x, .tanh, named: name)
    case .hardSigmoid: return try activated(x, .hardSigmoid(1 / 6, 0.5), named: name)
    case .hardSigmoidKeras2: return try activated(x, .hardSigmoid(0.2, 0.5), named: name)
    case .hardSigmoidLinear(let alpha, let beta):
      return try activated(x, .hardSigmoid(alpha, beta), named: name)
    case .hardSwish:
      return try combined(
        .multiply, x, try activated(x, .hardSigmoid(1 / 6, 0.5)), named: name)
    case .swish: return try combined(.multiply, x, try activated(x, .sigmoid), named: name)
    case .mish:
      let gate = try activated(try activated(x, .softplus), .tanh)
      return try combined(.multiply, x, gate, named: name)
    case .gelu: return try map(.gelu, x, named: name) { $0.integer(1, 0) }
    case .geluTanh: return try map(.gelu, x, named: name) { $0.integer(1, 1) }
    case .softplus: return try activated(x, .softplus, named: name)
    }
  }

  /// `min(max(x, minimum), maximum)`, where a bound may be infinite.
  mutating func clipped(
    _ x: String, _ minimum: Float, _ maximum: Float, named name: String? = nil
  ) throws(ExportRefusal) -> String {
    switch (minimum.isFinite, maximum.isFinite) {
    case (true, true):
      return try map(.clip, x, named: name) {
        $0.float(1, minimum)
        $0.float(2, maximum)
      }
    case (true, false): return try combined(.maximum, x, try number(minimum), named: name)
    case (false, true): return try combined(.minimum, x, try number(maximum), named: name)
    case (false, false):
      return minimum < maximum ? x : try add(.copy, [x], sizes: sizes(of: x), named: name)
    }
  }

  /// One of the functions of the layer `unary` without further numbers.
  mutating func root(_ x: String, named name: String? = nil) throws(ExportRefusal) -> String {
    try map(.unary, x, named: name) { $0.integer(1, 0) }
  }
  mutating func exponential(
    _ x: String, named name: String? = nil
  ) throws(ExportRefusal) -> String { try map(.unary, x, named: name) { $0.integer(1, 4) } }
  mutating func logarithm(
    _ x: String, named name: String? = nil
  ) throws(ExportRefusal) -> String { try map(.unary, x, named: name) { $0.integer(1, 5) } }
  mutating func magnitude(
    _ x: String, named name: String? = nil
  ) throws(ExportRefusal) -> String { try map(.unary, x, named: name) { $0.integer(1, 6) } }

  mutating func unary(
    _ call: CoreMLOperation, _ function: UnaryFunction
  ) throws(ExportRefusal) {
    let (x, form, name) = try elementwise(call)
    let result: String
    if let kind = Self.unaryKinds[function] {
      result = try map(kind, x, named: name)
    } else {
      result = try applied(function, to: x, named: name)
    }
    set(call.output, form, result)
  }

  private mutating func applied(
    _ function: UnaryFunction, to x: String, named name: String?
  ) throws(ExportRefusal) -> String {
    switch function {
    case .absolute: return try magnitude(x, named: name)
    case .negate: return try scaled(x, by: -1, named: name)
    // The function of the layer `unary` adds a number to what it divides by.
    case .reciprocal: return try combined(.divide, try number(1), x, named: name)
    case .squareRoot: return try root(x, named: name)
    case .reciprocalSquareRoot:
      return try combined(.divide, try number(1), try root(x), named: name)
    case .square: return try combined(.multiply, x, x, named: name)
    case .exponential: return try exponential(x, named: name)
    case .logarithm: return try logarithm(x, named: name)
    case .truncate:
      let whole = try map(.floor, try magnitude(x))
      return try combined(.multiply, try map(.sign, x), whole, named: name)
    case .softsign: return try activated(x, .softsign, named: name)
    case .logicalNot: return try compared(.equal, x, to: 0, named: name)
    case .isNonzero: return try compared(.notEqual, x, to: 0, named: name)
    case .isNaN: return try combined(.notEqual, x, x, named: name)
    case .roundToFloat16, .roundToBFloat16:
      throw ExportRefusal(what: "a rounding to numbers of 16 bits")
    case .isInfinite(let positive, let negative):
      switch (positive, negative) {
      case (true, true):
        return try compared(.greater, try magnitude(x), to: Self.largest, named: name)
      case (true, false): return try compared(.greater, x, to: Self.largest, named: name)
      case (false, true): return try compared(.less, x, to: -Self.largest, named: name)
      case (false, false):
        let isAbove = try compared(.greater, x, to: .infinity)
        return try scaled(isAbove, by: 0, named: name)
      }
    case .thresholdedReLU(let alpha):
      // NaN is in no comparison and stays.
      let isBelow = try compared(.lessOrEqual, x, to: alpha)
      return try selected(isBelow, try number(0), x, named: name)
    case .scaledELU(let alpha, let gamma):
      return try scaled(try activated(x, .elu(alpha)), by: gamma, named: name)
    case .celu(let alpha) where alpha > 0:
      let inner = try activated(try scaled(x, by: 1 / alpha), .elu(1))
      return try scaled(inner, by: alpha, named: name)
    case .celu(let alpha):
      let power = try exponential(try scaled(x, by: 1 / alpha))
      let below = try scaled(try shifted(power, by: -1), by: alpha)
      return try selected(try compared(.greater, x, to: 0), x, below, named: name)
    case .swish(let beta):
      let gate = try activated(try scaled(x, by: beta), .sigmoid)
      return try combined(.multiply, x, gate, named: name)
    case .shrink(let bias, let lambda):
      let above = try selected(
        try compared(.lessOrEqual, x, to: lambda), try number(0), try shifted(x, by: -bias))
      return try selected(
        try compared(.less, x, to: -lambda), try shifted(x, by: bias), above, named: name)
    case .scaledTanh(let alpha, let beta):
      return try activated(x, .scaledTanh(alpha, beta), named: name)
    case .parametricSoftplus(let alpha, let beta):
      let inner = try activated(try scaled(x, by: beta), .softplus)
      return try scaled(inner, by: alpha, named: name)
    case .sign, .floor, .ceiling, .round, .errorFunction, .sine, .cosine, .tangent, .arcsine,
      .arccosine, .arctangent, .hyperbolicSine, .hyperbolicCosine, .hyperbolicArcsine,
      .hyperbolicArccosine, .hyperbolicArctangent:
      return x
    }
  }

  /// The functions that are one layer without parameters.
  private static let unaryKinds: [UnaryFunction: CoreMLKind] = [
    .sign: .sign, .floor: .floor, .ceiling: .ceil, .round: .round, .errorFunction: .erf,
    .sine: .sin, .cosine: .cos, .tangent: .tan, .arcsine: .asin, .arccosine: .acos,
    .arctangent: .atan, .hyperbolicSine: .sinh, .hyperbolicCosine: .cosh,
    .hyperbolicArcsine: .asinh, .hyperbolicArccosine: .acosh, .hyperbolicArctangent: .atanh,
  ]

  /// The operand of a function of one number, with its form and the name of the result.
  private mutating func elementwise(
    _ call: CoreMLOperation
  ) throws(ExportRefusal) -> (x: String, form: CoreMLValue.Form, name: String?) {
    let form = try value(call.inputs[0]).primary
    return (try name(of: call.inputs[0], in: form), form, name(for: call.output))
  }

  mutating func softmax(_ call: CoreMLOperation, logarithm: Bool) throws(ExportRefusal) {
    let (x, form, name) = try elementwise(call)
    let axis = form == .channelsFirst ? 1 : sizes(of: x).count - 1
    guard logarithm else {
      return set(call.output, form, try softmax(x, axis: axis, named: name))
    }
    // x − ln Σ eˣ, with the largest number taken off first.
    let rest = try combined(.subtract, x, try reduced(.reduceMax, x, axes: [axis]))
    let sum = try reduced(.reduceSum, try exponential(rest), axes: [axis])
    let lower = try self.logarithm(sum)
    set(call.output, form, try combined(.subtract, rest, lower, named: name))
  }

  // MARK: Quantizations

  /// The integers nearest to numbers, as numbers.
  mutating func quantize(
    _ call: CoreMLOperation, _ quantization: Quantization
  ) throws(ExportRefusal) {
    let (x, form, name) = try elementwise(call)
    let quotient = try combined(.divide, x, try number(quantization.scale))
    let whole = try shifted(try map(.round, quotient), by: Float(quantization.zeroPoint))
    let range = quantization.storage.range
    set(
      call.output, form,
      try clipped(whole, Float(range.lowerBound), Float(range.upperBound), named: name))
  }

  /// The numbers that integers stand for.
  mutating func dequantize(
    _ call: CoreMLOperation, _ quantization: Quantization
  ) throws(ExportRefusal) {
    let (x, form, name) = try elementwise(call)
    let difference = try shifted(x, by: -Float(quantization.zeroPoint))
    set(call.output, form, try scaled(difference, by: quantization.scale, named: name))
  }
}
