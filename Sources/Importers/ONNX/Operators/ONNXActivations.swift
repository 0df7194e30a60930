import Forge

extension ONNXOperators {
  /// Functions of one tensor, element by element.
  static let activations: [String: Operation] = {
    var table: [String: Operation] = [
      "Relu": activation { _ in .relu },
      "LeakyRelu": { call in
        let slope = call.node.float("alpha", 0.01)
        guard slope.isFinite else { return try bent(&call, slope) }
        try activation { _ in .leakyReLU(slope: slope) }(&call)
      },
      "Elu": activation { .elu(alpha: $0.node.float("alpha", 1)) },
      "Sigmoid": activation { _ in .sigmoid },
      "Tanh": activation { _ in .tanh },
      "HardSigmoid": { call in
        let (alpha, beta) = (call.node.float("alpha", 0.2), call.node.float("beta", 0.5))
        guard !alpha.isFinite || !beta.isFinite else {
          return try activation { _ in .hardSigmoidLinear(alpha: alpha, beta: beta) }(&call)
        }
        let input = try call.network(0)
        let product = try call.apply(Multiply(), to: input.tensor, number(alpha, beside: input))
        let sum = try call.apply(Add(), to: product, number(beta, beside: input))
        call.set(
          try call.apply(Activation(.clipped(minimum: 0, maximum: 1)), to: sum), like: input)
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
        let input = try call.network(0)
        let alpha = call.node.float("alpha", 1)
        call.set(
          try chosen(call, input, where: .greater, than: alpha, input.tensor), like: input)
      },
      "Shrink": { call in
        let (bias, lambda) = (call.node.float("bias"), call.node.float("lambd", 0.5))
        let input = try call.network(0)
        let lowered = try call.apply(Subtract(), to: input.tensor, number(bias, beside: input))
        let raised = try call.apply(Add(), to: input.tensor, number(bias, beside: input))
        let below = try chosen(call, input, where: .less, than: -lambda, raised)
        call.set(
          try chosen(call, input, where: .greater, than: lambda, lowered, else: below),
          like: input)
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

  /// A tensor where a comparison of the input holds, and another one, or 0, elsewhere.
  ///
  /// NaN compares with nothing, and is therefore elsewhere.
  private static func chosen(
    _ call: ONNXCall, _ input: FileTensor, where comparison: Comparison, than bound: Float,
    _ tensor: Tensor, else other: Tensor? = nil
  ) throws -> Tensor {
    let holds = try call.apply(
      Compare(comparison), to: input.tensor, number(bound, beside: input))
    return try call.apply(Where(), to: [holds, tensor, try other ?? number(0, beside: input)])
  }

  /// A number, which need not be finite, that broadcasts to a tensor.
  private static func number(_ value: Float, beside input: FileTensor) throws -> Tensor {
    let values = HostTensor(floats: [value], sizes: input.sizes.map { _ in 1 })
    return try ONNXCall.constant(values, layout: input.layout).tensor
  }

  /// `x` from 0 on, `slope·x` below, of a slope that is not finite.
  private static func bent(_ call: inout ONNXCall, _ slope: Float) throws {
    let input = try call.network(0)
    let product = try call.apply(Multiply(), to: input.tensor, number(slope, beside: input))
    call.set(
      try chosen(call, input, where: .less, than: 0, product, else: input.tensor), like: input)
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
    default:
      if type.isInteger, type != .bool, input.type != .bool, input.type != type {
        var result = input.tensor
        if !input.type.isInteger { result = try call.apply(Unary(.truncate), to: result) }
        if type.byteCount < input.type.byteCount || type.byteCount == 1,
          type != .int32 || (input.type == .int64 && call.integerBound == nil)
        {
          result = try wrapped(call, result, to: type)
        }
        call.set(result, like: input, type: type)
      } else {
        var result = input
        result.type = type
        call.set(result)
      }
    }
  }

  /// Whole numbers modulo 2 to the bits of a type, as casts between integers keep the low bits.
  ///
  /// Every step is exact: the remainder is a multiple of the number's own last bit.
  private static func wrapped(
    _ call: ONNXCall, _ tensor: Tensor, to type: ElementType
  ) throws -> Tensor {
    let modulus = Float(sign: .plus, exponent: 8 * type.byteCount, significand: 1)
    let (lowest, end) = type == .uint8 ? (0, modulus) : (-modulus / 2, modulus / 2)
    let rest = try call.apply(Remainder(.ofDividend, by: [modulus]), to: tensor)
    func shift(_ comparison: Compare, _ amount: Float) throws -> Tensor {
      try call.apply(Scale(amount), to: try call.apply(comparison, to: rest))
    }
    let raised = try call.apply(
      Add(), to: rest, try shift(Compare(.less, than: [lowest]), modulus))
    return try call.apply(
      Add(), to: raised, try shift(Compare(.greaterOrEqual, than: [end]), -modulus))
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
    // NumPy makes every number NaN there, and ONNX Runtime ignores the bound.
    guard known?.isNaN != true, other?.isNaN != true else {
      throw NodeFailure.unsupported("a bound that is no number")
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

  /// `x` from 0 on, `slope·x` below; the slope broadcasts to `x`.
  private static func prelu(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let slope = try call.value(1).reshaped(to: try slopeSizes(call, input))
    // The layer has a slope for each channel.
    if case .host(let values) = slope, input.rank >= 2, input.layout.last == 1,
      input.layout.count <= 3,
      slope.sizes.indices.allSatisfy({ $0 == 1 || slope.sizes[$0] == 1 }),
      try values.floats().allSatisfy(\.isFinite)
    {
      let slopes = try values.reshaped([values.count]).expanded(to: [input.sizes[1]])
      let name = call.layerName
      let result = try call.apply(PReLU(name: name), to: input.tensor)
      call.parameter(.slopes, of: name, slopes)
      call.set(result, like: input)
      return
    }
    call.inputs[1] = slope
    let product = try combined(&call, input, try call.network(1)) { Multiply() }
    let negative = try call.apply(Compare(.less, than: [0]), to: input.tensor)
    let result = try call.apply(
      Where(), to: [negative, product.tensor(as: input.layout), input.tensor])
    call.set(result, like: input)
  }

  /// The sizes of a slope, as many as those of its input.
  ///
  /// From operator set 7 on it broadcasts from the last axis; before, it has one value for each
  /// channel, which are along the second axis.
  private static func slopeSizes(_ call: ONNXCall, _ input: FileTensor) throws -> [Int] {
    let stated = try call.value(1).sizes
    var sizes = stated
    if call.opset < 7, stated.count == 1, input.rank >= 2 {
      sizes = [1, stated[0]] + Array(repeating: 1, count: input.rank - 2)
    } else if stated.count < input.rank {
      sizes = Array(repeating: 1, count: input.rank - stated.count) + stated
    }
    guard sizes.count == input.rank, HostTensor.broadcast(input.sizes, sizes) == input.sizes else {
      throw NodeFailure.invalid(
        "a slope of sizes \(stated), which does not broadcast to \(input.sizes)")
    }
    return sizes
  }
}
