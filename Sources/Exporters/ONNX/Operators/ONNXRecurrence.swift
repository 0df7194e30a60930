import Forge
import ForgeOperations
import ForgeShapes

/// The results of recurrent cells in ONNX.
struct ONNXRecurrentResult {
  /// [times][1][examples · rows][units].
  let sequence: String
  /// [1][examples · rows][units].
  let hidden: String
  /// [1][examples · rows][units]; `nil` except for an LSTM.
  let cells: String?
  let isBatched: Bool
}

/// Recurrent cells.
extension ONNXGraphWriter {
  mutating func recurrent(_ call: ONNXOperation, _ rule: RecurrentRule) throws(ExportRefusal) {
    try check(rule)
    guard let gates = self.gates(call.inputs[0]) else {
      throw ExportRefusal(what: "recurrent cells whose input is not a product")
    }
    let units = rule.units
    let width = rule.cell.gates * units
    let channels = sizes(gates.sequence).last ?? 1
    // [examples][times][rows][channels] become [times][examples · rows][channels].
    let sequenceSizes = sizes(gates.sequence)
    let plain = try name(of: gates.sequence, in: .plain)
    let turned = add(
      "Transpose", [plain], ("perm", .ints([1, 0] + Array(2...sequenceSizes.count))))
    let x = add("Reshape", [turned, integers([0, -1, channels])])
    let order = gateOrder(rule)
    let weights = try parameter(
      gates.weights, sizes: [1, width, channels], as: "gates"
    ) { Self.blocks($0, order) }
    let recurrent = try parameter(
      call.inputs[1], sizes: [1, width, units], as: "gates"
    ) { Self.blocks($0, order) }
    let biases = try biases(gates.biases, call, rule, order)
    var inputs = [x, weights, recurrent, biases, "", "", "", ""]
    for (operand, input) in [(RecurrentRule.Operand.hidden, 5), (.cells, 6)] {
      guard let position = rule.position(of: operand) else { continue }
      let state = try name(of: call.inputs[position], in: .plain)
      inputs[input] = add("Reshape", [state, integers([1, -1, units])])
    }
    if let position = rule.position(of: .peepholes) {
      let blocks = [0, 2, 1].map { rule.peepholeBlocks[$0] }
      inputs[7] = try parameter(
        call.inputs[position], sizes: [1, 3 * units], as: "peepholes"
      ) { Self.blocks($0, blocks) }
    }
    let lstmInputs = rule.hasCells ? inputs : Array(inputs[..<6])
    let used = lstmInputs.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? 3
    let results = add(
      type(of: rule), Array(lstmInputs[..<used]), outputs: rule.hasCells ? 3 : 2, named: nil,
      try attributes(rule))
    self.recurrent[call.output.index] = ONNXRecurrentResult(
      sequence: results[0], hidden: results[1], cells: rule.hasCells ? results[2] : nil,
      isBatched: true)
  }

  mutating func recurrentPart(
    _ call: ONNXOperation, _ rule: RecurrentRule, _ part: RecurrentRule.Part
  ) throws(ExportRefusal) {
    guard let cells = recurrent[call.inputs[0].index] else {
      throw ExportRefusal(what: "a part of recurrent cells that are not written")
    }
    let made = sizes(call.output)
    let name = name(for: call.output)
    let result: String
    switch part {
    case .sequence:
      // [times][1][examples · rows][units] become [examples][times][rows][units].
      let split = add(
        "Reshape", [cells.sequence, integers([made[0], -1, made[1], made[2]])])
      result = add("Transpose", [split], named: name, ("perm", .ints([1, 0, 2, 3])))
    case .hidden:
      result = add("Reshape", [cells.hidden, integers([-1] + made)], named: name)
    case .cells:
      result = add("Reshape", [cells.cells ?? "", integers([-1] + made)], named: name)
    }
    set(call.output, .plain, result, isBatched: cells.isBatched)
  }

  private func check(_ rule: RecurrentRule) throws(ExportRefusal) {
    let refused: String? =
      if rule.optional.contains(.projection) {
        "a recurrent layer with a projection"
      } else if rule.optional.contains(.mask) {
        "a recurrent layer with a mask"
      } else if rule.optional.contains(.lengths) {
        "a recurrent layer with a length for each row"
      } else if rule.cellClip != nil {
        "a bound of the cells of an LSTM"
      } else if rule.hiddenScales != nil {
        "products of 8-bit integers in an LSTM"
      } else {
        nil
      }
    if let refused { throw ExportRefusal(what: refused) }
  }

  /// The block of the parameters for each of ONNX's gates.
  private func gateOrder(_ rule: RecurrentRule) -> [Int] {
    let order =
      switch rule.cell {
      case .simple: [0]
      case .gru: [0, 1, 2]
      case .lstm: [0, 3, 1, 2]
      }
    return order.map { rule.gateBlocks[$0] }
  }

  /// Blocks of values in another order.
  private static func blocks(_ values: [Float], _ order: [Int]) -> [Float] {
    let size = values.count / max(order.count, 1)
    return order.flatMap { values[$0 * size..<($0 + 1) * size] }
  }

  /// The biases of the input, then those of the recurrent products.
  private mutating func biases(
    _ inputBiases: OperationGraph.Value?, _ call: ONNXOperation, _ rule: RecurrentRule,
    _ order: [Int]
  ) throws(ExportRefusal) -> String {
    let position = rule.position(of: .recurrentBiases)
    guard inputBiases != nil || position != nil else { return "" }
    let width = rule.cell.gates * rule.units
    var parts: [String] = []
    for value in [inputBiases, position.map { call.inputs[$0] }] {
      if let value {
        parts.append(
          try parameter(value, sizes: [1, width], as: "gates") { Self.blocks($0, order) })
      } else {
        parts.append(
          numbers(Array(repeating: 0, count: width), sizes: [1, width], named: "zeros"))
      }
    }
    return add("Concat", parts, ("axis", .int(1)))
  }

  private func type(of rule: RecurrentRule) -> String {
    switch rule.cell {
    case .simple: "RNN"
    case .lstm: "LSTM"
    case .gru: "GRU"
    }
  }

  private func attributes(
    _ rule: RecurrentRule
  ) throws(ExportRefusal) -> [(String, ONNXNodeRecord.Attribute)] {
    var attributes: [(String, ONNXNodeRecord.Attribute)] = [
      ("hidden_size", .int(rule.units)),
      ("direction", .text(rule.isReversed ? "reverse" : "forward")),
    ]
    let functions: [ActivationFunction]
    switch rule.cell {
    case .simple(let function): functions = [function]
    case .lstm(let gates, let cell, let hidden, let isCoupled):
      functions = [gates, cell, hidden]
      if isCoupled { attributes.append(("input_forget", .int(1))) }
    case .gru(let gates, let candidate, let resetsAfter):
      functions = [gates, candidate]
      attributes.append(("linear_before_reset", .int(resetsAfter ? 1 : 0)))
    }
    var names: [String] = []
    var alphas: [Float] = []
    var betas: [Float] = []
    for function in functions {
      let (name, numbers) = try cellFunction(function)
      names.append(name)
      if let alpha = numbers.first { alphas.append(alpha) }
      if numbers.count > 1 { betas.append(numbers[1]) }
    }
    attributes.append(("activations", .texts(names)))
    if !alphas.isEmpty { attributes.append(("activation_alpha", .floats(alphas))) }
    if !betas.isEmpty { attributes.append(("activation_beta", .floats(betas))) }
    if let clip = rule.clip { attributes.append(("clip", .float(clip))) }
    return attributes
  }

  /// The name of a function in ONNX's recurrent operators, with its alpha and beta.
  private func cellFunction(
    _ function: ActivationFunction
  ) throws(ExportRefusal) -> (String, [Float]) {
    switch function {
    case .linear: return ("Affine", [1, 0])
    case .relu: return ("Relu", [])
    case .sigmoid: return ("Sigmoid", [])
    case .tanh: return ("Tanh", [])
    case .softplus: return ("Softplus", [])
    case .leakyReLU(let slope): return ("LeakyRelu", [slope])
    case .elu(let alpha): return ("Elu", [alpha])
    case .hardSigmoid: return ("HardSigmoid", [1 / 6, 0.5])
    case .hardSigmoidKeras2: return ("HardSigmoid", [0.2, 0.5])
    case .hardSigmoidLinear(let alpha, let beta): return ("HardSigmoid", [alpha, beta])
    case .relu6, .clipped, .selu, .hardSwish, .swish, .mish, .gelu, .geluTanh:
      throw ExportRefusal(what: "the function \(function) in a recurrent layer")
    }
  }
}
