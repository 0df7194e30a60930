import Forge
import ForgeOperations
import ForgeShapes

/// Functions of one number or of two.
extension ONNXGraphWriter {
  mutating func activation(
    _ call: ONNXOperation, _ function: ActivationFunction
  ) throws(ExportRefusal) {
    try elementwise(call) { writer, x, name in
      switch function {
      case .linear: writer.add("Identity", [x], named: name)
      case .relu: writer.add("Relu", [x], named: name)
      case .relu6: writer.add("Clip", [x, writer.number(0), writer.number(6)], named: name)
      case .clipped(let minimum, let maximum):
        writer.add("Clip", [x, writer.number(minimum), writer.number(maximum)], named: name)
      case .leakyReLU(let slope):
        writer.add("LeakyRelu", [x], named: name, ("alpha", .float(slope)))
      case .elu(let alpha): writer.add("Elu", [x], named: name, ("alpha", .float(alpha)))
      case .selu: writer.add("Selu", [x], named: name)
      case .sigmoid: writer.add("Sigmoid", [x], named: name)
      case .tanh: writer.add("Tanh", [x], named: name)
      case .hardSigmoid: writer.hardSigmoid(x, 1 / 6, 0.5, named: name)
      case .hardSigmoidKeras2: writer.hardSigmoid(x, 0.2, 0.5, named: name)
      case .hardSigmoidLinear(let alpha, let beta):
        writer.hardSigmoid(x, alpha, beta, named: name)
      case .hardSwish: writer.add("HardSwish", [x], named: name)
      case .swish: writer.add("Mul", [x, writer.add("Sigmoid", [x])], named: name)
      case .mish: writer.add("Mish", [x], named: name)
      case .gelu: writer.add("Gelu", [x], named: name, ("approximate", .text("none")))
      case .geluTanh: writer.add("Gelu", [x], named: name, ("approximate", .text("tanh")))
      case .softplus: writer.add("Softplus", [x], named: name)
      }
    }
  }

  private mutating func hardSigmoid(
    _ x: String, _ alpha: Float, _ beta: Float, named name: String?
  ) -> String {
    add("HardSigmoid", [x], named: name, ("alpha", .float(alpha)), ("beta", .float(beta)))
  }

  mutating func unary(
    _ call: ONNXOperation, _ function: UnaryFunction
  ) throws(ExportRefusal) {
    if let type = Self.unaryTypes[function] {
      return try elementwise(call) { writer, x, name in writer.add(type, [x], named: name) }
    }
    try elementwise(call) { writer, x, name in
      switch function {
      case .reciprocalSquareRoot:
        writer.add("Reciprocal", [writer.add("Sqrt", [x])], named: name)
      case .square: writer.add("Mul", [x, x], named: name)
      case .truncate:
        writer.add(
          "Mul", [writer.add("Sign", [x]), writer.add("Floor", [writer.add("Abs", [x])])],
          named: name)
      case .logicalNot: writer.cast(writer.add("Equal", [x, writer.number(0)]), named: name)
      case .isNonzero: writer.cast(writer.isTrue(x), named: name)
      case .isNaN: writer.cast(writer.add("IsNaN", [x]), named: name)
      case .roundToFloat16: writer.rounded(x, through: 10, named: name)
      case .roundToBFloat16: writer.rounded(x, through: 16, named: name)
      case .isInfinite(let positive, let negative):
        writer.cast(
          writer.add(
            "IsInf", [x], ("detect_positive", .int(positive ? 1 : 0)),
            ("detect_negative", .int(negative ? 1 : 0))), named: name)
      case .thresholdedReLU(let alpha):
        writer.add("ThresholdedRelu", [x], named: name, ("alpha", .float(alpha)))
      case .scaledELU(let alpha, let gamma):
        writer.add(
          "Selu", [x], named: name, ("alpha", .float(alpha)), ("gamma", .float(gamma)))
      case .celu(let alpha): writer.add("Celu", [x], named: name, ("alpha", .float(alpha)))
      case .swish(let beta):
        writer.add(
          "Mul", [x, writer.add("Sigmoid", [writer.add("Mul", [x, writer.number(beta)])])],
          named: name)
      case .shrink(let bias, let lambda):
        writer.add(
          "Shrink", [x], named: name, ("bias", .float(bias)), ("lambd", .float(lambda)))
      case .scaledTanh(let alpha, let beta):
        writer.scaled("Tanh", x, alpha, beta, named: name)
      case .parametricSoftplus(let alpha, let beta):
        writer.scaled("Softplus", x, alpha, beta, named: name)
      case .absolute, .negate, .sign, .reciprocal, .squareRoot, .exponential, .logarithm, .floor,
        .ceiling, .round, .errorFunction, .sine, .cosine, .tangent, .arcsine, .arccosine,
        .arctangent, .hyperbolicSine, .hyperbolicCosine, .hyperbolicArcsine,
        .hyperbolicArccosine, .hyperbolicArctangent, .softsign:
        x
      }
    }
  }

  /// The functions that are one operator without attributes.
  private static let unaryTypes: [UnaryFunction: String] = [
    .absolute: "Abs", .negate: "Neg", .sign: "Sign", .reciprocal: "Reciprocal",
    .squareRoot: "Sqrt", .exponential: "Exp", .logarithm: "Log", .floor: "Floor",
    .ceiling: "Ceil", .round: "Round", .errorFunction: "Erf", .sine: "Sin", .cosine: "Cos",
    .tangent: "Tan", .arcsine: "Asin", .arccosine: "Acos", .arctangent: "Atan",
    .hyperbolicSine: "Sinh", .hyperbolicCosine: "Cosh", .hyperbolicArcsine: "Asinh",
    .hyperbolicArccosine: "Acosh", .hyperbolicArctangent: "Atanh", .softsign: "Softsign",
  ]

  /// `alpha·f(beta·x)`.
  private mutating func scaled(
    _ type: String, _ x: String, _ alpha: Float, _ beta: Float, named name: String?
  ) -> String {
    add("Mul", [add(type, [add("Mul", [x, number(beta)])]), number(alpha)], named: name)
  }

  /// Numbers rounded to a narrower type and back.
  private mutating func rounded(_ x: String, through type: Int, named name: String?) -> String {
    cast(add("Cast", [x], ("to", .int(type))), named: name)
  }

  /// Booleans as 0 and 1.
  mutating func cast(_ x: String, named name: String? = nil) -> String {
    add("Cast", [x], named: name, ("to", .int(1)))
  }

  /// Whether numbers are not 0.
  mutating func isTrue(_ x: String) -> String { add("Not", [add("Equal", [x, number(0)])]) }

  /// A function of one number, in the form that the operand has.
  private mutating func elementwise(
    _ call: ONNXOperation,
    _ make: (inout ONNXGraphWriter, _ x: String, _ name: String?) -> String
  ) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    let x = try name(of: call.inputs[0], in: input.primary)
    let result = make(&self, x, name(for: call.output))
    set(call.output, input.primary, result, isBatched: input.isBatched)
  }

  mutating func binary(
    _ call: ONNXOperation, _ function: BinaryOperator
  ) throws(ExportRefusal) {
    let (form, names) = try broadcast(call.inputs)
    let (a, b) = (names[0], names[1])
    let name = name(for: call.output)
    let result: String
    switch function {
    case .add: result = add("Add", [a, b], named: name)
    case .subtract: result = add("Sub", [a, b], named: name)
    case .multiply: result = add("Mul", [a, b], named: name)
    case .maximum: result = add("Max", [a, b], named: name)
    case .minimum: result = add("Min", [a, b], named: name)
    case .prelu:
      // ONNX's own operator needs slopes that are broadcast to the other operand.
      if sizes(call.output) == sizes(call.inputs[0]) {
        result = add("PRelu", [a, b], named: name)
      } else {
        let isPositive = add("Greater", [a, number(0)])
        result = add("Where", [isPositive, a, add("Mul", [a, b])], named: name)
      }
    case .divide: result = add("Div", [a, b], named: name)
    case .power: result = add("Pow", [a, b], named: name)
    case .remainderOfDividend: result = add("Mod", [a, b], named: name, ("fmod", .int(1)))
    case .remainderOfDivisor:
      let rest = add("Mod", [a, b], ("fmod", .int(1)))
      let signs = [add("Less", [rest, number(0)]), add("Less", [b, number(0)])]
      let isOther = add("And", [add("Xor", signs), isTrue(rest)])
      result = add("Where", [isOther, add("Add", [rest, b]), rest], named: name)
    case .equal: result = cast(add("Equal", [a, b]), named: name)
    case .notEqual: result = cast(add("Not", [add("Equal", [a, b])]), named: name)
    case .less: result = cast(add("Less", [a, b]), named: name)
    case .lessOrEqual: result = cast(add("LessOrEqual", [a, b]), named: name)
    case .greater: result = cast(add("Greater", [a, b]), named: name)
    case .greaterOrEqual: result = cast(add("GreaterOrEqual", [a, b]), named: name)
    case .and: result = cast(add("And", [isTrue(a), isTrue(b)]), named: name)
    case .or: result = cast(add("Or", [isTrue(a), isTrue(b)]), named: name)
    case .xor: result = cast(add("Xor", [isTrue(a), isTrue(b)]), named: name)
    }
    set(call.output, form, result, isBatched: try isBatched(call.inputs))
  }

  mutating func select(_ call: ONNXOperation) throws(ExportRefusal) {
    let (form, names) = try broadcast(call.inputs)
    let result = add(
      "Where", [isTrue(names[0]), names[1], names[2]], named: name(for: call.output))
    set(call.output, form, result, isBatched: try isBatched(call.inputs))
  }

  /// Values in one form, so that their axes meet when they are broadcast.
  private mutating func broadcast(
    _ operands: [OperationGraph.Value]
  ) throws(ExportRefusal) -> (form: ONNXValue.Form, names: [String]) {
    let form = try form(of: operands)
    let rank = operands.map { sizes($0).count }.max() ?? 0
    var names: [String] = []
    for operand in operands {
      if form == .plain {
        names.append(try plain(operand, rank: rank))
      } else if let image = constantImage(operand) {
        names.append(try constant(operand, image, in: form))
      } else {
        names.append(try name(of: operand, in: form))
      }
    }
    return (form, names)
  }

  /// A constant of at most three axes as an image is broadcast to one: height, width, channels.
  private mutating func constant(
    _ value: OperationGraph.Value, _ image: [Int], in form: ONNXValue.Form
  ) throws(ExportRefusal) -> String {
    let (pixels, channels) = (image[0] * image[1], image[2])
    guard form == .channelsFirst else { return try parameter(value, sizes: [1, channels]) }
    return try parameter(
      value, sizes: [1, channels, image[0], image[1]], as: "channels first"
    ) { values in
      guard values.count == pixels * channels else { return [] }
      return (0..<channels).flatMap { channel in
        (0..<pixels).map { values[$0 * channels + channel] }
      }
    }
  }

  mutating func affine(_ call: ONNXOperation) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    let x = try name(of: call.inputs[0], in: input.primary)
    let scale = try channels(call.inputs[1], of: input)
    let shift = try channels(call.inputs[2], of: input)
    let product = add("Mul", [x, scale])
    let result = add("Add", [product, shift], named: name(for: call.output))
    set(call.output, input.primary, result, isBatched: input.isBatched)
  }

  /// One number per channel, or one for all, to be broadcast to a value.
  private mutating func channels(
    _ constant: OperationGraph.Value, of value: ONNXValue
  ) throws(ExportRefusal) -> String {
    let count = sizes(constant).reduce(1, *)
    return try parameter(
      constant, sizes: value.primary == .channelsFirst && count > 1 ? [count, 1, 1] : [count])
  }

  mutating func softmax(_ call: ONNXOperation, logarithm: Bool) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    let x = try name(of: call.inputs[0], in: input.primary)
    let result = add(
      logarithm ? "LogSoftmax" : "Softmax", [x], named: name(for: call.output),
      ("axis", .int(input.primary == .channelsFirst ? 1 : -1)))
    set(call.output, input.primary, result, isBatched: input.isBatched)
  }
}
