import Forge

/// Operations on the bits of integers.
///
/// A network computes them with sums of powers of two, which Float32 has exactly: 8-bit integers
/// have 8 bits, wider ones 24 and a sign as far as they have a bound below 2²⁴.
extension ONNXOperators {
  /// Operations on bits.
  static let bits: [ONNXOperator] = [
    bitwise("BitwiseAnd", { $0 & $1 }) { try ONNXCall.applied(Multiply(), to: [$0, $1]) },
    bitwise("BitwiseOr", { $0 | $1 }) { try ONNXCall.applied(Maximum(), to: [$0, $1]) },
    bitwise("BitwiseXor", { $0 ^ $1 }) {
      try ONNXCall.applied(Unary(.absolute), to: [try ONNXCall.applied(Subtract(), to: [$0, $1])])
    },
    .elementwise(
      "BitwiseNot", import: complement,
      fold: .known(ONNXFolding.unary({ ~$0 }, { $0 })),
      bounds: ONNXIntegerBounds.Rule { _, bounds in (bounds.first ?? nil).map { $0 + 1 } },
      sizes: .none),
    .elementwise(
      "BitShift", import: shift, fold: .known(foldedShift),
      bounds: ONNXIntegerBounds.Rule { call, bounds in
        isLeft(call) ? nil : bounds.first ?? nil
      }, sizes: .none),
    .elementwise("BitCast", import: reinterpret, fold: .none, bounds: nil, sizes: .none),
  ]

  /// An operation on each bit of two tensors.
  private static func bitwise(
    _ type: String, _ integers: @escaping @Sendable (Int64, Int64) -> Int64,
    _ combine: @escaping @Sendable (Tensor, Tensor) throws -> Tensor
  ) -> ONNXOperator {
    .elementwise(
      type, import: { try combineBits(&$0, combine) },
      fold: .known(
        { call, hosts in
          guard hosts.allSatisfy(\.isInteger) else { return false }
          return try ONNXFolding.binary({ integers($0, $1) }, { $0 + $1 })(&call, hosts)
        }),
      bounds: ONNXIntegerBounds.Rule { _, bounds in
        // The sign and the bits of both are below the next power of two.
        let known = bounds.compactMap(\.self)
        guard known.count == 2, let largest = known.max(), largest < ONNXIntegerBounds.largest
        else { return nil }
        return 1 << (Int.bitWidth - largest.leadingZeroBitCount)
      }, sizes: .none)
  }

  /// The bits of both operands on an axis of their own, combined and summed again.
  private static func combineBits(
    _ call: inout ONNXCall, _ combine: (Tensor, Tensor) throws -> Tensor
  ) throws {
    let type = try call.value(0).type
    guard call.inputs.count == 2, try call.value(1).type == type else {
      throw NodeFailure.invalid("operands of different types")
    }
    if !type.isNarrowInteger { try call.refuseIntegers() }
    let layout = try commonLayout(call)
    let tensors = try (0..<2).map { try operand(call, $0, layout) }
    let rank = layout.layout.count
    guard rank < Shape.maximumRank else {
      throw NodeFailure.unsupported("a tensor of rank \(rank)")
    }
    let count = type == .uint8 ? 8 : type == .int8 ? 7 : 24
    let powers = (0..<count).map { Float(sign: .plus, exponent: $0, significand: 1) }
    // Halves of halves, rounded down, end in the sign.
    let sign = Float(sign: .plus, exponent: count, significand: 1)
    let weights = type == .uint8 ? powers : powers + [-sign]
    let parts = (type == .uint8 ? powers : powers + [sign]).map { 1 / $0 }
    let zeros = HostTensor(
      floats: Array(repeating: 0, count: parts.count),
      sizes: Array(repeating: 1, count: rank) + [parts.count])
    let spread = try ONNXCall.constant(zeros, layout: Array(0...rank)).tensor
    let digits = try tensors.map { tensor -> Tensor in
      let sizes = (tensor.shape?.sizes ?? []) + [1]
      let wide = try call.apply(Reshape(to: sizes), to: tensor)
      let all = try call.apply(Add(), to: wide, spread)
      let shifted = try call.apply(Unary(.floor), to: try call.apply(Scale(by: parts), to: all))
      return try call.apply(Remainder(.ofDivisor, by: [2]), to: shifted)
    }
    let weighted = try call.apply(Scale(by: weights), to: try combine(digits[0], digits[1]))
    set(&call, try call.apply(Reduce(.sum, axes: [-1]), to: weighted), layout, type: type)
  }

  /// `−1 − x`, of unsigned numbers `255 − x`.
  private static func complement(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    if !input.type.isNarrowInteger { try call.refuseIntegers() }
    let layer = Scale(-1, bias: input.type == .uint8 ? 255 : -1, name: call.layerName)
    call.set(try call.apply(layer, to: input.tensor), like: input)
  }

  private static func isLeft(_ call: ONNXCall) -> Bool {
    call.node.string("direction", "") == "LEFT"
  }

  private static func width(_ type: ElementType) -> Int { 8 * type.byteCount }

  /// Products with powers of two: rounded down to the right, wrapped around to the left.
  ///
  /// A negative amount, and one of all bits or more, leaves the sign.
  private static func shift(_ call: inout ONNXCall) throws {
    let type = try call.value(0).type
    guard call.inputs.count == 2, try call.value(1).type == type else {
      throw NodeFailure.invalid("operands of different types")
    }
    if !type.isNarrowInteger { try call.refuseIntegers() }
    let isLeft = isLeft(call)
    guard isLeft || call.node.string("direction", "") == "RIGHT" else {
      throw NodeFailure.invalid("no direction")
    }
    let layout = try commonLayout(call)
    let (number, amount) = (try operand(call, 0, layout), try operand(call, 1, layout))
    // All bits of a number that has a bound are gone after 25 places.
    let most = min(width(type), 25)
    let isNone = try call.apply(Compare(.less, than: [0]), to: amount)
    let raised = try call.apply(Scale(Float(most)), to: isNone)
    let places = try call.apply(
      Activation(.clipped(minimum: 0, maximum: Float(most))),
      to: try call.apply(Add(), to: try call.apply(Maximum(constant: [0]), to: amount), raised))
    let table = HostTensor(
      floats: (0...most).map { place in
        isLeft && place >= width(type)
          ? 0 : Float(sign: .plus, exponent: isLeft ? place : -place, significand: 1)
      }, sizes: [most + 1])
    let factors = try call.apply(
      GatherRows(axis: 0), to: try ONNXCall.constant(table, layout: [0]).tensor, places)
    let product = try call.apply(Multiply(), to: number, factors)
    let result =
      isLeft
      ? try wrapped(call, product, to: type) : try call.apply(Unary(.floor), to: product)
    set(&call, result, layout, type: type)
  }

  private static func foldedShift(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    guard hosts.count == 2, hosts.allSatisfy(\.isInteger) else { return false }
    let (isLeft, width) = (isLeft(call), Int64(width(hosts[0].type)))
    return try ONNXFolding.binary(
      { number, amount in
        guard (0..<width).contains(amount) else { return !isLeft && number < 0 ? -1 : 0 }
        return isLeft ? number << amount : number >> amount
      }, { $0 + $1 })(&call, hosts)
  }

  /// The bits of 8-bit integers and Booleans in another type of as many bits.
  private static func reinterpret(_ call: inout ONNXCall) throws {
    let number = Int32(clamping: call.node.int("to"))
    guard let type = ElementType(onnx: number) else {
      throw NodeFailure.unsupported("type \(ONNXTypeName.name(number))")
    }
    let input = try call.network(0)
    switch (input.type, type) {
    case (.int8, .uint8), (.uint8, .int8):
      call.set(try wrapped(call, input.tensor, to: type), like: input, type: type)
    case (.bool, .uint8), (.bool, .int8), (type, _):
      call.set(input.tensor, like: input, type: type)
    default:
      throw NodeFailure.unsupported("the bits of \(input.type.rawValue) as \(type.rawValue)")
    }
  }
}
