import Forge

extension ONNXOperators {
  /// Operators of ONNX Runtime on integers that are others on the real numbers they stand for.
  static let quantizedElements: [ONNXOperator] = [
    pair("QLinearAdd", as: "Add"),
    pair("QLinearMul", as: "Mul"),
    ONNXOperator(
      "QLinearWhere", domain: microsoft, import: choice, fold: .none, bounds: nil,
      length: .followed, sizes: .none, examples: .apart(ONNXOpenRules.broadcast)),
    single("QLinearLeakyRelu", as: "LeakyRelu", rule: ONNXOpenRules.broadcast),
    single("QLinearSigmoid", as: "Sigmoid", rule: ONNXOpenRules.broadcast),
    single("QLinearAveragePool", as: "AveragePool", rule: ONNXOpenRules.firstAxis),
    single("QLinearGlobalAveragePool", as: "GlobalAveragePool", rule: ONNXOpenRules.firstAxis),
    ONNXOperator(
      "QLinearSoftmax", domain: microsoft, import: softmax, fold: .none, bounds: nil,
      length: .followed, sizes: .none,
      examples: .apart { node in
        [try node.apart(from: [try node.axis(node.call.node.int("axis", -1))])]
      }),
    ONNXOperator(
      "QLinearConcat", domain: microsoft, import: concatenation, fold: .none, bounds: nil,
      length: .refused, sizes: .none, examples: .mixed),
    ONNXOperator(
      "DynamicQuantizeLinear", import: dynamicQuantization, fold: .none, bounds: nil,
      length: .followed, sizes: .none, examples: .mixed),
  ]

  /// A function of one tensor, whose inputs are the integers, their scale and zero point, and those
  /// of the result.
  private static func single(
    _ type: String, as real: String, rule: @escaping ONNXOpenRules.Rule
  ) -> ONNXOperator {
    ONNXOperator(
      type, domain: microsoft,
      import: { call in
        try call.refuse("channels_last")
        let result = try call.result(as: real, [try call.real(0)])
        call.set(try call.quantized(result, 3))
      },
      fold: .none, bounds: nil, length: .followed, sizes: .none, examples: .apart(rule))
  }

  /// A function of two tensors, with broadcasting.
  private static func pair(_ type: String, as real: String) -> ONNXOperator {
    ONNXOperator(
      type, domain: microsoft,
      import: { call in
        let operands = [try call.real(0), try call.real(3)]
        call.set(try call.quantized(try call.part(real, operands), 6))
      },
      fold: .none, bounds: nil, length: .followed, sizes: .none,
      examples: .apart(ONNXOpenRules.broadcast))
  }

  private static func choice(_ call: inout ONNXCall) throws {
    let operands = [try call.value(0), try call.real(1), try call.real(4)]
    call.set(try call.quantized(try call.part("Where", operands), 7))
  }

  private static func softmax(_ call: inout ONNXCall) throws {
    let rank = try call.value(0).sizes.count
    let axis = try ONNXCall.axis(call.node.int("axis", -1), rank: rank)
    // Before operator set 13 all axes from the stated one on are one.
    guard call.node.int("opset", 13) >= 13 || axis == rank - 1 else {
      throw NodeFailure.unsupported("axis \(axis) before operator set 13")
    }
    let result = try call.part("Softmax", [try call.real(0)], ["axis": .int(axis)])
    call.set(try call.quantized(result, 3))
  }

  private static func concatenation(_ call: inout ONNXCall) throws {
    let parts = try stride(from: 2, to: call.inputs.count, by: 3).map { try call.real($0) }
    let result = try call.part("Concat", parts, ["axis": .int(call.node.int("axis"))])
    call.set(try call.quantized(result, 0))
  }

  /// A tensor whose last axis does not follow the length of a sequence, if the file's does not: the
  /// blocks of channels are then the same for every length.
  private static func rangedInput(_ input: FileTensor) throws -> FileTensor {
    guard input.maximumLength != nil, let last = input.layout.last.flatMap(\.self) else {
      return input
    }
    let sizes = try input.lengthSizes()
    guard sizes[last].constant == nil, sizes.last?.constant != nil else { return input }
    let layout = FileTensor.fileLayout(input.sizes)
    return FileTensor(
      input.tensor(as: layout), sizes: input.sizes, layout: layout, type: input.type)
  }

  /// `scale = (max(0, x) − min(0, x)) / 255`, 1 instead of 0; `zero = round(−min / scale)`;
  /// `y = clamp(round(x / scale) + zero)`, over all elements.
  private static func dynamicQuantization(_ call: inout ONNXCall) throws {
    let input = try rangedInput(try call.network(0))
    let range = try call.apply(DynamicRange(), to: input.tensor)
    call.set(
      FileTensor(
        try call.apply(DynamicIntegers(), to: input.tensor, range), sizes: input.sizes,
        layout: input.layout, type: .uint8))
    for (output, type) in [(1, ElementType.float32), (2, .uint8)] {
      let part = try call.apply(Slice(starts: [output - 1], ends: [output]), to: range)
      call.set(FileTensor(part, sizes: [], layout: [nil], type: type), output: output)
    }
  }
}
