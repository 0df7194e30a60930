import Forge
import ForgeOperations

/// Functions of two numbers or more.
extension CoreMLGraphWriter {
  mutating func binary(
    _ call: CoreMLOperation, _ function: BinaryOperator
  ) throws(ExportRefusal) {
    let name = name(for: call.output)
    if function == .prelu, let result = try channelSlopes(call, named: name) {
      return set(call.output, .channelsFirst, result)
    }
    let (form, names) = try broadcast(call.inputs)
    let (a, b) = (names[0], names[1])
    let result: String
    switch function {
    case .add: result = try combined(.add, a, b, named: name)
    case .subtract: result = try combined(.subtract, a, b, named: name)
    case .multiply: result = try combined(.multiply, a, b, named: name)
    case .maximum: result = try combined(.maximum, a, b, named: name)
    case .minimum: result = try combined(.minimum, a, b, named: name)
    case .prelu:
      let isPositive = try compared(.greater, a, to: 0)
      result = try selected(isPositive, a, try combined(.multiply, a, b), named: name)
    case .divide: result = try combined(.divide, a, b, named: name)
    case .power: result = try combined(.power, a, b, named: name)
    case .remainderOfDividend:
      // The layer's remainder has the sign of the divisor.
      let rest = try combined(.modulo, try magnitude(a), try magnitude(b))
      result = try combined(.multiply, try map(.sign, a), rest, named: name)
    case .remainderOfDivisor: result = try combined(.modulo, a, b, named: name)
    case .equal: result = try combined(.equal, a, b, named: name)
    case .notEqual: result = try combined(.notEqual, a, b, named: name)
    case .less: result = try combined(.less, a, b, named: name)
    case .lessOrEqual: result = try combined(.lessOrEqual, a, b, named: name)
    case .greater: result = try combined(.greater, a, b, named: name)
    case .greaterOrEqual: result = try combined(.greaterOrEqual, a, b, named: name)
    case .and: result = try combined(.and, a, b, named: name)
    case .or: result = try combined(.or, a, b, named: name)
    case .xor: result = try combined(.xor, a, b, named: name)
    }
    set(call.output, form, result)
  }

  /// A PReLU of an image with one slope for each channel, or `nil` for others.
  private mutating func channelSlopes(
    _ call: CoreMLOperation, named name: String?
  ) throws(ExportRefusal) -> String? {
    guard let slopes = constantImage(call.inputs[1]), slopes[0] == 1, slopes[1] == 1,
      try value(call.inputs[0]).primary == .channelsFirst,
      slopes[2] == 1 || slopes[2] == sizes(call.inputs[0])[2]
    else { return nil }
    let x = try self.name(of: call.inputs[0], in: .channelsFirst)
    let numbers = try stored(call.inputs[1], count: slopes[2])
    return try map(.activation, x, named: name) { layer in
      layer.message(25) { $0.numbers(1, numbers) }
    }
  }

  mutating func select(_ call: CoreMLOperation) throws(ExportRefusal) {
    let (form, names) = try broadcast(call.inputs)
    let condition = try compared(.notEqual, names[0], to: 0)
    let result = try selected(condition, names[1], names[2], named: name(for: call.output))
    set(call.output, form, result)
  }

  /// The form in which operands are combined, of which smaller ones are repeated along the axes of
  /// larger ones.
  private mutating func form(
    of operands: [OperationGraph.Value]
  ) throws(ExportRefusal) -> CoreMLValue.Form {
    var forms: [CoreMLValue.Form] = []
    var (allImages, allVectors) = (true, true)
    for operand in operands {
      if let image = constantImage(operand) {
        allVectors = allVectors && image[0] == 1 && image[1] == 1
        continue
      }
      let value = try value(operand)
      allImages = allImages && value.isImage
      allVectors = allVectors && value.isVector
      forms.append(value.primary)
    }
    if allImages, forms.contains(.channelsFirst) { return .channelsFirst }
    return allImages && allVectors && forms.contains(.flat) ? .flat : .plain
  }

  /// Values in one form, so that their axes meet when they are broadcast.
  private mutating func broadcast(
    _ operands: [OperationGraph.Value]
  ) throws(ExportRefusal) -> (form: CoreMLValue.Form, names: [String]) {
    let form = try form(of: operands)
    let rank = operands.map { sizes($0).count }.max() ?? 0
    var names: [String] = []
    for operand in operands {
      if form == .plain {
        names.append(try plain(operand, rank: rank))
      } else if let image = constantImage(operand) {
        let (pixels, channels) = (image[0] * image[1], image[2])
        names.append(
          try parameter(
            operand, sizes: CoreMLValue.sizes(image, in: form),
            as: form == .channelsFirst ? "channels first" : "flat"
          ) { Self.channelsFirst($0, pixels: pixels, channels: channels) })
      } else {
        names.append(try name(of: operand, in: form))
      }
    }
    return (form, names)
  }

  /// A value in plain form with as many axes, whose first ones have size 1.
  mutating func plain(
    _ value: OperationGraph.Value, rank: Int
  ) throws(ExportRefusal) -> String {
    let name = try name(of: value, in: .plain)
    let valueSizes = sizes(value)
    let ones = Array(repeating: 1, count: max(rank - valueSizes.count, 0))
    return try reshaped(name, to: ones + valueSizes)
  }

  mutating func affine(_ call: CoreMLOperation) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    let x = try name(of: call.inputs[0], in: input.primary)
    let outputName = name(for: call.output)
    let counts = call.inputs.dropFirst().map { sizes($0).reduce(1, *) }
    guard input.primary == .channelsFirst else {
      let scale = try parameter(call.inputs[1], sizes: [counts[0]])
      let shift = try parameter(call.inputs[2], sizes: [counts[1]])
      let product = try combined(.multiply, x, scale)
      return set(
        call.output, input.primary, try combined(.add, product, shift, named: outputName))
    }
    let scale = try stored(call.inputs[1], count: counts[0])
    let shift = try stored(call.inputs[2], count: counts[1])
    let result = try map(.scale, x, named: outputName) {
      $0.integer(1, counts[0])
      $0.numbers(2, scale)
      $0.flag(3, true)
      $0.integer(4, counts[1])
      $0.numbers(5, shift)
    }
    set(call.output, .channelsFirst, result)
  }
}
