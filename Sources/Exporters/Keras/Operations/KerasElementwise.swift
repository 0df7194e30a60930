import Forge
import ForgeOperations
import ForgeShapes

/// Functions of one number or of two.
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
    guard isReadOnce(call.inputs[0]) else { return false }
    let x = try primary(call.inputs[0])
    let record = records[x.layer]
    guard x.output == 0, record.calls.count == 1, !record.weights.isEmpty,
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
      case .shrink(let bias, let lambda) where lambda >= 0:
        let isSmall = writer.pair("LessEqual", writer.numpy("Absolute", x), lambda, type: "bool")
        let move = writer.pair("Multiply", writer.numpy("Sign", x), bias)
        return writer.one(
          .numpy("Where"),
          [.tensor(isSmall), .json(.number(0)), .tensor(writer.pair("Subtract", x, move))],
          sizes: x.sizes, named: isResult)
      case .shrink(let bias, let lambda):
        let above = writer.shrunk(x, "Greater", lambda, "Subtract", bias)
        let below = writer.shrunk(x, "Less", -lambda, "Add", bias)
        return writer.pair("Add", above, below, named: isResult)
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

  /// The numbers beyond a bound, moved toward 0, and 0 for the others.
  private mutating func shrunk(
    _ x: KerasTensor, _ comparison: String, _ bound: Float, _ move: String, _ bias: Float
  ) -> KerasTensor {
    let isBeyond = pair(comparison, x, bound, type: "bool")
    return one(
      .numpy("Where"),
      [.tensor(isBeyond), .tensor(pair(move, x, bias)), .json(.number(0))], sizes: x.sizes)
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

  mutating func binary(
    _ call: KerasOperation, _ function: BinaryOperator
  ) throws(ExportRefusal) {
    if function == .prelu, try prelu(call) { return }
    let (operands, made) = try broadcast(call.inputs)
    let isResult = isResult(call.output)
    if let layer = Self.layer(of: function), case .tensor(let a) = operands[0],
      case .tensor(let b) = operands[1], a.sizes == b.sizes
    {
      return set(
        call.output, to: one(.layer(layer), [.list(operands)], sizes: made, named: isResult))
    }
    func make(
      _ writer: inout KerasGraphWriter, _ name: String, _ arguments: [KerasArgument],
      _ type: String = "float32", named: Bool = false
    ) -> KerasTensor {
      writer.one(.numpy(name), arguments, sizes: made, type: type, named: named)
    }
    let result: KerasTensor
    switch function {
    case .add: result = make(&self, "Add", operands, named: isResult)
    case .subtract: result = make(&self, "Subtract", operands, named: isResult)
    case .multiply: result = make(&self, "Multiply", operands, named: isResult)
    case .maximum: result = make(&self, "Maximum", operands, named: isResult)
    case .minimum: result = make(&self, "Minimum", operands, named: isResult)
    case .divide: result = make(&self, "Divide", operands, named: isResult)
    case .power: result = make(&self, "Power", operands, named: isResult)
    case .prelu:
      let isPositive = one(
        .numpy("Greater"), [operands[0], .json(.number(0))], sizes: sizes(operands[0], made),
        type: "bool")
      let product = make(&self, "Multiply", operands)
      result = make(
        &self, "Where", [.tensor(isPositive), operands[0], .tensor(product)], named: isResult)
    case .remainderOfDividend:
      // x − trunc(x / y)·y would round; the remainder of the magnitudes is exact.
      let magnitudes = absolutes(operands, made)
      let rest = make(&self, "Mod", magnitudes)
      let sign = one(
        .numpy("Sign"), [operands[0]], sizes: sizes(operands[0], made))
      result = make(&self, "Multiply", [.tensor(rest), .tensor(sign)], named: isResult)
    case .remainderOfDivisor: result = make(&self, "Mod", operands, named: isResult)
    case .equal: result = compare("Equal", operands, made, isResult)
    case .notEqual: result = compare("NotEqual", operands, made, isResult)
    case .less: result = compare("Less", operands, made, isResult)
    case .lessOrEqual: result = compare("LessEqual", operands, made, isResult)
    case .greater: result = compare("Greater", operands, made, isResult)
    case .greaterOrEqual: result = compare("GreaterEqual", operands, made, isResult)
    case .and: result = logical("LogicalAnd", operands, made, isResult)
    case .or: result = logical("LogicalOr", operands, made, isResult)
    case .xor: result = logical("LogicalXor", operands, made, isResult)
    }
    set(call.output, to: result)
  }

  /// The layer of two tensors of one size.
  private static func layer(of function: BinaryOperator) -> String? {
    switch function {
    case .add: "Add"
    case .subtract: "Subtract"
    case .multiply: "Multiply"
    case .maximum: "Maximum"
    case .minimum: "Minimum"
    case .prelu, .divide, .power, .remainderOfDividend, .remainderOfDivisor, .equal, .notEqual,
      .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or, .xor:
      nil
    }
  }

  /// The sizes of an operand, of which a constant has those of the result.
  private func sizes(_ operand: KerasArgument, _ made: [Int]) -> [Int] {
    operand.tensors.first?.sizes ?? made
  }

  private mutating func absolutes(
    _ operands: [KerasArgument], _ made: [Int]
  ) -> [KerasArgument] {
    operands.map { operand in
      switch operand {
      case .json(.number(let number)): .json(.number(abs(number)))
      case .json(.array(let array)):
        .json(
          .array(
            KerasArray(sizes: array.sizes) {
              try array.values().map { abs($0) }
            }))
      case .tensor(let tensor): .tensor(numpy("Absolute", tensor))
      case .json, .list: operand
      }
    }
  }

  private mutating func compare(
    _ name: String, _ operands: [KerasArgument], _ made: [Int], _ isResult: Bool
  ) -> KerasTensor {
    cast(one(.numpy(name), operands, sizes: made, type: "bool"), named: isResult)
  }

  private mutating func logical(
    _ name: String, _ operands: [KerasArgument], _ made: [Int], _ isResult: Bool
  ) -> KerasTensor {
    let truths = operands.map { operand in
      KerasArgument.tensor(
        one(
          .numpy("NotEqual"), [operand, .json(.number(0))], sizes: sizes(operand, made),
          type: "bool"))
    }
    return compare(name, truths, made, isResult)
  }

  /// A layer with slopes as its weights, if the slopes are constants.
  private mutating func prelu(_ call: KerasOperation) throws(ExportRefusal) -> Bool {
    let (input, slopes) = (sizes(call.inputs[0]), sizes(call.inputs[1]))
    guard isConstant(call.inputs[1]), !isConstant(call.inputs[0]), slopes.count <= input.count,
      sizes(call.output) == input
    else { return false }
    let wide = Array(repeating: 1, count: input.count - slopes.count) + slopes
    let x = try plain(call.inputs[0])
    let shared = wide.indices.filter { wide[$0] == 1 && input[$0] > 1 }
    set(
      call.output,
      to: layer(
        "PReLU", x,
        [("shared_axes", shared.isEmpty ? .null : .integers(shared.map { $0 + 1 }))],
        weights: [try weight(call.inputs[1], sizes: wide)], sizes: x.sizes,
        named: isResult(call.output)))
    return true
  }

  mutating func select(_ call: KerasOperation) throws(ExportRefusal) {
    let (operands, made) = try broadcast(call.inputs)
    let condition = one(
      .numpy("NotEqual"), [operands[0], .json(.number(0))], sizes: sizes(operands[0], made),
      type: "bool")
    set(
      call.output,
      to: one(
        .numpy("Where"), [.tensor(condition), operands[1], operands[2]], sizes: made,
        named: isResult(call.output)))
  }

  /// Operands whose axes meet when they are broadcast, and the sizes of the result.
  ///
  /// Constants are part of the description.
  mutating func broadcast(
    _ operands: [OperationGraph.Value]
  ) throws(ExportRefusal) -> (operands: [KerasArgument], made: [Int]) {
    let tensors = operands.filter { !isConstant($0) }
    let first = tensors.first ?? operands[0]
    let rank = operands.map { sizes($0).count }.max() ?? 0
    // Tensors of one size stay in the sizes that the first one has.
    let isAlike = tensors.allSatisfy { sizes($0) == sizes(first) }
    let primary = try value(first).primary
    let keepsForm =
      isAlike
      && operands.allSatisfy {
        !isConstant($0) || tensors.isEmpty || isAlong(primary, sizes(first), sizes($0))
      }
    func wide(_ sizes: [Int]) -> [Int] {
      Array(repeating: 1, count: max(rank, 1) - sizes.count) + sizes
    }
    var arguments: [KerasArgument] = []
    var shapes: [[Int]] = []
    for operand in operands {
      if isConstant(operand), !tensors.isEmpty {
        let own = sizes(operand)
        let trimmed = Array(own.drop { $0 == 1 })
        let given = keepsForm ? trimmed : wide(own)
        shapes.append(given)
        arguments.append(
          try constant(operand, sizes: keepsForm ? trimmed : Array(own.drop { $0 == 1 })))
      } else {
        let made = try tensor(operand, sizes: keepsForm ? primary : wide(sizes(operand)))
        shapes.append(made.sizes)
        arguments.append(.tensor(made))
      }
    }
    var made: [Int] = []
    for shape in shapes {
      let count = max(made.count, shape.count)
      let (a, b) = (
        Array(repeating: 1, count: count - made.count) + made,
        Array(repeating: 1, count: count - shape.count) + shape
      )
      made = zip(a, b).map { max($0, $1) }
    }
    return (arguments, made)
  }

  /// Whether a constant repeats along a tensor of these sizes, also in another form of it.
  private func isAlong(_ form: [Int], _ plain: [Int], _ constant: [Int]) -> Bool {
    let rest = Array(constant.drop { $0 == 1 })
    return rest.count <= min(form.count, plain.count)
      && zip(rest.reversed(), zip(form.reversed(), plain.reversed())).allSatisfy {
        $0 == 1 || ($0 == $1.0 && $0 == $1.1)
      }
      && (rest.count < 2 || form.suffix(rest.count) == plain.suffix(rest.count))
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

  mutating func affine(_ call: KerasOperation) throws(ExportRefusal) {
    let x = try rows(call.inputs[0])
    var factors: [KerasArgument] = []
    for operand in call.inputs.dropFirst() {
      guard isConstant(operand) else { throw ExportRefusal(what: "factors that are computed") }
      factors.append(try constant(operand, sizes: Array(sizes(operand).drop { $0 == 1 })))
    }
    let product = one(.numpy("Multiply"), [.tensor(x), factors[0]], sizes: x.sizes)
    set(
      call.output,
      to: one(
        .numpy("Add"), [.tensor(product), factors[1]], sizes: x.sizes,
        named: isResult(call.output)))
  }
}
