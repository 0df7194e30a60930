import Forge

extension ONNXOperators {
  /// Functions of one tensor, element by element.
  static let activations: [String: Operation] = {
    var table: [String: Operation] = [
      "Relu": activation { _ in .relu },
      "LeakyRelu": activation { .leakyReLU(slope: $0.node.float("alpha", 0.01)) },
      "Elu": activation { .elu(alpha: $0.node.float("alpha", 1)) },
      "Sigmoid": activation { _ in .sigmoid },
      "Tanh": activation { _ in .tanh },
      "HardSigmoid": activation { call in
        let (alpha, beta) = (call.node.float("alpha", 0.2), call.node.float("beta", 0.5))
        return .hardSigmoidLinear(alpha: alpha, beta: beta)
      },
      "HardSwish": activation { _ in .hardSwish },
      "Mish": activation { _ in .mish },
      "Softplus": activation { _ in .softplus },
      "Gelu": activation { $0.node.string("approximate", "none") == "tanh" ? .geluTanh : .gelu },
      "Selu": { call in
        let alpha = call.node.float("alpha", 1.67326319217681884765625)
        let gamma = call.node.float("gamma", 1.05070102214813232421875)
        try unary(&call, .scaledELU(alpha: alpha, gamma: gamma))
      },
      "Celu": { try unary(&$0, .celu(alpha: $0.node.float("alpha", 1))) },
      "ThresholdedRelu": { call in
        try unary(&call, .thresholdedReLU(alpha: call.node.float("alpha", 1)))
      },
      "Shrink": { call in
        let (bias, lambda) = (call.node.float("bias"), call.node.float("lambd", 0.5))
        try unary(&call, .shrink(bias: bias, lambda: lambda))
      },
      "Swish": { call in
        let beta = call.node.float("alpha", 1)
        guard beta == 1 else { return try unary(&call, .swish(beta: beta)) }
        try activation { _ in .swish }(&call)
      },
      "Not": { try unary(&$0, .logicalNot, type: .bool) },
      "IsNaN": { try unary(&$0, .isNaN, type: .bool) },
      "IsInf": { call in
        let positive = call.node.int("detect_positive", 1) != 0
        let negative = call.node.int("detect_negative", 1) != 0
        try unary(&call, .isInfinite(positive: positive, negative: negative), type: .bool)
      },
      "Identity": { call in call.set(try call.value(0)) },
      "Dropout": { call in
        if let training = call.host(2), try training.integers().first ?? 0 != 0,
          try call.knownFloats(1, "the ratio")?.first ?? 0.5 != 0
        {
          throw NodeFailure.unsupported("training")
        }
        call.set(try call.value(0))
        guard call.node.outputs.dropFirst().contains(where: { !$0.isEmpty }) else { return }
        // The mask keeps everything: what is no number beyond infinity is true.
        let input = try call.network(0)
        let none = Unary(.isInfinite(positive: false, negative: false))
        let mask = try call.apply(Unary(.logicalNot), to: try call.apply(none, to: input.tensor))
        let type: ElementType = call.opset < 10 ? input.type : .bool
        call.set(
          FileTensor(mask, sizes: input.sizes, layout: input.layout, type: type), output: 1)
      },
      "Cast": { try cast(&$0, to: Int32(clamping: $0.node.int("to"))) },
      "CastLike": { call in
        let type = try call.value(1).type
        try cast(&call, to: type)
      },
      "Clip": clip,
      "PRelu": prelu,
    ]
    let functions: [String: UnaryFunction] = [
      "Abs": .absolute, "Neg": .negate, "Sign": .sign, "Reciprocal": .reciprocal,
      "Sqrt": .squareRoot, "Exp": .exponential, "Log": .logarithm, "Floor": .floor,
      "Ceil": .ceiling, "Round": .round, "Erf": .errorFunction, "Sin": .sine, "Cos": .cosine,
      "Tan": .tangent, "Asin": .arcsine, "Acos": .arccosine, "Atan": .arctangent,
      "Sinh": .hyperbolicSine, "Cosh": .hyperbolicCosine, "Asinh": .hyperbolicArcsine,
      "Acosh": .hyperbolicArccosine, "Atanh": .hyperbolicArctangent, "Softsign": .softsign,
    ]
    for (name, function) in functions {
      table[name] = { call in
        try call.refuseIntegers()
        try unary(&call, function)
      }
    }
    return table
  }()

  private static func activation(
    _ function: @escaping @Sendable (ONNXCall) -> ActivationFunction
  ) -> Operation {
    { call in
      let input = try call.network(0)
      let layer = Activation(function(call), name: call.layerName)
      call.set(try call.apply(layer, to: input.tensor), like: input)
    }
  }

  private static func unary(
    _ call: inout ONNXCall, _ function: UnaryFunction, type: ElementType? = nil
  ) throws {
    let input = try call.network(0)
    let layer = Unary(function, name: call.layerName)
    call.set(try call.apply(layer, to: input.tensor), like: input, type: type)
  }

  private static func cast(_ call: inout ONNXCall, to number: Int32) throws {
    guard let type = ElementType(onnx: number) else {
      throw NodeFailure.unsupported("type \(ONNXTypeName.name(number))")
    }
    try cast(&call, to: type)
  }

  /// Numbers become integers by cutting off fractions; floating-point types keep their numbers,
  /// because Forge computes in Float32.
  private static func cast(_ call: inout ONNXCall, to type: ElementType) throws {
    if let host = call.host(0) {
      call.set(.host(try host.cast(to: type)))
      return
    }
    let input = try call.network(0)
    func set(_ function: UnaryFunction) throws {
      call.set(try call.apply(Unary(function), to: input.tensor), like: input, type: type)
    }
    switch (input.type, type) {
    case (_, .bool) where input.type != .bool: try set(.isNonzero)
    case (.float32, .float16), (.bfloat16, .float16), (.int32, .float16), (.int64, .float16):
      try set(.roundToFloat16)
    case (.float32, .bfloat16), (.float16, .bfloat16), (.int32, .bfloat16), (.int64, .bfloat16):
      try set(.roundToBFloat16)
    case (.float64, _), (_, .float64):
      throw NodeFailure.unsupported("arithmetic on f64")
    // From i64 to i32 no number changes that Float32 has exactly.
    case (.int32, .int8), (.int32, .uint8), (.int64, .int8), (.int64, .uint8), (.int8, .uint8),
      (.uint8, .int8):
      throw NodeFailure.unsupported("\(input.type.rawValue) to \(type.rawValue)")
    default:
      if type.isInteger, !input.type.isInteger {
        guard type == .int32 || type == .int64 else {
          throw NodeFailure.unsupported("\(input.type.rawValue) to \(type.rawValue)")
        }
        try set(.truncate)
      } else {
        var result = input
        result.type = type
        call.set(result)
      }
    }
  }

  private static func clip(_ call: inout ONNXCall) throws {
    try call.refuseIntegers()
    let input = try call.network(0)
    let bounds = try [1, 2].map { index -> Float?? in
      let attribute = index == 1 ? "min" : "max"
      if call.node.has(attribute) { return .some(call.node.float(attribute)) }
      guard call.has(index) else { return .some(nil) }
      guard let host = call.host(index) else { return .none }
      return .some(try host.floats().first)
    }
    guard let known = bounds[0], let other = bounds[1] else {
      // Bounds computed at run time.
      var result = input
      if call.has(1) { result = try combined(&call, result, try call.network(1)) { Maximum() } }
      if call.has(2) { result = try combined(&call, result, try call.network(2)) { Minimum() } }
      call.set(result)
      return
    }
    var (low, high) = (known ?? -.infinity, other ?? .infinity)
    // The upper bound wins where they cross.
    low = min(low, high)
    high = max(low, high)
    let function: ActivationFunction =
      (low, high) == (0, 6)
      ? .relu6
      : (low, high) == (0, .infinity)
        ? .relu
        : .clipped(minimum: low, maximum: high)
    let layer = Activation(function, name: call.layerName)
    call.set(try call.apply(layer, to: input.tensor), like: input)
  }

  private static func prelu(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let slope = try call.value(1)
    let channels = input.rank > 1 ? input.sizes[1] : 1
    if case .host(let values) = slope, input.rank >= 2, input.layout.last == 1,
      input.layout.count <= 3,
      values.count == channels || values.count == 1,
      values.sizes.count <= 1 || values.sizes.first == values.count
        || (values.sizes.count == input.rank && values.sizes[1] == values.count)
    {
      let slopes = try values.reshaped([values.count]).expanded(to: [channels])
      let name = call.layerName
      let result = try call.apply(PReLU(name: name), to: input.tensor)
      call.parameter(.slopes, of: name, slopes)
      call.set(result, like: input)
      return
    }
    // x where it is positive, else the product.
    var other = try call.network(1)
    if HostTensor.broadcast(input.sizes, other.sizes) == nil, other.rank == 1 {
      // Files of the first operator sets align one slope per channel with the channels.
      other = other.reshaped(to: other.sizes + Array(repeating: 1, count: max(input.rank - 2, 0)))
    }
    let product = try combined(&call, input, other) { Multiply() }
    let positive = try call.apply(Compare(.greater, than: [0]), to: input.tensor)
    let result = try call.apply(
      Where(), to: [positive, input.tensor, product.tensor(as: input.layout)])
    call.set(result, like: input)
  }
}
