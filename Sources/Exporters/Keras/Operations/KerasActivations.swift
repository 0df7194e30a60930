import Forge
import ForgeOperations
import ForgeShapes

/// Functions of one number.
extension KerasGraphWriter {
  mutating func activation(
    _ call: KerasOperation, _ function: ActivationFunction
  ) throws(ExportRefusal) {
    if function == .linear { return try alias(call.output, call.inputs[0]) }
    if let name = Self.name(of: function) {
      if try fuse(call, activation: name) { return }
      return try elementwise(call) { writer, x, isResult in
        writer.layer(
          "Activation", x, [("activation", .text(name))], sizes: x.sizes, named: isResult)
      }
    }
    try elementwise(call) { writer, x, isResult in
      switch function {
      case .clipped(let minimum, let maximum):
        return writer.clipped(x, minimum, maximum, named: isResult)
      case .leakyReLU(let slope) where slope >= 0:
        return writer.layer(
          "LeakyReLU", x, [("negative_slope", .number(slope))], sizes: x.sizes, named: isResult)
      case .leakyReLU(let slope):
        return writer.one(
          .nn("LeakyRelu"), [.tensor(x)], [("negative_slope", .number(slope))], sizes: x.sizes,
          named: isResult)
      case .elu(let alpha):
        return writer.layer(
          "ELU", x, [("alpha", .number(alpha))], sizes: x.sizes, named: isResult)
      case .geluTanh:
        return writer.one(
          .nn("Gelu"), [.tensor(x)], [("approximate", .flag(true))], sizes: x.sizes,
          named: isResult)
      case .hardSigmoidKeras2: return writer.hardSigmoid(x, 0.2, 0.5, named: isResult)
      case .hardSigmoidLinear(let alpha, let beta):
        return writer.hardSigmoid(x, alpha, beta, named: isResult)
      case .linear, .relu, .relu6, .selu, .sigmoid, .tanh, .hardSigmoid, .hardSwish, .swish,
        .mish, .gelu, .softplus:
        return x
      }
    }
  }

  /// The name of a function without arguments in Keras.
  static func name(of function: ActivationFunction) -> String? {
    switch function {
    case .linear: "linear"
    case .relu: "relu"
    case .relu6: "relu6"
    case .selu: "selu"
    case .sigmoid: "sigmoid"
    case .tanh: "tanh"
    case .hardSigmoid: "hard_sigmoid"
    case .hardSwish: "hard_silu"
    case .swish: "silu"
    case .mish: "mish"
    case .gelu: "gelu"
    case .softplus: "softplus"
    case .elu(let alpha): alpha == 1 ? "elu" : nil
    case .clipped, .leakyReLU, .hardSigmoidKeras2, .hardSigmoidLinear, .geluTanh: nil
    }
  }

  /// Makes an activation part of the layer with weights that it belongs to, if there is one.
  private mutating func fuse(
    _ call: KerasOperation, activation: String
  ) throws(ExportRefusal) -> Bool {
    let x = try primary(call.inputs[0])
    let record = records[x.layer]
    // The activation of recurrent cells is inside them, so they have a place of their own.
    guard isReadOnce(x), x.output == 0, record.calls.count == 1, !record.weights.isEmpty,
      record.place.isEmpty,
      record.name == layerName || record.name.hasPrefix(layerName + "_"),
      producers[call.inputs[0].index]?.layers.last == producers[call.output.index]?.layers.last,
      let place = record.config.firstIndex(where: { $0.name == "activation" }),
      case .text("linear") = record.config[place].value, !x.sizes.isEmpty
    else { return false }
    if let other = share(x.layer, with: ("activation", .text(activation))) {
      set(call.output, to: other)
    } else {
      if isResult(call.output) { records[x.layer].name = layerName }
      try alias(call.output, call.inputs[0])
    }
    return true
  }

  /// The smaller of a bound and the larger of another one and each number.
  private mutating func clipped(
    _ x: KerasTensor, _ minimum: Float, _ maximum: Float, named isResult: Bool
  ) -> KerasTensor {
    if minimum.isFinite, maximum.isFinite {
      return one(
        .numpy("Clip"), [.tensor(x)], [("x_min", .number(minimum)), ("x_max", .number(maximum))],
        sizes: x.sizes, named: isResult)
    }
    var result = x
    if minimum > -.infinity {
      result = pair("Maximum", result, minimum, named: isResult && maximum == .infinity)
    }
    if maximum < .infinity { result = pair("Minimum", result, maximum, named: isResult) }
    return result
  }

  private mutating func hardSigmoid(
    _ x: KerasTensor, _ alpha: Float, _ beta: Float, named isResult: Bool
  ) -> KerasTensor {
    clipped(pair("Add", pair("Multiply", x, alpha), beta), 0, 1, named: isResult)
  }

  /// An operation of a tensor and a number.
  mutating func pair(
    _ name: String, _ x: KerasTensor, _ number: Float, type: String = "float32",
    named isResult: Bool = false
  ) -> KerasTensor {
    one(
      .numpy(name), [.tensor(x), .json(.number(number))], sizes: x.sizes, type: type,
      named: isResult)
  }

  /// An operation of two tensors of one size.
  mutating func pair(
    _ name: String, _ x: KerasTensor, _ y: KerasTensor, type: String = "float32",
    sizes: [Int]? = nil, named isResult: Bool = false
  ) -> KerasTensor {
    one(
      .numpy(name), [.tensor(x), .tensor(y)], sizes: sizes ?? x.sizes, type: type,
      named: isResult)
  }

  /// An operation of one tensor without arguments.
  mutating func numpy(
    _ name: String, _ x: KerasTensor, type: String = "float32", named isResult: Bool = false
  ) -> KerasTensor {
    one(.numpy(name), [.tensor(x)], sizes: x.sizes, type: type, named: isResult)
  }

  /// A tensor of another element type.
  mutating func cast(
    _ x: KerasTensor, to type: String = "float32", named isResult: Bool = false
  ) -> KerasTensor {
    one(
      .core("Cast"), [.tensor(x)], [("dtype", .text(type))], sizes: x.sizes, type: type,
      named: isResult)
  }

  /// Whether numbers are not 0.
  mutating func isTrue(_ x: KerasTensor) -> KerasTensor {
    pair("NotEqual", x, 0, type: "bool")
  }

  mutating func unary(
    _ call: KerasOperation, _ function: UnaryFunction
  ) throws(ExportRefusal) {
    if let kind = Self.kind(of: function) {
      return try elementwise(call) { writer, x, isResult in
        writer.one(kind, [.tensor(x)], sizes: x.sizes, named: isResult)
      }
    }
    try elementwise(call) { writer, x, isResult throws(ExportRefusal) in
      switch function {
      case .round:
        return writer.one(
          .numpy("Round"), [.tensor(x)], [("decimals", .integer(0))], sizes: x.sizes,
          named: isResult)
      case .logicalNot:
        return writer.cast(writer.pair("Equal", x, 0, type: "bool"), named: isResult)
      case .isNonzero: return writer.cast(writer.isTrue(x), named: isResult)
      case .isNaN: return writer.cast(writer.numpy("Isnan", x, type: "bool"), named: isResult)
      case .isInfinite(let positive, let negative):
        var found = writer.numpy("Isinf", x, type: "bool")
        if !positive || !negative {
          guard positive || negative else { return writer.numpy("ZerosLike", x, named: isResult) }
          let side = writer.pair(positive ? "Greater" : "Less", x, 0, type: "bool")
          found = writer.pair("LogicalAnd", found, side, type: "bool")
        }
        return writer.cast(found, named: isResult)
      case .roundToFloat16, .roundToBFloat16:
        throw ExportRefusal(what: "numbers that are rounded to 16 bits and back")
      case .thresholdedReLU(let alpha):
        // Keras's own operation makes 0 of NaN.
        let isBelow = writer.pair("LessEqual", x, alpha, type: "bool")
        return writer.one(
          .numpy("Where"), [.tensor(isBelow), .json(.number(0)), .tensor(x)], sizes: x.sizes,
          named: isResult)
      case .scaledELU(let alpha, let gamma):
        let curve = writer.layer("ELU", x, [("alpha", .number(alpha))], sizes: x.sizes)
        return writer.pair("Multiply", curve, gamma, named: isResult)
      case .celu(let alpha):
        return writer.one(
          .nn("Celu"), [.tensor(x)], [("alpha", .number(alpha))], sizes: x.sizes,
          named: isResult)
      case .swish(let beta):
        let sigmoid = writer.one(
          .nn("Sigmoid"), [.tensor(writer.pair("Multiply", x, beta))], sizes: x.sizes)
        return writer.pair("Multiply", x, sigmoid, named: isResult)
      case .shrink(let bias, let lambda):
        // NaN is in none of the comparisons and stays; of a lambda below 0 the first one counts.
        let isInside = writer.pair("LessEqual", x, lambda, type: "bool")
        let above = writer.one(
          .numpy("Where"),
          [.tensor(isInside), .json(.number(0)), .tensor(writer.pair("Subtract", x, bias))],
          sizes: x.sizes)
        let isBelow = writer.pair("Less", x, -lambda, type: "bool")
        return writer.one(
          .numpy("Where"),
          [.tensor(isBelow), .tensor(writer.pair("Add", x, bias)), .tensor(above)],
          sizes: x.sizes, named: isResult)
      case .scaledTanh(let alpha, let beta):
        let tanh = writer.numpy("Tanh", writer.pair("Multiply", x, beta))
        return writer.pair("Multiply", tanh, alpha, named: isResult)
      case .parametricSoftplus(let alpha, let beta):
        let softplus = writer.one(
          .nn("Softplus"), [.tensor(writer.pair("Multiply", x, beta))], sizes: x.sizes)
        return writer.pair("Multiply", softplus, alpha, named: isResult)
      case .absolute, .negate, .sign, .reciprocal, .squareRoot, .reciprocalSquareRoot, .square,
        .exponential, .logarithm, .floor, .ceiling, .truncate, .errorFunction, .sine, .cosine,
        .tangent, .arcsine, .arccosine, .arctangent, .hyperbolicSine, .hyperbolicCosine,
        .hyperbolicArcsine, .hyperbolicArccosine, .hyperbolicArctangent, .softsign:
        return x
      }
    }
  }

  /// A function that is one operation without arguments.
  private static func kind(of function: UnaryFunction) -> KerasRecord.Kind? {
    switch function {
    case .absolute: .numpy("Absolute")
    case .negate: .numpy("Negative")
    case .sign: .numpy("Sign")
    case .reciprocal: .numpy("Reciprocal")
    case .squareRoot: .numpy("Sqrt")
    case .reciprocalSquareRoot: .math("Rsqrt")
    case .square: .numpy("Square")
    case .exponential: .numpy("Exp")
    case .logarithm: .numpy("Log")
    case .floor: .numpy("Floor")
    case .ceiling: .numpy("Ceil")
    case .truncate: .numpy("Trunc")
    case .errorFunction: .math("Erf")
    case .sine: .numpy("Sin")
    case .cosine: .numpy("Cos")
    case .tangent: .numpy("Tan")
    case .arcsine: .numpy("Arcsin")
    case .arccosine: .numpy("Arccos")
    case .arctangent: .numpy("Arctan")
    case .hyperbolicSine: .numpy("Sinh")
    case .hyperbolicCosine: .numpy("Cosh")
    case .hyperbolicArcsine: .numpy("Arcsinh")
    case .hyperbolicArccosine: .numpy("Arccosh")
    case .hyperbolicArctangent: .numpy("Arctanh")
    case .softsign: .nn("Softsign")
    case .round, .logicalNot, .isNonzero, .isNaN, .isInfinite, .roundToFloat16, .roundToBFloat16,
      .thresholdedReLU, .scaledELU, .celu, .swish, .shrink, .scaledTanh, .parametricSoftplus:
      nil
    }
  }

  /// A function of one number, in the sizes that the operand has.
  private mutating func elementwise(
    _ call: KerasOperation,
    _ make: (inout KerasGraphWriter, KerasTensor, Bool) throws(ExportRefusal) -> KerasTensor
  ) throws(ExportRefusal) {
    let x = try primary(call.inputs[0])
    set(call.output, to: try make(&self, x, isResult(call.output)))
  }

  mutating func softmax(_ call: KerasOperation, logarithm: Bool) throws(ExportRefusal) {
    let x = try rows(call.inputs[0])
    let isResult = isResult(call.output)
    set(
      call.output,
      to: logarithm
        ? one(
          .nn("LogSoftmax"), [.tensor(x)], [("axis", .integer(-1))], sizes: x.sizes,
          named: isResult)
        : layer("Softmax", x, [("axis", .integer(-1))], sizes: x.sizes, named: isResult))
  }
}
