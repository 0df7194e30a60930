import Forge
import ForgeOperations
import ForgeShapes

/// Recurrent cells as separate layers for each time step, for formulas that Core ML's recurrent
/// layers do not have.
extension CoreMLGraphWriter {
  /// The most time steps of a sequence whose layers are written one by one.
  private static let mostTimes = 512

  /// The operands and the state of cells that are written step by step.
  private struct Cells {
    let rule: RecurrentRule
    let rows: Int
    /// [gates · units][outputs].
    let weights: String
    let recurrentBiases: String?
    /// [1][units] for the gates i, f and o.
    var peepholes: [String] = []
    /// [outputs][units].
    let projection: String?
    /// [rows][outputs].
    var hidden: String
    /// [rows][units]; `nil` except for an LSTM.
    var cells: String?
  }

  mutating func unrolled(
    _ call: CoreMLOperation, _ rule: RecurrentRule
  ) throws(ExportRefusal) -> CoreMLRecurrentResult {
    let from = sizes(call.inputs[0])
    let (times, rows, width) = (from[0], from[1], from[2])
    guard times <= Self.mostTimes else {
      throw ExportRefusal(
        what: "a recurrent layer of \(times) time steps whose formula Core ML does not have",
        remedy: "write a model of at most \(Self.mostTimes) time steps")
    }
    let gates = try name(of: call.inputs[0], in: .plain)
    var state = try cells(call, rule, rows: rows, width: width)
    var outputs: [Int: String] = [:]
    for step in 0..<times {
      let time = rule.isReversed ? times - 1 - step : step
      let part = try reshaped(
        try sliced(gates, axis: 0, from: time, count: 1), to: [rows, width])
      let before = state
      try advance(&state, part)
      guard let counts = try visible(call, rule, time: time, rows: rows) else {
        outputs[time] = state.hidden
        continue
      }
      // Hidden times leave the state as it is.
      state.hidden = try selected(counts.isVisible, state.hidden, before.hidden)
      if let new = state.cells, let old = before.cells {
        state.cells = try selected(counts.isVisible, new, old)
      }
      outputs[time] = state.hidden
      if let isInside = counts.isInside {
        outputs[time] = try selected(isInside, state.hidden, try number(0))
      }
    }
    return CoreMLRecurrentResult(
      sequence: .times((0..<times).compactMap { outputs[$0] }), hidden: state.hidden,
      cells: state.cells)
  }

  /// The operands and the state before the first time.
  private mutating func cells(
    _ call: CoreMLOperation, _ rule: RecurrentRule, rows: Int, width: Int
  ) throws(ExportRefusal) -> Cells {
    func operand(
      _ operand: RecurrentRule.Operand, _ writer: inout CoreMLGraphWriter, _ target: [Int]
    ) throws(ExportRefusal) -> String? {
      guard let position = rule.position(of: operand) else { return nil }
      return try writer.reshaped(
        try writer.name(of: call.inputs[position], in: .plain), to: target)
    }
    let weights = try reshaped(
      try name(of: call.inputs[1], in: .plain), to: [width, rule.outputs])
    func start(
      _ state: RecurrentRule.Operand, _ writer: inout CoreMLGraphWriter, count: Int
    ) throws(ExportRefusal) -> String {
      if let given = try operand(state, &writer, [rows, count]) { return given }
      let zeros = Array(repeating: Float(0), count: rows * count)
      return try writer.numbers(zeros, sizes: [rows, count], named: "zeros")
    }
    let hidden = try start(.hidden, &self, count: rule.outputs)
    let cells = rule.hasCells ? try start(.cells, &self, count: rule.units) : nil
    var result = Cells(
      rule: rule, rows: rows, weights: weights,
      recurrentBiases: try operand(.recurrentBiases, &self, [1, width]),
      projection: try operand(.projection, &self, [rule.outputs, rule.units]), hidden: hidden,
      cells: cells)
    if let all = try operand(.peepholes, &self, [3, rule.units]) {
      for block in rule.peepholeBlocks {
        result.peepholes.append(try sliced(all, axis: 0, from: block, count: 1))
      }
    }
    return result
  }

  /// Which rows count at a time, and which are inside the length of their row; `nil` if all do.
  private mutating func visible(
    _ call: CoreMLOperation, _ rule: RecurrentRule, time: Int, rows: Int
  ) throws(ExportRefusal) -> (isVisible: String, isInside: String?)? {
    var isVisible: String?
    var isInside: String?
    if let position = rule.position(of: .mask) {
      let mask = try name(of: call.inputs[position], in: .plain)
      let row = try reshaped(try sliced(mask, axis: 0, from: time, count: 1), to: [rows, 1])
      isVisible = try compared(.notEqual, row, to: 0)
    }
    if let position = rule.position(of: .lengths) {
      let lengths = try reshaped(
        try name(of: call.inputs[position], in: .plain), to: [rows, 1])
      let inside = try compared(.greater, lengths, to: Float(time))
      if let mask = isVisible {
        isVisible = try combined(.and, mask, inside)
      } else {
        isVisible = inside
      }
      isInside = inside
    }
    return isVisible.map { ($0, isInside) }
  }

  /// Computes one time from the input's parts of the gates, [rows][gates · units].
  private mutating func advance(
    _ state: inout Cells, _ input: String
  ) throws(ExportRefusal) {
    let rule = state.rule
    let values: String
    switch rule.cell {
    case .simple(let function):
      let sum = try combined(.add, input, try recurrentProduct(state, state.hidden))
      values = try activation(try bounded(sum, rule.clip), function)
    case .gru(let gates, let candidate, let resetsAfter):
      values = try gruValues(state, input, gates, candidate, resetsAfter)
    case .lstm(let gates, let cell, let hidden, let isCoupled):
      let sum = try combined(.add, input, try recurrentProduct(state, state.hidden))
      let parts = try blocks(sum, rule)
      let old = state.cells ?? state.hidden
      func gate(
        _ writer: inout CoreMLGraphWriter, _ index: Int, peephole: Int, _ cells: String
      ) throws(ExportRefusal) -> String {
        var sum = parts[index]
        if !state.peepholes.isEmpty {
          sum = try writer.combined(
            .add, sum, try writer.combined(.multiply, cells, state.peepholes[peephole]))
        }
        return try writer.activation(try writer.bounded(sum, rule.clip), gates)
      }
      let i = try gate(&self, 0, peephole: 0, old)
      let f =
        isCoupled
        ? try shifted(try scaled(i, by: -1), by: 1) : try gate(&self, 1, peephole: 1, old)
      let block = try activation(try bounded(parts[2], rule.clip), cell)
      let new = try bounded(
        try combined(
          .add, try combined(.multiply, f, old), try combined(.multiply, i, block)),
        rule.cellClip)
      state.cells = new
      let o = try gate(&self, 3, peephole: 2, new)
      values = try combined(.multiply, o, try activation(new, hidden))
    }
    state.hidden = values
    if let matrix = state.projection {
      state.hidden = try product(values, matrix, transposesB: true)
    }
  }

  /// The hidden values of a GRU after a time.
  private mutating func gruValues(
    _ state: Cells, _ input: String, _ gates: ActivationFunction,
    _ candidate: ActivationFunction, _ resetsAfter: Bool
  ) throws(ExportRefusal) -> String {
    let rule = state.rule
    let before = state.hidden
    let fromInput = try blocks(input, rule)
    let fromHidden = try blocks(try recurrentProduct(state, before), rule)
    var both: [String] = []
    for gate in 0..<2 {
      let sum = try combined(.add, fromInput[gate], fromHidden[gate])
      both.append(try activation(try bounded(sum, rule.clip), gates))
    }
    let (z, r) = (both[0], both[1])
    let reset =
      resetsAfter
      ? try combined(.multiply, r, fromHidden[2])
      : try blocks(
        try recurrentProduct(state, try combined(.multiply, r, before)), rule)[2]
    let n = try activation(
      try bounded(try combined(.add, fromInput[2], reset), rule.clip), candidate)
    // (1 − z)·n + z·h
    let rest = try shifted(try scaled(z, by: -1), by: 1)
    return try combined(
      .add, try combined(.multiply, rest, n), try combined(.multiply, z, before))
  }

  /// `R·values` plus the recurrent biases, [rows][gates · units].
  private mutating func recurrentProduct(
    _ state: Cells, _ values: String
  ) throws(ExportRefusal) -> String {
    let product = try product(values, state.weights, transposesB: true)
    guard let biases = state.recurrentBiases else { return product }
    return try combined(.add, product, biases)
  }

  /// The parts of the gates in the order of the rule's formula.
  private mutating func blocks(
    _ x: String, _ rule: RecurrentRule
  ) throws(ExportRefusal) -> [String] {
    let count = rule.cell.gates
    guard count > 1 else { return [x] }
    let part = [sizes(of: x)[0], rule.units]
    let parts = try add(
      .split, [x], outputs: Array(repeating: part, count: count), named: nil
    ) {
      $0.integer(1, 1)
      $0.integer(2, count)
      $0.integers(3, Array(repeating: part[1], count: count))
    }
    return rule.gateBlocks.map { parts[$0] }
  }

  /// Values within a bound of their magnitude, if there is one.
  private mutating func bounded(_ x: String, _ bound: Float?) throws(ExportRefusal) -> String {
    guard let bound else { return x }
    return try clipped(x, -bound, bound)
  }
}
