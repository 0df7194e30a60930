import Forge
import ForgeOperations
import ForgeShapes

/// Functions of two numbers or more.
extension KerasGraphWriter {
  mutating func binary(
    _ call: KerasOperation, _ function: BinaryOperator
  ) throws(ExportRefusal) {
    if function == .prelu, try prelu(call) { return }
    let (operands, made) = try broadcast(
      call.inputs, asTensors: Self.readsAlone(function, call.inputs.map { isConstant($0) }))
    let isResult = isResult(call.output)
    if let layer = Self.layer(of: function), case .tensor(let a) = operands[0],
      case .tensor(let b) = operands[1], a.sizes == b.sizes
    {
      return set(
        call.output, to: one(.layer(layer), [.list(operands)], sizes: made, named: isResult))
    }
    func make(
      _ writer: inout KerasGraphWriter, _ name: String, _ arguments: [KerasArgument],
      _ type: String = "float32", named: Bool = false
    ) -> KerasTensor {
      writer.one(.numpy(name), arguments, sizes: made, type: type, named: named)
    }
    let result: KerasTensor
    switch function {
    case .add: result = make(&self, "Add", operands, named: isResult)
    case .subtract: result = make(&self, "Subtract", operands, named: isResult)
    case .multiply: result = make(&self, "Multiply", operands, named: isResult)
    case .maximum: result = make(&self, "Maximum", operands, named: isResult)
    case .minimum: result = make(&self, "Minimum", operands, named: isResult)
    case .divide: result = make(&self, "Divide", operands, named: isResult)
    case .power: result = make(&self, "Power", operands, named: isResult)
    case .prelu:
      let isPositive = one(
        .numpy("Greater"), [operands[0], .json(.number(0))], sizes: sizes(operands[0], made),
        type: "bool")
      let product = make(&self, "Multiply", operands)
      result = make(
        &self, "Where", [.tensor(isPositive), operands[0], .tensor(product)], named: isResult)
    case .remainderOfDividend:
      // x − trunc(x / y)·y would round; the remainder of the magnitudes is exact.
      let magnitudes = absolutes(operands, made)
      let rest = make(&self, "Mod", magnitudes)
      let sign = one(
        .numpy("Sign"), [operands[0]], sizes: sizes(operands[0], made))
      result = make(&self, "Multiply", [.tensor(rest), .tensor(sign)], named: isResult)
    case .remainderOfDivisor: result = make(&self, "Mod", operands, named: isResult)
    case .equal: result = compare("Equal", operands, made, isResult)
    case .notEqual: result = compare("NotEqual", operands, made, isResult)
    case .less: result = compare("Less", operands, made, isResult)
    case .lessOrEqual: result = compare("LessEqual", operands, made, isResult)
    case .greater: result = compare("Greater", operands, made, isResult)
    case .greaterOrEqual: result = compare("GreaterEqual", operands, made, isResult)
    case .and: result = logical("LogicalAnd", operands, made, isResult)
    case .or: result = logical("LogicalOr", operands, made, isResult)
    case .xor: result = logical("LogicalXor", operands, made, isResult)
    }
    set(call.output, to: result)
  }

  /// Whether an operation of Keras reads a constant operand without a tensor beside it.
  private static func readsAlone(_ function: BinaryOperator, _ areConstant: [Bool]) -> Bool {
    switch function {
    case .prelu, .remainderOfDividend: areConstant[0]
    case .and, .or, .xor: areConstant.contains(true)
    case .add, .subtract, .multiply, .maximum, .minimum, .divide, .power, .remainderOfDivisor,
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      false
    }
  }

  /// The layer of two tensors of one size.
  private static func layer(of function: BinaryOperator) -> String? {
    switch function {
    case .add: "Add"
    case .subtract: "Subtract"
    case .multiply: "Multiply"
    case .maximum: "Maximum"
    case .minimum: "Minimum"
    case .prelu, .divide, .power, .remainderOfDividend, .remainderOfDivisor, .equal, .notEqual,
      .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or, .xor:
      nil
    }
  }

  /// The sizes of an operand, of which a constant has those of the result.
  private func sizes(_ operand: KerasArgument, _ made: [Int]) -> [Int] {
    operand.tensors.first?.sizes ?? made
  }

  private mutating func absolutes(
    _ operands: [KerasArgument], _ made: [Int]
  ) -> [KerasArgument] {
    operands.map { operand in
      switch operand {
      case .json(.number(let number)): .json(.number(abs(number)))
      case .json(.array(let array)):
        .json(
          .array(
            KerasArray(sizes: array.sizes) {
              try array.values().map { abs($0) }
            }))
      case .tensor(let tensor): .tensor(numpy("Absolute", tensor))
      case .json, .list: operand
      }
    }
  }

  private mutating func compare(
    _ name: String, _ operands: [KerasArgument], _ made: [Int], _ isResult: Bool
  ) -> KerasTensor {
    cast(one(.numpy(name), operands, sizes: made, type: "bool"), named: isResult)
  }

  private mutating func logical(
    _ name: String, _ operands: [KerasArgument], _ made: [Int], _ isResult: Bool
  ) -> KerasTensor {
    let truths = operands.map { operand in
      KerasArgument.tensor(
        one(
          .numpy("NotEqual"), [operand, .json(.number(0))], sizes: sizes(operand, made),
          type: "bool"))
    }
    return compare(name, truths, made, isResult)
  }

  /// A layer with slopes as its weights, if the slopes are constants.
  private mutating func prelu(_ call: KerasOperation) throws(ExportRefusal) -> Bool {
    let (input, slopes) = (sizes(call.inputs[0]), sizes(call.inputs[1]))
    guard isConstant(call.inputs[1]), !isConstant(call.inputs[0]), slopes.count <= input.count,
      sizes(call.output) == input
    else { return false }
    let wide = Array(repeating: 1, count: input.count - slopes.count) + slopes
    let x = try plain(call.inputs[0])
    let shared = wide.indices.filter { wide[$0] == 1 && input[$0] > 1 }
    set(
      call.output,
      to: layer(
        "PReLU", x,
        [("shared_axes", shared.isEmpty ? .null : .integers(shared.map { $0 + 1 }))],
        weights: [try weight(call.inputs[1], sizes: wide)], sizes: x.sizes,
        named: isResult(call.output)))
    return true
  }

  mutating func select(_ call: KerasOperation) throws(ExportRefusal) {
    let (operands, made) = try broadcast(call.inputs, asTensors: isConstant(call.inputs[0]))
    let condition = one(
      .numpy("NotEqual"), [operands[0], .json(.number(0))], sizes: sizes(operands[0], made),
      type: "bool")
    set(
      call.output,
      to: one(
        .numpy("Where"), [.tensor(condition), operands[1], operands[2]], sizes: made,
        named: isResult(call.output)))
  }

  /// Operands whose axes meet when they are broadcast, and the sizes of the result.
  ///
  /// - Parameters:
  ///   - operands: the operands.
  ///   - asTensors: whether constants are tensors, which an operation without other tensors needs;
  ///     otherwise they are part of the description.
  /// - Returns: the operands as arguments, and the sizes of the result.
  /// - Throws: ``ExportRefusal`` for a constant that is too large, or an operand that is not
  ///   written.
  mutating func broadcast(
    _ operands: [OperationGraph.Value], asTensors: Bool
  ) throws(ExportRefusal) -> (operands: [KerasArgument], made: [Int]) {
    let tensors = operands.filter { !isConstant($0) }
    let first = tensors.first ?? operands[0]
    let rank = operands.map { sizes($0).count }.max() ?? 0
    // Tensors of one size stay in the sizes that the first one has.
    let isAlike = tensors.allSatisfy { sizes($0) == sizes(first) }
    let primary = try value(first).primary
    let keepsForm =
      isAlike
      && operands.allSatisfy {
        !isConstant($0) || tensors.isEmpty
          || (!asTensors && isAlong(primary, sizes(first), sizes($0)))
      }
    func wide(_ sizes: [Int]) -> [Int] {
      Array(repeating: 1, count: max(rank, 1) - sizes.count) + sizes
    }
    var arguments: [KerasArgument] = []
    var shapes: [[Int]] = []
    for operand in operands {
      if isConstant(operand), !tensors.isEmpty, !asTensors {
        let own = sizes(operand)
        let trimmed = Array(own.drop { $0 == 1 })
        shapes.append(keepsForm ? trimmed : wide(own))
        arguments.append(try constant(operand, sizes: trimmed))
      } else {
        let made = try tensor(operand, sizes: keepsForm ? primary : wide(sizes(operand)))
        shapes.append(made.sizes)
        arguments.append(.tensor(made))
      }
    }
    var made: [Int] = []
    for shape in shapes {
      let count = max(made.count, shape.count)
      let (a, b) = (
        Array(repeating: 1, count: count - made.count) + made,
        Array(repeating: 1, count: count - shape.count) + shape
      )
      made = zip(a, b).map { max($0, $1) }
    }
    return (arguments, made)
  }

  /// Whether a constant repeats along a tensor of these sizes, or along another form of it.
  private func isAlong(_ form: [Int], _ plain: [Int], _ constant: [Int]) -> Bool {
    let rest = Array(constant.drop { $0 == 1 })
    return rest.count <= min(form.count, plain.count)
      && zip(rest.reversed(), zip(form.reversed(), plain.reversed())).allSatisfy {
        $0 == 1 || ($0 == $1.0 && $0 == $1.1)
      }
      && (rest.count < 2 || form.suffix(rest.count) == plain.suffix(rest.count))
  }

  mutating func affine(_ call: KerasOperation) throws(ExportRefusal) {
    let x = try rows(call.inputs[0])
    var factors: [KerasArgument] = []
    for operand in call.inputs.dropFirst() {
      guard isConstant(operand) else { throw ExportRefusal(what: "factors that are computed") }
      factors.append(try constant(operand, sizes: Array(sizes(operand).drop { $0 == 1 })))
    }
    let product = one(.numpy("Multiply"), [.tensor(x), factors[0]], sizes: x.sizes)
    set(
      call.output,
      to: one(
        .numpy("Add"), [.tensor(product), factors[1]], sizes: x.sizes,
        named: isResult(call.output)))
  }
}
