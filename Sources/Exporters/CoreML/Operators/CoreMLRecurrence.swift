import Forge
import ForgeOperations
import ForgeShapes

/// The results of recurrent cells in Core ML, in the order of the network's time steps.
struct CoreMLRecurrentResult {
  /// The outputs of each time step: one tensor [times][rows][outputs], or one [rows][outputs] each.
  enum Sequence {
    case whole(String)
    case times([String])
  }

  let sequence: Sequence
  /// [rows][outputs].
  let hidden: String
  /// [rows][units]; `nil` except for an LSTM.
  let cells: String?
}

/// Recurrent cells: as a recurrent layer of Core ML if that has their formula, else step by step.
extension CoreMLGraphWriter {
  /// The bound of what Core ML's gates are computed from.
  private static let gateBound: Float = 50
  /// The bound of cells that have none: a number of half precision, too.
  private static let cellBound: Float = 50_000

  mutating func recurrent(
    _ call: CoreMLOperation, _ rule: RecurrentRule
  ) throws(ExportRefusal) {
    if rule.hiddenScales != nil {
      throw ExportRefusal(what: "products of 8-bit integers in an LSTM")
    }
    if let gates = self.gates(call.inputs[0]), let functions = Self.functions(rule),
      Self.isNative(rule), network.graph.constant(gates.weights) != nil,
      network.graph.constant(call.inputs[1]) != nil
    {
      recurrent[call.output.index] = try layer(call, rule, gates, functions)
    } else {
      recurrent[call.output.index] = try unrolled(call, rule)
    }
  }

  mutating func recurrentPart(
    _ call: CoreMLOperation, _ part: RecurrentRule.Part
  ) throws(ExportRefusal) {
    guard let made = recurrent[call.inputs[0].index] else {
      throw ExportRefusal(what: "a part of recurrent cells that are not written")
    }
    let target = sizes(call.output)
    let name = name(for: call.output)
    let result: String
    switch (part, made.sequence) {
    case (.sequence, .whole(let sequence)):
      result = try reshaped(sequence, to: target, named: name)
    case (.sequence, .times(let times)):
      result =
        times.count == 1
        ? try reshaped(times[0], to: target, named: name)
        : try add(.stack, times, sizes: target, named: name) { $0.integer(1, 0) }
    case (.hidden, _): result = try reshaped(made.hidden, to: target, named: name)
    case (.cells, _): result = try reshaped(made.cells ?? "", to: target, named: name)
    }
    set(call.output, .plain, result)
  }

  // MARK: Core ML's own layers

  /// Whether Core ML's layers have the formula.
  private static func isNative(_ rule: RecurrentRule) -> Bool {
    if case .gru(_, _, true) = rule.cell { return false }
    return rule.outputs == rule.units
      && rule.optional.isDisjoint(with: [.projection, .mask, .lengths])
  }

  /// The functions of the cells in Core ML; `nil` if it does not have one of them, or bounds what
  /// the network does not.
  private static func functions(_ rule: RecurrentRule) -> [CoreMLFunction]? {
    let functions: [ActivationFunction]
    switch rule.cell {
    case .simple(let function): functions = [function]
    case .lstm(let gates, let cell, let hidden, _): functions = [gates, cell, hidden]
    case .gru(let gates, let candidate, _): functions = [gates, candidate]
    }
    let isBounded = rule.clip == gateBound
    guard rule.clip == nil || isBounded else { return nil }
    var result: [CoreMLFunction] = []
    for function in functions {
      switch function {
      // These are constant beyond the bound.
      case .sigmoid: result.append(.sigmoid)
      case .tanh: result.append(.tanh)
      case .hardSigmoidKeras2, .hardSigmoidLinear(alpha: 0.2, beta: 0.5):
        result.append(.hardSigmoid(0.2, 0.5))
      case .relu where isBounded: result.append(.relu)
      case .linear where isBounded: result.append(.linear(1, 0))
      default: return nil
      }
    }
    return result
  }

  /// A recurrent layer over a sequence that is read forwards.
  private mutating func layer(
    _ call: CoreMLOperation, _ rule: RecurrentRule, _ gates: RecurrentGates,
    _ functions: [CoreMLFunction]
  ) throws(ExportRefusal) -> CoreMLRecurrentResult {
    let from = sizes(gates.sequence)
    let (times, rows, channels) = (from[0], from[1], from[2])
    let units = rule.units
    let plain = try name(of: gates.sequence, in: .plain)
    // Core ML's own flag does not specify the order of the outputs, so the sequence itself is
    // reversed.
    let turned = rule.isReversed ? try reversed(plain, axes: [0]) : plain
    var inputs = [try reshaped(turned, to: from + [1, 1])]
    if rule.optional.contains(.hidden) || rule.optional.contains(.cells) {
      inputs.append(try state(call, rule, .hidden, rows))
      if rule.hasCells { inputs.append(try state(call, rule, .cells, rows)) }
    }
    let readsCells = readCells.contains(call.output.index)
    let state = [1, rows, units, 1, 1]
    let parameters = try parameters(call, rule, gates, channels: channels, functions)
    let results = try add(
      parameters.kind, inputs,
      outputs: [[times, rows, units, 1, 1]] + (readsCells ? [state, state] : [])
    ) { $0 = parameters.message }
    let computed = try reshaped(results[0], to: [times, rows, units])
    let hidden = try sliced(computed, axis: 0, from: times - 1, count: 1)
    return CoreMLRecurrentResult(
      sequence: .whole(rule.isReversed ? try reversed(computed, axes: [0]) : computed),
      hidden: try reshaped(hidden, to: [rows, units]),
      cells: readsCells ? try reshaped(results[2], to: [rows, units]) : nil)
  }

  /// A state before the sequence, [1][rows][units][1][1].
  private mutating func state(
    _ call: CoreMLOperation, _ rule: RecurrentRule, _ operand: RecurrentRule.Operand, _ rows: Int
  ) throws(ExportRefusal) -> String {
    let target = [1, rows, rule.units, 1, 1]
    guard let position = rule.position(of: operand) else {
      let zeros = Array(repeating: Float(0), count: rows * rule.units)
      return try numbers(zeros, sizes: target, named: "zeros")
    }
    return try reshaped(try name(of: call.inputs[position], in: .plain), to: target)
  }

  /// The type and the parameters of a recurrent layer.
  private func parameters(
    _ call: CoreMLOperation, _ rule: RecurrentRule, _ gates: RecurrentGates, channels: Int,
    _ functions: [CoreMLFunction]
  ) throws(ExportRefusal) -> (kind: CoreMLKind, message: CoreMLMessage) {
    let units = rule.units
    let biases = try biases(call, rule, gates)
    var message = CoreMLMessage()
    message.integer(1, channels)
    message.integer(2, units)
    for function in functions { message.message(10) { function.write(to: &$0) } }
    // Gates i, f, c, o, or z, r, h: the weights, the recurrent weights and the biases of each.
    func write(_ fields: [[Int]], to target: inout CoreMLMessage) throws(ExportRefusal) {
      for gate in 0..<rule.cell.gates {
        let block = rule.gateBlocks[gate]
        target.numbers(
          fields[0][gate], try part(gates.weights, block, size: units * channels))
        target.numbers(fields[1][gate], try part(call.inputs[1], block, size: units * units))
        if !biases.isEmpty { target.numbers(fields[2][gate], biases[gate]) }
      }
    }
    switch rule.cell {
    case .simple:
      message.flag(15, true)
      message.flag(20, !biases.isEmpty)
      try write([[30], [31], [32]], to: &message)
      return (.simpleRecurrent, message)
    case .gru:
      message.flag(15, true)
      message.flag(20, !biases.isEmpty)
      try write([[30, 31, 32], [50, 51, 52], [70, 71, 72]], to: &message)
      return (.gru, message)
    case .lstm(_, _, _, let isCoupled):
      let peepholes = rule.position(of: .peepholes)
      message.message(15) {
        $0.flag(10, true)
        $0.flag(20, !biases.isEmpty)
        $0.flag(40, peepholes != nil)
        $0.flag(50, isCoupled)
        $0.float(60, rule.cellClip ?? Self.cellBound)
      }
      var weights = CoreMLMessage()
      try write([[1, 2, 3, 4], [20, 21, 22, 23], [40, 41, 42, 43]], to: &weights)
      if let peepholes {
        for (index, block) in rule.peepholeBlocks.enumerated() {
          weights.numbers(60 + index, try part(call.inputs[peepholes], block, size: units))
        }
      }
      message.message(20, weights)
      return (.lstm, message)
    }
  }

  /// One block of the values of a constant.
  private func part(
    _ value: OperationGraph.Value, _ block: Int, size: Int
  ) throws(ExportRefusal) -> CoreMLNumbers {
    try stored(value, count: size) { values in
      guard values.count >= (block + 1) * size else { return [] }
      return Array(values[block * size..<(block + 1) * size])
    }
  }

  /// The biases of each gate: those of the input and those of the recurrent product.
  private func biases(
    _ call: CoreMLOperation, _ rule: RecurrentRule, _ gates: RecurrentGates
  ) throws(ExportRefusal) -> [CoreMLNumbers] {
    let recurrent = rule.position(of: .recurrentBiases).map { call.inputs[$0] }
    let both = [gates.biases, recurrent].compactMap(\.self)
    guard let first = both.first else { return [] }
    var result: [CoreMLNumbers] = []
    for gate in 0..<rule.cell.gates {
      let one = try part(first, rule.gateBlocks[gate], size: rule.units)
      guard both.count > 1 else {
        result.append(one)
        continue
      }
      let other = try part(both[1], rule.gateBlocks[gate], size: rule.units)
      result.append(
        CoreMLNumbers(name: one.name, count: rule.units, isHalf: one.isHalf) {
          zip(try one.compute(), try other.compute()).map(+)
        })
    }
    return result
  }
}
