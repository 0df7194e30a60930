import Forge

/// Computes nodes of numbers that follow the length: what a file does with the sizes of a sequence.
enum ONNXLengthFolding {
  /// What an operator makes of numbers that are known for every length; `nil` where that is not
  /// known.
  typealias Rule = @Sendable (_ call: ONNXCall, _ maximum: Int) throws -> LengthTensor?

  /// Computes a node if all that it needs is known for every length; returns whether it did.
  ///
  /// - Throws: ``NodeFailure`` where a result is no polynomial of the length.
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
    case nil, .some(.none): return false
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
        // A fraction is no number of a size.
        guard try host.floats().allSatisfy({ abs($0) < 0x1p24 && $0 == $0.rounded() }) else {
          throw NodeFailure.unsupported("fractions of the length of a sequence")
        }
      }
      return try host.integers().map { LengthSize(Int(clamping: $0)) }
    case .network: throw NodeFailure.unsupported("the length of a sequence beside its values")
    }
  }

  // MARK: Movements

  /// The inputs of movements that hold what is moved.
  static let movements: [String: @Sendable (Int) -> Bool] = [
    "Identity": { _ in true }, "Cast": { $0 == 0 }, "Reshape": { $0 == 0 },
    "Flatten": { _ in true },
    "Squeeze": { $0 == 0 }, "Unsqueeze": { $0 == 0 }, "Transpose": { _ in true },
    "Concat": { _ in true }, "Slice": { $0 == 0 }, "Gather": { $0 == 0 }, "Where": { $0 > 0 },
  ]

  /// Moves numbers as indices into a list of them.
  private static func moved(
    _ call: inout ONNXCall, _ maximum: Int, _ isMoved: (Int) -> Bool
  ) throws -> LengthTensor? {
    // If the places themselves follow the length, what they choose is not known here.
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
      let own = try numbers(input)
      let places = own.indices.map { Int64(table.count + $0) }
      table += own
      indices.inputs[index] = .host(HostTensor(integers: places, sizes: input.sizes))
    }
    var type = try call.value(call.node.type == "Where" ? 1 : 0).type
    if call.node.type == "Cast" {
      guard let stated = ElementType(onnx: Int32(clamping: call.node.int("to"))),
        stated == .int64 || stated == .int32 || stated == .float32
      else { return nil }
      type = stated
      guard let input = call.inputs[0] else { return nil }
      return LengthTensor(type: type, sizes: input.sizes, numbers: table, maximum: maximum)
    }
    guard try ONNXFolding.fold(&indices), case .host(let result)? = indices.outputs[0] else {
      return nil
    }
    return LengthTensor(
      type: type, sizes: result.sizes, numbers: try result.integers().map { table[Int($0)] },
      maximum: maximum)
  }

  // MARK: Arithmetic

  static let arithmetic: Set = [
    "Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Equal", "Less", "LessOrEqual", "Greater",
    "GreaterOrEqual", "Floor", "Ceil", "Round", "Neg",
  ]

  static func computed(
    _ call: ONNXCall, _ maximum: Int
  ) throws -> LengthTensor? {
    let values = call.inputs.compactMap(\.self)
    guard values.count == call.inputs.count, let first = values.first else { return nil }
    // Numbers that follow the length are whole.
    if call.node.type == "Floor" || call.node.type == "Ceil" || call.node.type == "Round" {
      return LengthTensor(
        type: first.type, sizes: first.sizes, numbers: try numbers(first), maximum: maximum)
    }
    if call.node.type == "Neg" {
      let negative = try numbers(first).map { try required($0.multiplied(by: LengthSize(-1))) }
      return LengthTensor(
        type: first.type, sizes: first.sizes, numbers: negative, maximum: maximum)
    }
    guard values.count == 2,
      let sizes = HostTensor.broadcast(first.sizes, values[1].sizes),
      let count = Shape.product(of: sizes), count <= 1 << 16
    else { return nil }
    let operands = try values.map { value -> [LengthSize] in
      let own = try numbers(value)
      let places = HostTensor(integers: own.indices.map { Int64($0) }, sizes: value.sizes)
      return try places.expanded(to: sizes).integers().map { own[Int($0)] }
    }
    func result(
      _ type: ElementType, _ body: (LengthSize, LengthSize) throws -> LengthSize
    ) throws -> LengthTensor {
      LengthTensor(
        type: type, sizes: sizes, numbers: try zip(operands[0], operands[1]).map(body),
        maximum: maximum)
    }
    func compared(_ isTrue: @escaping (Int) -> Bool) throws -> LengthTensor {
      try result(.bool) { a, b in
        let difference = try difference(a, b)
        guard let sign = difference.sign(upTo: maximum) else {
          throw NodeFailure.unsupported("a comparison of \(a) and \(b), which differs by length")
        }
        return LengthSize(isTrue(sign) ? 1 : 0)
      }
    }
    switch call.node.type {
    case "Add": return try result(first.type) { try required($0.adding($1)) }
    case "Sub": return try result(first.type) { try difference($0, $1) }
    case "Mul": return try result(first.type) { try required($0.multiplied(by: $1)) }
    case "Div":
      return try result(first.type) { a, b in
        if let quotient = a.dividedExactly(by: b) { return quotient }
        guard first.type.isInteger, let division = a.divided(by: b, upTo: maximum) else {
          throw NodeFailure.unsupported("\(a) divided by \(b), which leaves a rest")
        }
        return division.quotient
      }
    case "Mod":
      return try result(first.type) { a, b in
        if a.dividedExactly(by: b) != nil { return LengthSize(0) }
        guard first.type.isInteger, let division = a.divided(by: b, upTo: maximum) else {
          throw NodeFailure.unsupported("the rest of \(a) divided by \(b)")
        }
        return LengthSize(division.rest)
      }
    case "Min", "Max":
      let takesLarger = call.node.type == "Max"
      return try result(first.type) { a, b in
        guard let sign = try difference(a, b).sign(upTo: maximum) else {
          throw NodeFailure.unsupported("the larger or smaller of \(a) and \(b)")
        }
        return (sign >= 0) == takesLarger ? a : b
      }
    case "Equal": return try compared { $0 == 0 }
    case "Less": return try compared { $0 < 0 }
    case "LessOrEqual": return try compared { $0 <= 0 }
    case "Greater": return try compared { $0 > 0 }
    case "GreaterOrEqual": return try compared { $0 >= 0 }
    default: return nil
    }
  }

  private static func required(_ size: LengthSize?) throws -> LengthSize {
    guard let size else { throw ONNXLengths.overflow }
    return size
  }

  private static func difference(_ a: LengthSize, _ b: LengthSize) throws -> LengthSize {
    try required(a.adding(try required(b.multiplied(by: LengthSize(-1)))))
  }
}
