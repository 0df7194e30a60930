import Forge

extension ONNXOperators {
  /// Operators that keep the elements and may give them another type.
  static let conversions: [ONNXOperator] = [
    .elementwise(
      "Identity", import: { $0.set(try $0.value(0)) }, fold: .known(ONNXFolding.identity),
      bounds: .same, sizes: .moved { _ in true }),
    .elementwise("Dropout", import: dropout, fold: .none, bounds: nil, sizes: .none),
    .elementwise(
      "Cast", import: { try cast(&$0, to: Int32(clamping: $0.node.int("to"))) },
      fold: .known(ONNXFolding.cast), bounds: .converted,
      sizes: .computed(
        ONNXLengthFolding.converted { ElementType(onnx: Int32(clamping: $0.node.int("to"))) })),
    // Only the type of the second input counts: a constant remains one beside examples.
    ONNXOperator(
      "CastLike", import: { try cast(&$0, to: try $0.value(1).type) }, fold: .none, bounds: nil,
      length: .followed, sizes: .computed(ONNXLengthFolding.converted { try $0.value(1).type }),
      examples: .apart(ONNXOpenRules.broadcast)),
  ]

  /// The input: nothing is dropped but while training.
  private static func dropout(_ call: inout ONNXCall) throws {
    if let training = call.host(2), try training.integers().first ?? 0 != 0,
      try call.knownFloats(1, "the ratio")?.first ?? 0.5 != 0
    {
      throw NodeFailure.unsupported("training")
    }
    call.set(try call.value(0))
    guard call.node.outputs.dropFirst().contains(where: { !$0.isEmpty }) else { return }
    // The mask keeps everything: what is not a number beyond infinity is true.
    let input = try call.network(0)
    let none = Unary(.isInfinite(positive: false, negative: false))
    let mask = try call.apply(Unary(.logicalNot), to: try call.apply(none, to: input.tensor))
    let type: ElementType = call.opset < 10 ? input.type : .bool
    call.set(
      FileTensor(mask, sizes: input.sizes, layout: input.layout, type: type), output: 1)
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
    case (.float32, .float16), (.float64, .float16), (.bfloat16, .float16), (.int32, .float16),
      (.int64, .float16):
      try set(.roundToFloat16)
    case (.float32, .bfloat16), (.float64, .bfloat16), (.float16, .bfloat16), (.int32, .bfloat16),
      (.int64, .bfloat16):
      try set(.roundToBFloat16)
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
  static func wrapped(
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
}
