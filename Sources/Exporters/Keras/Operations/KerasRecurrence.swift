import Forge
import ForgeOperations
import ForgeShapes

/// Recurrent cells.
extension KerasGraphWriter {
  mutating func recurrent(
    _ call: KerasOperation, _ rule: RecurrentRule
  ) throws(ExportRefusal) {
    try check(rule)
    guard let gates = self.gates(call.inputs[0]) else {
      throw ExportRefusal(what: "recurrent cells whose input is not a product")
    }
    let own = sizes(gates.sequence)
    let (times, channels) = (own[0], own[2])
    guard own[1] == 1 else { throw ExportRefusal(what: "recurrent cells over several rows") }
    let units = rule.units
    let width = rule.cell.gates * units
    var arguments = [KerasArgument.tensor(try tensor(gates.sequence, sizes: [times, channels]))]
    let blocks = rule.gateBlocks
    var weights = [
      try gateWeight(gates.weights, blocks, units: units, inputs: channels),
      try gateWeight(call.inputs[1], blocks, units: units, inputs: units),
    ]
    let hasBias = gates.biases != nil || rule.optional.contains(.recurrentBiases)
    if hasBias { weights.append(try biases(gates.biases, call, rule, width: width)) }
    var states: [KerasArgument] = []
    for operand in [RecurrentRule.Operand.hidden, .cells] {
      guard let position = rule.position(of: operand) else { continue }
      states.append(.tensor(try tensor(call.inputs[position], sizes: [units])))
    }
    var keywords: [(name: String, value: KerasArgument)] = []
    if !states.isEmpty { keywords.append(("initial_state", .list(states))) }
    if let position = rule.position(of: .mask) {
      let counts = isTrue(try tensor(call.inputs[position], sizes: [times]))
      keywords.append(("mask", .tensor(counts)))
    }
    let parts = Set(
      readers[call.output.index, default: []].compactMap { node -> RecurrentRule.Part? in
        if case .recurrentPart(_, let part) = node.primitive { part } else { nil }
      })
    let returnsSequence = parts.contains(.sequence)
    let returnsState =
      parts.contains(.cells) || (returnsSequence && parts.contains(.hidden))
    let first = returnsSequence ? [times, units] : [units]
    let outputs = add(
      .layer(name(of: rule)), arguments, keywords: keywords,
      config: [
        ("units", .integer(units)), ("return_sequences", .flag(returnsSequence)),
        ("return_state", .flag(returnsState)), ("go_backwards", .flag(rule.isReversed)),
        ("use_bias", .flag(hasBias)),
      ] + (try config(rule)), weights: weights, place: ["cell"],
      outputs: [first]
        + (returnsState ? Array(repeating: [units], count: rule.hasCells ? 2 : 1) : []),
      named: true)
    arguments = []
    var results: [RecurrentRule.Part: KerasTensor] = [:]
    if returnsSequence {
      // Keras has the outputs in the order in which they were computed.
      results[.sequence] =
        rule.isReversed
        ? one(
          .numpy("Flip"), [.tensor(outputs[0])], [("axis", .integer(1))], sizes: outputs[0].sizes)
        : outputs[0]
    }
    results[.hidden] = returnsState ? outputs[1] : outputs[0]
    if returnsState, rule.hasCells { results[.cells] = outputs[2] }
    recurrent[call.output.index] = results
  }

  mutating func recurrentPart(
    _ call: KerasOperation, _ rule: RecurrentRule, _ part: RecurrentRule.Part
  ) throws(ExportRefusal) {
    guard let result = recurrent[call.inputs[0].index]?[part] else {
      throw ExportRefusal(what: "a part of recurrent cells that are not written")
    }
    set(call.output, to: result)
  }

  private func check(_ rule: RecurrentRule) throws(ExportRefusal) {
    let refused: String? =
      if rule.optional.contains(.projection) {
        "a recurrent layer with a projection"
      } else if rule.optional.contains(.peepholes) {
        "a recurrent layer with peepholes"
      } else if rule.optional.contains(.lengths) {
        "a recurrent layer with a length for each row"
      } else if rule.clip != nil || rule.cellClip != nil {
        "a bound of the cells of a recurrent layer"
      } else if rule.hiddenScales != nil {
        "products of 8-bit integers in an LSTM"
      } else {
        nil
      }
    if let refused { throw ExportRefusal(what: refused) }
    if case .lstm(_, let cell, let hidden, let isCoupled) = rule.cell {
      if isCoupled { throw ExportRefusal(what: "an LSTM with coupled gates") }
      if cell != hidden {
        throw ExportRefusal(what: "an LSTM with other functions for its cells and its outputs")
      }
    }
  }

  /// The weights of all gates in the order of Keras, [inputs][gates · units].
  private func gateWeight(
    _ value: OperationGraph.Value, _ blocks: [Int], units: Int, inputs: Int
  ) throws(ExportRefusal) -> KerasRecord.Weight {
    let width = blocks.count * units
    return try weight(value, sizes: [inputs, width], as: "gates \(blocks)") { values in
      Self.permuted(Self.blocks(values, blocks), [width, inputs], [1, 0])
    }
  }

  /// Blocks of values in another order.
  private static func blocks(_ values: [Float], _ order: [Int]) -> [Float] {
    let size = values.count / max(order.count, 1)
    return order.flatMap { values[$0 * size..<($0 + 1) * size] }
  }

  /// The biases: of the input and of the recurrent products, or their sums.
  private func biases(
    _ inputBiases: OperationGraph.Value?, _ call: KerasOperation, _ rule: RecurrentRule,
    width: Int
  ) throws(ExportRefusal) -> KerasRecord.Weight {
    var parts: [KerasRecord.Weight?] = []
    for value in [inputBiases, rule.position(of: .recurrentBiases).map { call.inputs[$0] }] {
      if let value {
        let isOne = sizes(value).reduce(1, *) == 1
        parts.append(
          try weight(value, sizes: [width], as: "gates \(rule.gateBlocks)") { values in
            isOne
              ? Array(repeating: values.first ?? 0, count: width)
              : Self.blocks(values, rule.gateBlocks)
          })
      } else {
        parts.append(nil)
      }
    }
    let isPair = if case .gru(_, _, true) = rule.cell { true } else { false }
    let both = parts.map { part in
      part?.values ?? { Array(repeating: Float(0), count: width) }
    }
    return KerasRecord.Weight(
      sizes: isPair ? [2, width] : [width], key: parts.map { $0?.key ?? "" }.joined(separator: "+")
    ) {
      let (first, second) = (try both[0](), try both[1]())
      return isPair ? first + second : zip(first, second).map { $0 + $1 }
    }
  }

  private func name(of rule: RecurrentRule) -> String {
    switch rule.cell {
    case .simple: "SimpleRNN"
    case .lstm: "LSTM"
    case .gru: "GRU"
    }
  }

  private func config(
    _ rule: RecurrentRule
  ) throws(ExportRefusal) -> [(name: String, value: KerasJSON)] {
    func function(_ function: ActivationFunction) throws(ExportRefusal) -> KerasJSON {
      guard let name = Self.name(of: function) else {
        throw ExportRefusal(what: "the function \(function) in a recurrent layer")
      }
      return .text(name)
    }
    switch rule.cell {
    case .simple(let activation): return [("activation", try function(activation))]
    case .lstm(let gates, let cell, _, _):
      return [
        ("activation", try function(cell)), ("recurrent_activation", try function(gates)),
      ]
    case .gru(let gates, let candidate, let resetsAfter):
      return [
        ("activation", try function(candidate)), ("recurrent_activation", try function(gates)),
        ("reset_after", .flag(resetsAfter)),
      ]
    }
  }
}
