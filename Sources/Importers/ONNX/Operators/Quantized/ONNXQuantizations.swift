import Forge

extension ONNXOperators {
  /// Quantization of values computed at run time: integers are whole numbers in Float32.
  static let quantizations: [ONNXOperator] = [
    // Scales along a sequence, which are as many as its places, fit one length only.
    ONNXOperator(
      "QuantizeLinear", import: quantize,
      fold: .known { call, _ in try ONNXQuantization.quantize(&call) }, bounds: nil,
      length: .followed, sizes: .none, examples: .apart(ONNXOpenRules.quantized)),
    ONNXOperator(
      "DequantizeLinear", import: dequantize,
      fold: .known { call, _ in try ONNXQuantization.dequantize(&call) }, bounds: nil,
      length: .followed, sizes: .none, examples: .apart(ONNXOpenRules.quantized)),
  ]

  /// `round(x / scale) + zero point` within the type.
  private static func quantize(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let (type, range) = try ONNXQuantization.result(of: call)
    var result = try combined(&call, input, try quantity(call, 1, input)) { Divide() }
    result = try applied(call, Unary(.round), result)
    if call.has(2) {
      result = try combined(&call, result, try quantity(call, 2, input)) { Add() }
    }
    result = try applied(
      call, Activation(.clipped(minimum: range.lowerBound, maximum: range.upperBound)), result)
    result.type = type
    call.set(result)
  }

  /// `(x − zero point) · scale`.
  private static func dequantize(_ call: inout ONNXCall) throws {
    var input = try call.network(0)
    let type = try ONNXQuantization.dequantizedType(call)
    input.type = type
    var result = input
    if call.has(2) {
      result = try combined(&call, result, try quantity(call, 2, input)) { Subtract() }
    }
    result = try combined(&call, result, try quantity(call, 1, input)) { Multiply() }
    switch type {
    case .float16: result = try applied(call, Unary(.roundToFloat16), result)
    case .bfloat16: result = try applied(call, Unary(.roundToBFloat16), result)
    default: break
    }
    result.type = type
    call.set(result)
  }

  private static func applied(
    _ call: ONNXCall, _ layer: some Layer, _ input: FileTensor
  ) throws -> FileTensor {
    FileTensor(
      try call.apply(layer, to: input.tensor), sizes: input.sizes, layout: input.layout,
      type: input.type)
  }

  /// A scale or zero point: one number, one for each entry of an axis, or one for each block of it.
  private static func quantity(
    _ call: ONNXCall, _ index: Int, _ input: FileTensor
  ) throws -> FileTensor {
    let given = try call.network(index)
    let block = call.node.int("block_size")
    guard given.count > 1 || (block != 0 && given.rank == input.rank) else {
      return given.reshaped(to: input.sizes.map { _ in 1 })
    }
    let axis = try ONNXCall.axis(call.node.int("axis", 1), rank: input.rank)
    guard block != 0 else {
      guard given.rank == 1, given.count == input.sizes[axis] else {
        throw NodeFailure.invalid("\(given.sizes) scales of axis \(axis) of \(input.sizes)")
      }
      var sizes = input.sizes.map { _ in 1 }
      sizes[axis] = given.count
      return given.reshaped(to: sizes)
    }
    guard block > 0, given.rank == input.rank,
      given.sizes[axis] == input.sizes[axis].addingSaturated(block - 1) / block
    else { throw NodeFailure.invalid("blocks of \(block) of axis \(axis) of \(input.sizes)") }
    // Each number of a block is repeated for the elements of the block.
    let layout = FileTensor.fileLayout(given.sizes)
    let repeated = try call.apply(
      Gather(indices: (0..<input.sizes[axis]).map { $0 / block }, axis: axis),
      to: given.tensor(as: layout))
    return FileTensor(repeated, layout: layout, rank: given.rank, type: given.type)
  }
}
