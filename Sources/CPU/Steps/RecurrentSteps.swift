import CForgeKernels
import ForgeOperations
import ForgeSystem

extension PlanBuilder {
  /// Adds recurrent cells over a sequence: one step of as many rounds as times.
  mutating func addRecurrence(_ node: OperationGraph.Node, _ rule: RecurrentRule) throws {
    let source = try gates(node.inputs[0], of: rule)
    let sizes = sizes(of: node.inputs[0])
    let (times, rows) = (sizes[0], sizes[1])
    func operand(_ operand: RecurrentRule.Operand) -> Value? {
      rule.position(of: operand).map { node.inputs[$0] }
    }
    let hidden = try operand(.hidden).map { try plain($0) }
    let cells = try operand(.cells).map { try plain($0) }
    let lengths = try operand(.lengths).map { try plain($0) }
    let mask = try operand(.mask).map { try plain($0) }
    let target = plainResult(node.output)

    var arguments = forge_recurrent_arguments()
    arguments.set(rule, isProjected: operand(.projection) != nil)
    (arguments.times, arguments.rows) = (Int64(times), Int64(rows))
    arguments.setGates(rule, from: tensor(source))
    arguments.has_state = hidden == nil ? 0 : 1
    arguments.has_lengths = lengths == nil ? 0 : 1
    arguments.has_mask = mask == nil ? 0 : 1
    let matrices = RecurrentMatrices(
      rule, weights: node.inputs[1], projection: operand(.projection))
    let isDynamic = try addDynamicWeights(of: node, rule, to: &arguments)
    let form = isDynamic ? nil : try addWeights(matrices, to: &arguments)
    if let biases = operand(.recurrentBiases) {
      arguments.biases = try packed(
        biases, as: CellForm(blocks: rule.gateBlocks, units: rule.units, inputs: 1))
    }
    if let peepholes = operand(.peepholes) {
      arguments.peepholes = try packed(
        peepholes, as: CellForm(blocks: rule.peepholeBlocks, units: rule.units, inputs: 1))
    }
    let hasTwoRounds =
      arguments.projection != nil || arguments.cell == Int32(FORGE_CELL_GRU_BEFORE.rawValue)
    let scratch = addPlain([2 * rows * (rule.outputs + (hasTwoRounds ? rule.units : 0))])
    addStep(
      (isDynamic ? "integer " : form.map { "\($0.name) " } ?? "") + node.primitive.name,
      isDynamic ? kernels.dynamic_recurrent : form?.kernel(kernels.level) ?? kernels.recurrent,
      arguments, tiles: forge_recurrent_tiles,
      rounds: hasTwoRounds ? 2 * times : times,
      reads: [
        \.in: source, \.initial_hidden: hidden, \.initial_cells: cells, \.lengths: lengths,
        \.mask: mask,
      ], writes: [\.out: target, \.scratch: scratch],
      multiplyAdds: matrices.count.multipliedSaturated(by: times * rows),
      parameterCount: isDynamic
        ? matrices.count / 4 : form.map { matrices.count / 32 * $0.bits } ?? matrices.count)
  }

  /// Returns the parts of the gates that come from the input: blocked if they are and the gates are
  /// whole blocks, else plain.
  private mutating func gates(_ value: Value, of rule: RecurrentRule) throws -> ID {
    if plainForms[value] == nil, rule.units.isMultiple(of: PlannedTensor.lanes),
      let form = blockedForms[value], !tensor(form).isVector
    {
      return form
    }
    return try plain(value)
  }

  /// Adds a part of a result: a view of its memory.
  mutating func addRecurrentPart(
    _ node: OperationGraph.Node, _ rule: RecurrentRule, _ part: RecurrentRule.Part
  ) throws {
    let whole = tensor(try plain(node.inputs[0]))
    let start = rule.start(of: part, sizes: sizes(of: node.inputs[1]))
    setForm(node.output, whole.reshaped(sizes(of: node.output), from: start))
  }
}

extension forge_recurrent_arguments {
  /// Sets the formula and the sizes.
  fileprivate mutating func set(_ rule: RecurrentRule, isProjected: Bool) {
    switch rule.cell {
    case .simple(let function):
      cell = Int32(FORGE_CELL_SIMPLE.rawValue)
      gates = forge_activation(function)
    case .lstm(let gates, let cell, let hidden, let isCoupled):
      self.cell = Int32(FORGE_CELL_LSTM.rawValue)
      self.gates = forge_activation(gates)
      candidate = forge_activation(cell)
      self.hidden = forge_activation(hidden)
      is_coupled = isCoupled ? 1 : 0
    case .gru(let gates, let candidate, let resetsAfter):
      cell = Int32((resetsAfter ? FORGE_CELL_GRU_AFTER : FORGE_CELL_GRU_BEFORE).rawValue)
      self.gates = forge_activation(gates)
      self.candidate = forge_activation(candidate)
    }
    is_reversed = rule.isReversed ? 1 : 0
    clip = rule.clip ?? .infinity
    cell_clip = rule.cellClip ?? .infinity
    (units, outputs) = (Int64(rule.units), Int64(rule.outputs))
  }

  /// Sets where the gates are in a tensor `[times][rows][gates * units]`.
  fileprivate mutating func setGates(_ rule: RecurrentRule, from tensor: PlannedTensor) {
    let lanes = PlannedTensor.lanes
    let (row, block) = tensor.isBlocked ? (lanes, tensor.blockStride) : (tensor.channels, lanes)
    (in_time, in_row, in_block) = (Int64(tensor.rowStride), Int64(row), Int64(block))
    let gate = tensor.isBlocked ? rule.units / lanes * block : rule.units
    let offsets = rule.gateBlocks.map { Int64($0 * gate) } + [0, 0, 0]
    gate_offsets = (offsets[0], offsets[1], offsets[2], offsets[3])
  }
}

/// Blocks of [units][inputs] as `[block of 16 units][inputs][block][16]`, zero-padded.
///
/// The blocks of each round are such a matrix of their own.
struct CellForm: PackedForm {
  /// The blocks in the order of the packed form.
  let blocks: [Int]
  /// The number of blocks of the first round of a time.
  var firstBlocks: Int?
  let units, inputs: Int

  /// The rows of the matrices; what is added to their outputs is not known here.
  var tiny: TinyWeights { TinyWeights(rowLength: inputs, biases: { nil }) }

  private var panels: Int { (units + PlannedTensor.lanes - 1) / PlannedTensor.lanes }

  var count: Int { panels * inputs * blocks.count * PlannedTensor.lanes }

  func write(_ packing: Packing) -> Bool {
    guard let values = packing.values else { return true }
    let lanes = PlannedTensor.lanes
    let firstBlocks = firstBlocks ?? blocks.count
    for (place, block) in blocks.enumerated() {
      let isFirst = place < firstBlocks
      let together = isFirst ? firstBlocks : blocks.count - firstBlocks
      let before = isFirst ? place : firstBlocks * inputs + place - firstBlocks
      for unit in 0..<units {
        let source = values + (block * units + unit) * inputs
        let start = unit / lanes * inputs * blocks.count + before
        for input in 0..<inputs {
          packing.memory[(start + input * together) * lanes + unit % lanes] = source[input]
        }
      }
    }
    return true
  }
}
