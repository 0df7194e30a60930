import Forge

/// Arithmetic of integers that wraps around or divides.
extension ONNXOperators {
  /// Numbers, or 8-bit integers: their sums and products are exact in Float32, and wrap around as
  /// their type does.
  static func wrappingNumbers(
    _ call: inout ONNXCall, scale: ChannelScale? = nil, wraps: Bool = true,
    _ layer: (String?) -> some Layer
  ) throws {
    guard let type = try narrowType(call) else { return try numbers(&call, scale: scale, layer) }
    alignOldOperand(&call)
    try combine(&call, type: type, layer)
    guard wraps, call.inputs.count > 1, case .network(let result)? = call.outputs[0] else { return }
    call.set(try wrapped(call, result.tensor, to: type), like: result)
  }

  /// The 8-bit type that all inputs have; `nil` if they have another one.
  private static func narrowType(_ call: ONNXCall) throws -> ElementType? {
    let types = Set(try call.inputs.indices.map { try call.value($0).type })
    guard types.count == 1, let type = types.first, type.isNarrowInteger else { return nil }
    return type
  }

  /// Quotients; those of integers are cut off toward 0, and 0 where the divisor is, as in NumPy.
  static func divide(_ call: inout ONNXCall) throws {
    guard let divisor = try IntegerDivisor(&call) else {
      return try numbers(&call) { Divide(name: $0) }
    }
    let rest = try call.apply(Remainder(.ofDividend), to: divisor.dividend, divisor.divisor)
    // A multiple of the divisor has a quotient that Float32 has.
    let multiple = try call.apply(Subtract(), to: divisor.dividend, rest)
    let quotient = try call.apply(
      Unary(.round), to: try call.apply(Divide(), to: multiple, divisor.divisor))
    try divisor.set(&call, quotient)
  }

  /// Remainders; those of integers are 0 where the divisor is, as in NumPy.
  static func remainder(_ call: inout ONNXCall) throws {
    let sign: Remainder.Sign = call.node.int("fmod") != 0 ? .ofDividend : .ofDivisor
    guard let divisor = try IntegerDivisor(&call) else {
      return try numbers(&call) { Remainder(sign, name: $0) }
    }
    try divisor.set(
      &call, try call.apply(Remainder(sign), to: divisor.dividend, divisor.divisor))
  }

  /// Powers; the exponents of floating-point numbers may be integers.
  static func power(_ call: inout ONNXCall) throws {
    let isReal = try !call.value(0).type.isInteger
    try numbers(&call, integers: isReal ? [0] : [0, 1]) { Power(name: $0) }
  }

  /// The operands of a division of integers.
  private struct IntegerDivisor {
    /// The number that is divided.
    let dividend: Tensor
    /// The divisor, 1 in place of 0.
    let divisor: Tensor
    /// Whether it is 0; `nil` if it never is.
    private let isZero: Tensor?
    private let layout: CommonLayout
    private let type: ElementType

    /// Reads the operands; `nil` for floating-point numbers.
    init?(_ call: inout ONNXCall) throws {
      guard try call.value(0).type.isInteger, call.inputs.count == 2 else { return nil }
      let narrow = try narrowType(call)
      if narrow == nil {
        for index in 0..<2 { try call.refuseIntegers(index) }
        guard try call.value(0).type != .bool else {
          throw NodeFailure.unsupported("arithmetic on bool")
        }
      }
      alignOldOperand(&call)
      type = try call.value(0).type
      layout = try commonLayout(call)
      dividend = try operand(call, 0, layout)
      let stated = try operand(call, 1, layout)
      if let host = call.host(1), try !host.integers().contains(0) {
        (divisor, isZero) = (stated, nil)
      } else {
        let zeros = try call.apply(Compare(.equal, than: [0]), to: stated)
        (divisor, isZero) = (try call.apply(Add(), to: stated, zeros), zeros)
      }
    }

    /// Sets a result, 0 where the divisor is.
    func set(_ call: inout ONNXCall, _ tensor: Tensor) throws {
      var result = tensor
      if let isZero {
        result = try call.apply(
          Multiply(), to: result, try call.apply(Unary(.logicalNot), to: isZero))
      }
      // −128 / −1 is the only quotient that an 8-bit type does not have.
      if type == .int8 { result = try wrapped(call, result, to: type) }
      ONNXOperators.set(&call, result, layout, type: type)
    }
  }
}

extension ElementType {
  /// Whether values are integers of 8 bits, whose products Float32 holds.
  var isNarrowInteger: Bool { self == .int8 || self == .uint8 }
}

extension ONNXIntegerBounds.Rule {
  /// Numbers smaller than the divisor.
  static let remainder = Self { call, bounds in
    guard bounds.count == 2, let dividend = bounds[0], let divisor = bounds[1] else { return nil }
    return call.node.int("fmod") != 0 ? min(dividend, divisor) : divisor
  }

  /// Numbers not larger than the dividend.
  static let quotient = Self { _, bounds in
    guard bounds.count == 2, let dividend = bounds[0], bounds[1] != nil else { return nil }
    return dividend
  }

  /// Some of the numbers of the first input, chosen by their order.
  static let chosenByOrder = Self { _, bounds in bounds.first ?? nil }
}
