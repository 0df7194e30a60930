import ForgeShapes

/// Recurrent cells over a sequence: each output depends on the input and on the output before.
///
/// Operands: the gates' parts that come from the input, [times][rows][gates · units]; the constant
/// recurrent weights, [gates · units][outputs]; then those of ``RecurrentRule/Operand``. The result
/// is one vector: the sequence [times][rows][outputs], the last hidden values [rows][outputs] and,
/// for an LSTM, the last cells [rows][units].
package struct RecurrentOperation: PrimitiveOperation {
  package let rule: RecurrentRule

  package var name: String {
    switch rule.cell {
    case .simple: "simpleRNN"
    case .lstm: "lstm"
    case .gru: "gru"
    }
  }

  package var traits: OperationTraits {
    let count = 2 + rule.optional.count
    return OperationTraits(
      operands: count...count, multiplyAdds: .onePerRecurrentWeight, isLinear: false,
      addsResidual: false,
      takesActivation: false, packsOperands: false, keepsElements: false,
      treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    try ArgumentRule.positive(rule.units, "units")
    try ArgumentRule.positive(rule.outputs, "outputs")
    for function in rule.cell.activations { try function.validate() }
    for (clip, name) in [(rule.clip, "clip"), (rule.cellClip, "cellClip")] {
      guard let clip else { continue }
      try ArgumentRule.require(
        clip > 0 && clip.isFinite, name, "\(clip)", needs: "a finite number above 0")
    }
    let gates = rule.cell.gates
    let width = gates.multipliedSaturated(by: rule.units)
    let isProjected = rule.optional.contains(.projection)
    guard rule.gateBlocks.sorted() == Array(0..<gates), isProjected || rule.outputs == rule.units,
      rule.hasCells || rule.optional.isDisjoint(with: [.peepholes, .projection, .cells]),
      rule.hasCells || rule.cellClip == nil,
      rule.optional.contains(.hidden) == rule.optional.contains(.cells) || !rule.hasCells
    else {
      throw ShapeError(.invalidArgument, "the operands do not belong to this recurrent cell")
    }
    if let scales = rule.hiddenScales {
      try ArgumentRule.require(
        scales.count == width && scales.allSatisfy { $0.isNormal && $0 > 0 }, "hiddenScales",
        "\(scales.count) numbers", needs: "\(width) numbers above 0")
      guard rule.hasCells, !isProjected, rule.outputs <= Self.mostHidden else {
        throw ShapeError(
          .invalidArgument, "products of integers are those of an LSTM without a projection",
          needs: "at most \(Self.mostHidden) units")
      }
    }
    let input = operands[0]
    guard input.rank == 3, input.dimensions[2] ?? width == width else {
      throw operandSize(0, input, needs: "times×rows×\(width)")
    }
    try check(operands, 1, [width, rule.outputs])
    let rows = input.dimensions[1]
    for operand in RecurrentRule.Operand.allCases {
      guard let index = rule.position(of: operand) else { continue }
      switch operand {
      case .recurrentBiases: try check(operands, index, [width])
      case .peepholes: try check(operands, index, [3, rule.units])
      case .projection: try check(operands, index, [rule.outputs, rule.units])
      case .hidden: try check(operands, index, [rows, rule.outputs])
      case .cells: try check(operands, index, [rows, rule.units])
      case .lengths: try check(operands, index, [rows])
      case .mask: try check(operands, index, [input.dimensions[0], rows])
      }
    }
  }

  /// Checks the number of values of an operand while all sizes are known.
  private func check(
    _ operands: [Shape], _ index: Int, _ sizes: [Int?]
  ) throws(ShapeError) {
    let known = sizes.compactMap(\.self)
    guard known.count == sizes.count, let count = operands[index].elementCount else { return }
    guard count == Shape.product(of: known) else {
      throw operandSize(
        index, operands[index], needs: known.map(String.init).joined(separator: "×"))
    }
  }

  /// The most hidden values that become integers.
  private static let mostHidden = 8192

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    let input = operands[0].dimensions
    guard input.count == 3, let times = input[0], let rows = input[1] else { return Shape([nil]) }
    let perRow = times.multipliedSaturated(by: rule.outputs).addingSaturated(rule.finalCount)
    return try SizeRule.bounded(Shape(sizes: [perRow.multipliedSaturated(by: rows)]))
  }

  /// Each time is a step of its own, with activations.
  package func workPerElement(for operands: [Shape]) -> Int { 256 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    let sizes = call.input.sizes
    let (times, rows) = (sizes[0], sizes[1])
    var sequence = Array(repeating: 0.0, count: times * rows * rule.outputs)
    var state = CellState(rule, call, rows: rows)
    for step in 0..<times {
      let time = rule.isReversed ? times - 1 - step : step
      state.findRange()
      for row in 0..<rows where Double(time) < state.length(row) {
        let outputStart = (time * rows + row) * rule.outputs
        guard state.isVisible(time * rows + row) else {
          let kept = state.hidden[row * rule.outputs..<(row + 1) * rule.outputs]
          sequence.replaceSubrange(outputStart..<outputStart + rule.outputs, with: kept)
          continue
        }
        let width = rule.cell.gates * rule.units
        let start = (time * rows + row) * width
        let hidden = state.step(Array(call.input.values[start..<start + width]), row: row)
        sequence.replaceSubrange(outputStart..<outputStart + rule.outputs, with: hidden)
      }
    }
    return ReferenceTensor(unchecked: call.output, sequence + state.hidden + state.cells)
  }
}

/// The hidden values and cells while a sequence is read.
private struct CellState {
  private let rule: RecurrentRule
  private let call: ReferenceCall
  /// [rows][outputs].
  private(set) var hidden: [Double]
  /// [rows][units]; empty except for an LSTM.
  private(set) var cells: [Double]
  /// The integers of the hidden values before a time, if products are those of integers.
  private var integers: DynamicRangeOperation.Range?

  init(_ rule: RecurrentRule, _ call: ReferenceCall, rows: Int) {
    self.rule = rule
    self.call = call
    let count = rule.hasCells ? rows * rule.units : 0
    hidden = Array(repeating: 0, count: rows * rule.outputs)
    cells = Array(repeating: 0, count: count)
    hidden = operand(.hidden) ?? hidden
    cells = operand(.cells) ?? cells
  }

  private func operand(_ operand: RecurrentRule.Operand) -> [Double]? {
    rule.position(of: operand).map { call.operands[$0].values }
  }

  /// Finds the range of the hidden values of all rows, if products are those of integers.
  mutating func findRange() {
    guard rule.hiddenScales != nil else { return }
    integers = DynamicRangeOperation.Range(hidden.map { Float($0) })
  }

  /// The number of times that a row has.
  func length(_ row: Int) -> Double { operand(.lengths)?[row] ?? .infinity }

  /// Whether a time of a row, given its index in [times][rows], is not hidden.
  func isVisible(_ index: Int) -> Bool { operand(.mask).map { $0[index] != 0 } ?? true }

  /// Computes one time of a row from the input's parts of the gates; returns the hidden values.
  mutating func step(_ input: [Double], row: Int) -> ArraySlice<Double> {
    let before = Array(hidden[row * rule.outputs..<(row + 1) * rule.outputs])
    let values: [Double]
    switch rule.cell {
    case .simple(let function):
      let sums = product(0, before)
      values = (0..<rule.units).map {
        function.value(at: clipped(input[$0] + sums[$0], to: rule.clip))
      }
    case .gru(let gates, let candidate, let resetsAfter):
      let (fromZ, fromR) = (product(0, before), product(1, before))
      func gate(_ gate: Int, _ unit: Int, _ sum: Double) -> Double {
        gates.value(at: clipped(part(input, gate, unit) + sum, to: rule.clip))
      }
      let reset = (0..<rule.units).map { gate(1, $0, fromR[$0]) }
      let fromH =
        resetsAfter
        ? zip(reset, product(2, before)).map(*)
        : product(2, zip(reset, before).map(*))
      values = (0..<rule.units).map { unit in
        let z = gate(0, unit, fromZ[unit])
        let n = candidate.value(at: clipped(part(input, 2, unit) + fromH[unit], to: rule.clip))
        return (1 - z) * n + z * before[unit]
      }
    case .lstm(let gates, let cell, let hidden, let isCoupled):
      let sums = (0..<4).map { product($0, before) }
      let peepholes = operand(.peepholes)
      values = (0..<rule.units).map { unit in
        let cellIndex = row * rule.units + unit
        let old = cells[cellIndex]
        func sum(_ gate: Int, peephole: Int? = nil, _ cell: Double = 0) -> Double {
          let factor = peephole.flatMap { index in
            peepholes?[rule.peepholeBlocks[index] * rule.units + unit]
          }
          return clipped(
            part(input, gate, unit) + sums[gate][unit] + (factor.map { $0 * cell } ?? 0),
            to: rule.clip)
        }
        let i = gates.value(at: sum(0, peephole: 0, old))
        let f = isCoupled ? 1 - i : gates.value(at: sum(1, peephole: 1, old))
        let new = clipped(f * old + i * cell.value(at: sum(2)), to: rule.cellClip)
        cells[cellIndex] = new
        return gates.value(at: sum(3, peephole: 2, new)) * hidden.value(at: new)
      }
    }
    hidden.replaceSubrange(
      row * rule.outputs..<(row + 1) * rule.outputs, with: projected(values))
    return hidden[row * rule.outputs..<(row + 1) * rule.outputs]
  }

  /// The input's part of a gate.
  private func part(_ input: [Double], _ gate: Int, _ unit: Int) -> Double {
    input[rule.gateBlocks[gate] * rule.units + unit]
  }

  /// `R·values` plus the recurrent biases of a gate.
  private func product(_ gate: Int, _ values: [Double]) -> [Double] {
    let weights = call.operands[1].values
    let first = rule.gateBlocks[gate] * rule.units
    let biases = operand(.recurrentBiases)
    if let integers, let scales = rule.hiddenScales {
      let differences = values.map { integers.difference(Float($0)) }
      return (first..<first + rule.units).map { unit in
        let sum = differences.indices.reduce(0.0) {
          let weight = Float(weights[unit * rule.outputs + $1]) / scales[unit]
          return $0 + Double(weight.rounded(.toNearestOrEven)) * differences[$1]
        }
        return Double(Float(sum) * (integers.scale * scales[unit])) + (biases?[unit] ?? 0)
      }
    }
    return (first..<first + rule.units).map { unit in
      values.indices.reduce(biases?[unit] ?? 0) {
        $0 + weights[unit * rule.outputs + $1] * values[$1]
      }
    }
  }

  private func projected(_ values: [Double]) -> [Double] {
    guard let matrix = operand(.projection) else { return values }
    return (0..<rule.outputs).map { output in
      values.indices.reduce(0) { $0 + matrix[output * rule.units + $1] * values[$1] }
    }
  }

  private func clipped(_ value: Double, to clip: Float?) -> Double {
    guard let clip = clip.map(Double.init), !value.isNaN else { return value }
    return min(max(value, -clip), clip)
  }
}
