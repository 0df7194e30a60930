import Forge

extension ONNXOperators {
  /// Quantisation of values computed at run time: integers are whole numbers in Float32.
  static let quantizations: [String: Operation] = [
    "QuantizeLinear": { call in
      let input = try call.network(0)
      let type = try quantizedType(call)
      guard let range = range(of: type) else {
        throw NodeFailure.unsupported("quantisation to \(type.rawValue)")
      }
      var result = try combined(&call, input, try quantity(call, 1, input)) { Divide() }
      result = try applied(call, Unary(.round), result)
      if call.has(2) {
        result = try combined(&call, result, try quantity(call, 2, input)) { Add() }
      }
      result = try applied(
        call, Activation(.clipped(minimum: range.lowerBound, maximum: range.upperBound)), result)
      result.type = type
      call.set(result)
    },
    "DequantizeLinear": { call in
      var input = try call.network(0)
      let type = try call.value(1).type
      input.type = type
      var result = input
      if call.has(2) {
        result = try combined(&call, result, try quantity(call, 2, input)) { Subtract() }
      }
      result = try combined(&call, result, try quantity(call, 1, input)) { Multiply() }
      result.type = type
      call.set(result)
    },
  ]

  private static func applied(
    _ call: ONNXCall, _ layer: some Layer, _ input: FileTensor
  ) throws -> FileTensor {
    FileTensor(
      try call.apply(layer, to: input.tensor), sizes: input.sizes, layout: input.layout,
      type: input.type)
  }

  /// The type of the zero point, or the one that is stated.
  private static func quantizedType(_ call: ONNXCall) throws -> ElementType {
    if call.has(2) { return try call.value(2).type }
    let stated = call.node.int("output_dtype")
    guard stated != 0 else { return .uint8 }
    guard let type = ElementType(onnx: Int32(clamping: stated)) else {
      throw NodeFailure.unsupported("type \(ONNXTypeName.name(Int32(clamping: stated)))")
    }
    return type
  }

  private static func range(of type: ElementType) -> ClosedRange<Float>? {
    switch type {
    case .uint8: 0...255
    case .int8: -128...127
    default: nil
    }
  }

  /// A scale or zero point: one number, one for each entry of an axis, or one for each block of it.
  private static func quantity(
    _ call: ONNXCall, _ index: Int, _ input: FileTensor
  ) throws -> FileTensor {
    let given = try call.network(index)
    guard given.count > 1 || given.rank == input.rank else {
      return given.reshaped(to: input.sizes.map { _ in 1 })
    }
    let axis = try ONNXCall.axis(call.node.int("axis", 1), rank: input.rank)
    let block = call.node.int("block_size")
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
