import Forge

extension ONNXOperators {
  /// The functions between the layers of a network.
  static let activations: [ONNXOperator] = [
    .function("Relu", import: activation { _ in .relu }),
    .function("LeakyRelu", import: leakyRelu),
    .function("Elu", import: activation { .elu(alpha: $0.node.float("alpha", 1)) }),
    .function("Sigmoid", import: activation { _ in .sigmoid }),
    .function("Tanh", import: activation { _ in .tanh }),
    .function("HardSigmoid", import: hardSigmoid),
    .function("HardSwish", import: activation { _ in .hardSwish }),
    .function("Mish", import: activation { _ in .mish }),
    .function("Softplus", import: activation { _ in .softplus }),
    .function(
      "Gelu",
      import: activation { $0.node.string("approximate", "none") == "tanh" ? .geluTanh : .gelu }),
    .function("Selu", import: selu),
    .function("Celu", import: { try unary(&$0, .celu(alpha: $0.node.float("alpha", 1))) }),
    .function("ThresholdedRelu", import: thresholdedRelu),
    .function("Shrink", import: shrink),
    .function("Swish", import: swish),
    .function("PRelu", import: prelu),
    .elementwise(
      "Clip", import: clip, fold: .known(ONNXFolding.clip), bounds: .clipped, sizes: .none),
  ]

  private static func activation(
    _ function: @escaping @Sendable (ONNXCall) -> ActivationFunction
  ) -> Operation {
    { call in
      let input = try call.network(0)
      let layer = Activation(function(call), name: call.layerName)
      call.set(try call.apply(layer, to: input.tensor), like: input)
    }
  }

  /// `x` from 0 on, `alpha·x` below.
  private static func leakyRelu(_ call: inout ONNXCall) throws {
    let slope = call.node.float("alpha", 0.01)
    guard slope.isFinite else { return try bent(&call, slope) }
    try activation { _ in .leakyReLU(slope: slope) }(&call)
  }

  /// `alpha·x + beta` between 0 and 1; infinite factors need their own steps.
  private static func hardSigmoid(_ call: inout ONNXCall) throws {
    let (alpha, beta) = (call.node.float("alpha", 0.2), call.node.float("beta", 0.5))
    guard !alpha.isFinite || !beta.isFinite else {
      return try activation { _ in .hardSigmoidLinear(alpha: alpha, beta: beta) }(&call)
    }
    let input = try call.network(0)
    let product = try call.apply(Multiply(), to: input.tensor, number(alpha, beside: input))
    let sum = try call.apply(Add(), to: product, number(beta, beside: input))
    call.set(
      try call.apply(Activation(.clipped(minimum: 0, maximum: 1)), to: sum), like: input)
  }

  /// `gamma·x` from 0 on, `gamma·alpha·(eˣ − 1)` below.
  private static func selu(_ call: inout ONNXCall) throws {
    let alpha = call.node.float("alpha", 1.67326319217681884765625)
    let gamma = call.node.float("gamma", 1.05070102214813232421875)
    try unary(&call, .scaledELU(alpha: alpha, gamma: gamma))
  }

  /// `x` above a bound, 0 elsewhere.
  private static func thresholdedRelu(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let alpha = call.node.float("alpha", 1)
    call.set(
      try chosen(call, input, where: .greater, than: alpha, input.tensor), like: input)
  }

  /// `x` nearer to 0 by a bias where it is far from 0, and 0 elsewhere.
  private static func shrink(_ call: inout ONNXCall) throws {
    let (bias, lambda) = (call.node.float("bias"), call.node.float("lambd", 0.5))
    let input = try call.network(0)
    let lowered = try call.apply(Subtract(), to: input.tensor, number(bias, beside: input))
    let raised = try call.apply(Add(), to: input.tensor, number(bias, beside: input))
    let below = try chosen(call, input, where: .less, than: -lambda, raised)
    call.set(
      try chosen(call, input, where: .greater, than: lambda, lowered, else: below),
      like: input)
  }

  /// `x` times the sigmoid of `alpha·x`.
  private static func swish(_ call: inout ONNXCall) throws {
    let beta = call.node.float("alpha", 1)
    guard beta == 1 else { return try unary(&call, .swish(beta: beta)) }
    try activation { _ in .swish }(&call)
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

  private static func clip(_ call: inout ONNXCall) throws {
    if try !call.value(0).type.isNarrowInteger { try call.refuseIntegers() }
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
      throw NodeFailure.unsupported("a bound that is not a number")
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
      try input.lengthSizes()[1].constant != nil,
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
