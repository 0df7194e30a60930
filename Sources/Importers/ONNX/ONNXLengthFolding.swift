import Forge

/// Computes nodes of numbers that follow the length: what a file does with the sizes of a sequence.
enum ONNXLengthFolding {
  /// The result of an operator for numbers that are known for every length; `nil` if the result is
  /// not known.
  typealias Rule = @Sendable (_ call: ONNXCall, _ maximum: Int) throws -> LengthTensor?

  /// Computes a node if all that it needs is known for every length; returns whether it did.
  ///
  /// - Throws: ``NodeFailure`` where a result is not a polynomial of the length.
  static func fold(_ call: inout ONNXCall) throws -> Bool {
    var maximum: Int?
    for input in call.inputs {
      switch input {
      case .length(let tensor)?: maximum = tensor.maximum
      case .host?, nil: break
      case .network?: return false
      }
    }
    guard let maximum else { return false }
    let result: LengthTensor?
    switch ONNXOperators.find(call.node)?.sizes {
    case .moved(let isMoved)?: result = try moved(&call, maximum, isMoved)
    case .computed(let rule)?: result = try rule(call, maximum)
    case nil, .some(.none), .measured?: return false
    }
    guard let result else { return false }
    call.set(result.value)
    return true
  }

  private static func numbers(_ value: FileValue) throws -> [LengthSize] {
    switch value {
    case .length(let tensor): return tensor.numbers
    case .host(let host):
      guard host.count <= 1 << 16 else { throw ONNXLengths.overflow }
      if !host.isInteger {
        // A fraction is not a size.
        guard try host.floats().allSatisfy({ abs($0) < 0x1p24 && $0 == $0.rounded() }) else {
          throw NodeFailure.unsupported("fractions of the length of a sequence")
        }
      }
      return try host.integers().map { LengthSize(Int(clamping: $0)) }
    case .network: throw NodeFailure.unsupported("the length of a sequence beside its values")
    }
  }

  // MARK: Movements

  /// Moves numbers as indices into a list of them.
  private static func moved(
    _ call: inout ONNXCall, _ maximum: Int, _ isMoved: (Int) -> Bool
  ) throws -> LengthTensor? {
    // If the indices themselves follow the length, what they choose is not known here.
    for (index, input) in call.inputs.enumerated() where !isMoved(index) {
      switch input {
      case .host?, nil: continue
      default: return nil
      }
    }
    var table: [LengthSize] = []
    var indices = call
    for (index, input) in call.inputs.enumerated() {
      guard let input, isMoved(index) else { continue }
      let moved = try numbers(input)
      let positions = moved.indices.map { Int64(table.count + $0) }
      table += moved
      indices.inputs[index] = .host(HostTensor(integers: positions, sizes: input.sizes))
    }
    let type = try call.value(call.inputs.indices.first { isMoved($0) } ?? 0).type
    guard try ONNXFolding.fold(&indices), case .host(let result)? = indices.outputs[0] else {
      return nil
    }
    return LengthTensor(
      type: type, sizes: result.sizes, numbers: try result.integers().map { table[Int($0)] },
      maximum: maximum)
  }

  // MARK: Arithmetic

  /// Two numbers that follow the length.
  struct Pair {
    let a, b: LengthSize
    /// The element type of the first.
    let type: ElementType
    /// The largest length.
    let maximum: Int

    /// The sign of their difference; `nil` if it differs by length.
    func sign() throws -> Int? { try difference().sign(upTo: maximum) }

    /// `a − b`.
    func difference() throws -> LengthSize {
      try ONNXLengthFolding.required(
        a.adding(try ONNXLengthFolding.required(b.multiplied(by: LengthSize(-1)))))
    }

    /// The whole quotient and the rest; `nil` where they are not polynomials.
    func division() -> (quotient: LengthSize, rest: LengthSize)? {
      if let quotient = a.dividedExactly(by: b) { return (quotient, LengthSize(0)) }
      guard type.isInteger, let division = a.divided(by: b, upTo: maximum) else { return nil }
      return (division.quotient, LengthSize(division.rest))
    }
  }

  /// A rule for two inputs, with broadcasting.
  static func pairs(
    as type: ElementType? = nil, _ combine: @escaping @Sendable (Pair) throws -> LengthSize
  ) -> Rule {
    { call, maximum in
      let values = call.inputs.compactMap(\.self)
      guard values.count == 2, call.inputs.count == 2,
        let sizes = HostTensor.broadcast(values[0].sizes, values[1].sizes),
        let count = Shape.product(of: sizes), count <= 1 << 16
      else { return nil }
      let operands = try values.map { value -> [LengthSize] in
        let operand = try numbers(value)
        let positions = HostTensor(integers: operand.indices.map { Int64($0) }, sizes: value.sizes)
        return try positions.expanded(to: sizes).integers().map { operand[Int($0)] }
      }
      let results = try zip(operands[0], operands[1]).map {
        try combine(Pair(a: $0, b: $1, type: values[0].type, maximum: maximum))
      }
      return LengthTensor(
        type: type ?? values[0].type, sizes: sizes, numbers: results, maximum: maximum)
    }
  }

  static let sum = pairs { try required($0.a.adding($0.b)) }
  static let difference = pairs { try $0.difference() }
  static let product = pairs { try required($0.a.multiplied(by: $0.b)) }

  static let quotient = pairs { pair in
    guard let division = pair.division() else {
      throw NodeFailure.unsupported("\(pair.a) divided by \(pair.b), which leaves a remainder")
    }
    return division.quotient
  }

  static let rest = pairs { pair in
    guard let division = pair.division() else {
      throw NodeFailure.unsupported("the remainder of \(pair.a) divided by \(pair.b)")
    }
    return division.rest
  }

  static let smaller = pairs { try largerNumber($0) == $0.a ? $0.b : $0.a }
  static let larger = pairs { try largerNumber($0) }

  private static func largerNumber(_ pair: Pair) throws -> LengthSize {
    guard let sign = try pair.sign() else {
      throw NodeFailure.unsupported("the larger or smaller of \(pair.a) and \(pair.b)")
    }
    return sign >= 0 ? pair.a : pair.b
  }

  /// A comparison, given the sign of the difference.
  static func compared(_ isTrue: @escaping @Sendable (Int) -> Bool) -> Rule {
    pairs(as: .bool) { pair in
      guard let sign = try pair.sign() else {
        throw NodeFailure.unsupported(
          "a comparison of \(pair.a) and \(pair.b), which differs by length")
      }
      return LengthSize(isTrue(sign) ? 1 : 0)
    }
  }

  /// A rule for one input.
  static func each(_ function: @escaping @Sendable (LengthSize) throws -> LengthSize) -> Rule {
    { call, maximum in
      guard call.inputs.count == 1, let input = call.inputs[0] else { return nil }
      return LengthTensor(
        type: input.type, sizes: input.sizes, numbers: try numbers(input).map(function),
        maximum: maximum)
    }
  }

  static let negative = each { try required($0.multiplied(by: LengthSize(-1))) }
  /// Numbers that follow the length are whole.
  static let rounded = each { $0 }

  /// The numbers in another type, if it has all of them.
  static func converted(
    to type: @escaping @Sendable (_ call: ONNXCall) throws -> ElementType?
  ) -> Rule {
    { call, maximum in
      guard let input = call.inputs.first ?? nil, let type = try type(call),
        type == .int64 || type == .int32 || type == .float32
      else { return nil }
      return LengthTensor(
        type: type, sizes: input.sizes, numbers: try numbers(input), maximum: maximum)
    }
  }

  private static func required(_ size: LengthSize?) throws -> LengthSize {
    guard let size else { throw ONNXLengths.overflow }
    return size
  }
}
