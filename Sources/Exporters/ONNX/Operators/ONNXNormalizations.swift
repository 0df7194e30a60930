import Forge
import ForgeOperations
import ForgeShapes

/// Normalizations.
extension ONNXGraphWriter {
  mutating func batchNormalization(
    _ call: ONNXOperation, epsilon: Float
  ) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    let channels = input.sizes.last ?? 1
    // The operator has the channels as its second axis.
    let isDirect = input.isImage || input.sizes.count == 1
    let form: ONNXValue.Form =
      input.isImage ? (input.primary == .flat ? .flat : .channelsFirst) : .plain
    var x = try name(of: call.inputs[0], in: form)
    if !isDirect { x = add("Reshape", [x, integers([-1, channels])]) }
    var inputs = [x]
    for operand in call.inputs.dropFirst() {
      let isOne = sizes(operand).reduce(1, *) == 1
      inputs.append(
        try parameter(operand, sizes: [channels], as: isOne ? "repeated" : "") { values in
          isOne ? Array(repeating: values.first ?? 0, count: channels) : values
        })
    }
    var result = add(
      "BatchNormalization", inputs, named: isDirect ? name(for: call.output) : nil,
      ("epsilon", .float(epsilon)))
    if !isDirect {
      let target = integers([-1] + input.sizes)
      result = add("Reshape", [result, target], named: name(for: call.output))
    }
    set(call.output, form, result, isBatched: input.isBatched)
  }

  mutating func normalize(_ call: ONNXOperation, _ rule: Normalization) throws(ExportRefusal) {
    switch rule.extent {
    case .lastAxes(let count): try normalizeAxes(call, rule, count)
    case .groups(let groups): try normalizeGroups(call, rule, groups)
    }
  }

  private mutating func normalizeAxes(
    _ call: ONNXOperation, _ rule: Normalization, _ count: Int
  ) throws(ExportRefusal) {
    let x = try name(of: call.inputs[0], in: .plain)
    let axes = Array(sizes(call.inputs[0]).suffix(count))
    var factors: [String] = []
    for operand in call.inputs.dropFirst() { factors.append(try parameter(operand, sizes: axes)) }
    let outputName = name(for: call.output)
    let last = integers(Array(-count..<0))
    let result: String
    switch rule.kind {
    case .standard:
      if factors.isEmpty {
        let ones = Array(repeating: Float(1), count: axes.reduce(1, *))
        factors = [numbers(ones, sizes: axes, named: "ones")]
      }
      result = add(
        "LayerNormalization", [x] + factors, named: outputName, ("axis", .int(-count)),
        ("epsilon", .float(rule.epsilon)))
    case .rootMeanSquare:
      let mean = add("ReduceMean", [add("Mul", [x, x]), last], ("keepdims", .int(1)))
      let root = add("Sqrt", [add("Add", [mean, number(rule.epsilon)])])
      if factors.isEmpty {
        result = add("Div", [x, root], named: outputName)
      } else {
        let scaled = add("Mul", [add("Div", [x, root]), factors[0]])
        result = add("Add", [scaled, factors[1]], named: outputName)
      }
    case .unitLength:
      let norm = add("ReduceL2", [x, last], ("keepdims", .int(1)))
      result = add("Div", [x, add("Max", [norm, number(rule.epsilon)])], named: outputName)
    }
    set(call.output, .plain, result, isBatched: try isBatched([call.inputs[0]]))
  }

  private mutating func normalizeGroups(
    _ call: ONNXOperation, _ rule: Normalization, _ groups: Int
  ) throws(ExportRefusal) {
    let x = try name(of: call.inputs[0], in: .channelsFirst)
    let input = try value(call.inputs[0])
    let channels = input.sizes[2]
    let grouped = add("Reshape", [x, integers([0, groups, -1])])
    let ones = numbers(Array(repeating: 1, count: groups), sizes: [groups], named: "ones")
    let zeros = numbers(Array(repeating: 0, count: groups), sizes: [groups], named: "zeros")
    let normal = add(
      "InstanceNormalization", [grouped, ones, zeros], ("epsilon", .float(rule.epsilon)))
    let target = integers([0] + input.sizes(in: .channelsFirst))
    let isPlain = call.inputs.count < 3
    var result = add("Reshape", [normal, target], named: isPlain ? name(for: call.output) : nil)
    if !isPlain {
      let gamma = try parameter(call.inputs[1], sizes: [channels, 1, 1])
      let beta = try parameter(call.inputs[2], sizes: [channels, 1, 1])
      result = add("Add", [add("Mul", [result, gamma]), beta], named: name(for: call.output))
    }
    set(call.output, .channelsFirst, result, isBatched: input.isBatched)
  }

  mutating func localResponse(
    _ call: ONNXOperation, size: Int, alpha: Float, beta: Float, bias: Float
  ) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    guard input.isImage else {
      throw ExportRefusal(what: "local response normalization of a tensor other than an image")
    }
    let x = try name(of: call.inputs[0], in: .channelsFirst)
    let result: String
    if size.isMultiple(of: 2) {
      // ONNX Runtime has no windows of an even size. The channels become rows, of which a pooling
      // takes the mean of squares.
      let rows = integers([0, 1, input.sizes[2], -1])
      let squares = add("Reshape", [add("Mul", [x, x]), rows])
      let means = add(
        "AveragePool", [squares], ("kernel_shape", .ints([size, 1])),
        ("pads", .ints([(size - 1) / 2, 0, size / 2, 0])), ("count_include_pad", .int(1)))
      let back = add("Reshape", [means, integers([0] + input.sizes(in: .channelsFirst))])
      let sum = add("Add", [add("Mul", [back, number(alpha)]), number(bias)])
      result = add("Div", [x, add("Pow", [sum, number(beta)])], named: name(for: call.output))
    } else {
      result = add(
        "LRN", [x], named: name(for: call.output), ("size", .int(size)),
        ("alpha", .float(alpha)), ("beta", .float(beta)), ("bias", .float(bias)))
    }
    set(call.output, .channelsFirst, result, isBatched: input.isBatched)
  }
}
