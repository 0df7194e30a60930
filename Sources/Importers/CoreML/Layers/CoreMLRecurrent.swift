import Forge
import ForgeMessages

/// Recurrent layers by the formulas of Core ML's specification (NeuralNetwork.proto).
///
/// What gates are computed from is bounded to −50 … 50. A layer reads
/// [sequence, batch, channels, 1, 1], in the first versions [sequence, channels, 1, 1], then
/// perhaps the states before the sequence, [1, batch, units, 1, 1]. Its results are the sequence of
/// outputs or the last one, then the states after the sequence.
enum CoreMLRecurrent {
  /// The bound of what gates are computed from.
  private static let gateBound: Float = 50
  /// The bound of cells in files that state none.
  private static let usualCellClip: Float = 50

  static func simple(_ call: inout CoreMLCall, _ layer: CoreMLSimpleRecurrent) throws {
    let function = try activation(layer.activation)
    let cells = Cells(
      cell: .simple(function), weights: [layer.weights], recursion: [layer.recursion],
      biases: layer.hasBias_p ? [layer.bias] : nil)
    let sizes = try Sizes(layer.inputSize, layer.outputSize, isSequence: layer.sequenceOutput)
    try run(&call, cells, sizes, isReversed: layer.reverseInput)
  }

  static func gru(_ call: inout CoreMLCall, _ layer: CoreMLGRU) throws {
    let functions = try activations(layer.activations, count: 2)
    let cells = Cells(
      // The specification multiplies the reset state by the matrix.
      cell: .gru(gates: functions[0], candidate: functions[1], resetsAfter: false),
      weights: [layer.updateWeights, layer.resetWeights, layer.outputWeights],
      recursion: [layer.updateRecursion, layer.resetRecursion, layer.outputRecursion],
      biases: layer.hasBias_p ? [layer.updateBias, layer.resetBias, layer.outputBias] : nil)
    let sizes = try Sizes(layer.inputSize, layer.outputSize, isSequence: layer.sequenceOutput)
    try run(&call, cells, sizes, isReversed: layer.reverseInput)
  }

  static func lstm(_ call: inout CoreMLCall, _ layer: CoreMLUnidirectionalLSTM) throws {
    let cells = try cells(layer.weights, layer.rule, layer.activations)
    let sizes = try Sizes(layer.inputSize, layer.outputSize, isSequence: layer.rule.sequenceOutput)
    try run(&call, cells, sizes, isReversed: layer.reverseInput)
  }

  /// An LSTM forwards and one backwards, whose outputs follow each other along the channels.
  static func bidirectional(_ call: inout CoreMLCall, _ layer: CoreMLBidirectionalLSTM) throws {
    guard layer.weights.count == 2 else {
      throw NodeFailure.invalid("the weights of \(layer.weights.count) directions")
    }
    let sizes = try Sizes(layer.inputSize, layer.outputSize, isSequence: layer.rule.sequenceOutput)
    let sequence = try Sequence(call, sizes)
    let activations = [layer.forwardActivations, layer.backwardActivations]
    var outputs: [Tensor] = []
    for direction in 0..<2 {
      let cells = try cells(layer.weights[direction], layer.rule, activations[direction])
      let made = try apply(
        &call, cells, sequence, sizes, isReversed: direction == 1,
        name: direction == 0 ? call.name : "\(call.name)/reverse", firstState: 1 + 2 * direction)
      outputs.append(sizes.isSequence ? made.sequence : made.states[0])
      for (index, state) in made.states.enumerated() {
        call.set(sequence.state(state), output: 1 + 2 * direction + index)
      }
    }
    let last = sizes.isSequence ? 2 : 1
    let joined = try call.apply(Concatenate(axis: last), to: outputs)
    call.set(sizes.isSequence ? sequence.outputs(joined) : sequence.state(joined))
  }

  // MARK: Parameters

  /// What one direction computes, with the parameters of each gate in the order of the rule.
  private struct Cells {
    let cell: RecurrentRule.Cell
    let weights, recursion: [CoreMLWeights]
    let biases: [CoreMLWeights]?
    var peepholes: [CoreMLWeights]?
    /// The gate whose bias is one more than stored.
    var raisedGate: Int?
    var cellClip: Float?

    var hasBias: Bool { biases != nil || raisedGate != nil }

    /// The biases of all gates.
    func biases(units: Int) throws -> HostTensor {
      var values = try biases.map { try joined($0, [units]).floats() }
      if values == nil { values = Array(repeating: 0, count: weights.count * units) }
      var result = values ?? []
      if let raisedGate {
        for unit in raisedGate * units..<(raisedGate + 1) * units { result[unit] += 1 }
      }
      return HostTensor(floats: result, sizes: [result.count])
    }

    /// The tensors of all gates, one after the other.
    func joined(_ parts: [CoreMLWeights], _ sizes: [Int]) throws -> HostTensor {
      try HostTensor.concatenated(try parts.map { try $0.tensor(sizes) }, axis: 0)
    }
  }

  private static func cells(
    _ weights: CoreMLLSTMWeights, _ rule: CoreMLLSTMRule, _ activations: [CoreMLActivation]
  ) throws -> Cells {
    let functions = try Self.activations(activations, count: 3)
    guard rule.cellClip >= 0, rule.cellClip.isFinite else {
      throw NodeFailure.invalid("a cellClipThreshold of \(rule.cellClip)")
    }
    return Cells(
      cell: .lstm(
        gates: functions[0], cell: functions[1], hidden: functions[2], isCoupled: rule.isCoupled),
      weights: [
        weights.inputWeights, weights.forgetWeights, weights.blockWeights, weights.outputWeights,
      ],
      recursion: [
        weights.inputRecursion, weights.forgetRecursion, weights.blockRecursion,
        weights.outputRecursion,
      ],
      biases: rule.hasBias_p
        ? [weights.inputBias, weights.forgetBias, weights.blockBias, weights.outputBias] : nil,
      peepholes: rule.hasPeepholes_p
        ? [weights.inputPeephole, weights.forgetPeephole, weights.outputPeephole] : nil,
      raisedGate: rule.forgetBias ? 1 : nil,
      cellClip: rule.cellClip > 0 ? rule.cellClip : usualCellClip)
  }

  private static func activations(
    _ activations: [CoreMLActivation], count: Int
  ) throws -> [ActivationFunction] {
    guard activations.count == count else {
      throw NodeFailure.invalid("\(activations.count) activations instead of \(count)")
    }
    return try activations.map { try activation($0) }
  }

  /// One of the functions that recurrent layers have, with the usual numbers where none are stated.
  private static func activation(_ activation: CoreMLActivation) throws -> ActivationFunction {
    func isUsual(_ pair: CoreMLPair, alpha: Float, beta: Float) -> Bool {
      (pair.alpha, pair.beta) == (0, 0) || (pair.alpha, pair.beta) == (alpha, beta)
    }
    switch activation.kind {
    case .sigmoid: return .sigmoid
    case .tanh: return .tanh
    case .reLu: return .relu
    case .sigmoidHard(let pair):
      if isUsual(pair, alpha: 0.2, beta: 0.5) { return .hardSigmoidLinear(alpha: 0.2, beta: 0.5) }
      return .hardSigmoidLinear(alpha: pair.alpha, beta: pair.beta)
    case .scaledTanh(let pair) where (pair.alpha, pair.beta) == (1, 1): return .tanh
    case .scaledTanh:
      throw NodeFailure.unsupported("the activation scaledTanh in a recurrent layer")
    case .linear(let pair) where isUsual(pair, alpha: 1, beta: 0): return .linear
    default: throw NodeFailure.unsupported("this activation in a recurrent layer")
    }
  }

  // MARK: Sequences

  /// The sizes that a layer states.
  private struct Sizes {
    let inputs, units: Int
    /// Whether the output has all times.
    let isSequence: Bool

    init(_ inputs: UInt64, _ units: UInt64, isSequence: Bool) throws {
      self.inputs = try CoreMLCall.size(inputs)
      self.units = try CoreMLCall.size(units)
      self.isSequence = isSequence
      guard self.inputs > 0, self.units > 0 else {
        throw NodeFailure.invalid("a recurrent layer from \(inputs) to \(units) channels")
      }
    }
  }

  /// The sequence that a layer reads, and how its results are stored.
  private struct Sequence {
    let isExact: Bool
    let times, rows: Int
    /// [times][rows][channels].
    let tensor: Tensor

    init(_ call: CoreMLCall, _ sizes: Sizes) throws {
      let file = try call.network()
      isExact = call.isExact
      guard file.rank == (isExact ? 5 : 4), file.sizes.suffix(3) == [sizes.inputs, 1, 1] else {
        throw NodeFailure.invalid("\(sizes.inputs) input channels on \(file.sizes)")
      }
      times = file.sizes[0]
      rows = isExact ? file.sizes[1] : 1
      tensor = file.tensor(as: isExact ? [0, 1, 2] : [0, nil, 1])
    }

    /// Outputs [times][rows][units].
    func outputs(_ tensor: Tensor) -> FileTensor {
      FileTensor(tensor, layout: isExact ? [0, 1, 2] : [0, nil, 1], rank: isExact ? 5 : 4)
    }

    /// A state or a single output, [rows][units].
    func state(_ tensor: Tensor) -> FileTensor {
      FileTensor(tensor, layout: isExact ? [1, 2] : [nil, 1], rank: isExact ? 5 : 4)
    }

    /// A state before the sequence, [rows][units].
    func initial(_ file: FileTensor, units: Int) throws -> Tensor {
      let sizes = isExact ? [1, rows, units, 1, 1] : [1, units, 1, 1]
      guard file.sizes == sizes else {
        throw NodeFailure.invalid("an initial state of \(file.sizes), not \(sizes)")
      }
      return file.tensor(as: isExact ? [1, 2] : [nil, 1])
    }
  }

  /// Applies a layer of one direction and sets all of its results.
  private static func run(
    _ call: inout CoreMLCall, _ cells: Cells, _ sizes: Sizes, isReversed: Bool
  ) throws {
    let sequence = try Sequence(call, sizes)
    let made = try apply(
      &call, cells, sequence, sizes, isReversed: isReversed, name: call.name, firstState: 1)
    for (index, state) in made.states.enumerated() {
      call.set(sequence.state(state), output: 1 + index)
    }
    guard sizes.isSequence else { return call.set(sequence.state(made.states[0])) }
    // Core ML leaves the outputs of a reversed sequence in the order in which they are computed.
    let turns = isReversed && sequence.times > 1
    let outputs =
      turns
      ? try call.apply(
        Slice(starts: [-1], ends: [-sequence.times - 1], axes: [0], steps: [-1]),
        to: made.sequence)
      : made.sequence
    call.set(sequence.outputs(outputs))
  }

  /// The results of one direction.
  private struct Made {
    /// [times][rows][units], in the order of the input.
    let sequence: Tensor
    /// The hidden values and, for an LSTM, the cells after the sequence, [rows][units].
    let states: [Tensor]
  }

  /// Applies the cells of one direction.
  private static func apply(
    _ call: inout CoreMLCall, _ cells: Cells, _ sequence: Sequence, _ sizes: Sizes,
    isReversed: Bool, name: String, firstState: Int
  ) throws -> Made {
    let units = sizes.units
    let width = cells.weights.count * units
    call.parameter(
      .weights,
      try cells.joined(cells.weights, [units, sizes.inputs]).reshaped([width, sizes.inputs, 1, 1]),
      of: name)
    call.parameter(
      .recurrentWeights, try cells.joined(cells.recursion, [units, units]), of: name)
    if cells.hasBias { call.parameter(.biases, try cells.biases(units: units), of: name) }
    var optional: Set<RecurrentRule.Operand> = []
    if let peepholes = cells.peepholes {
      call.parameter(
        .peepholes, try cells.joined(peepholes, [units]).reshaped([3, units]), of: name)
      optional.insert(.peepholes)
    }
    let parts: [RecurrentRule.Part] =
      if case .lstm = cells.cell { [.hidden, .cells] } else { [.hidden] }
    var states: [Tensor] = []
    if call.inputs.count > firstState {
      states = try parts.indices.map { index in
        guard call.inputs.count > firstState + index else {
          let zeros = HostTensor(
            type: .float32, sizes: [sequence.rows, units], storage: .repeated(0))
          return try CoreMLCall.constant(zeros, layout: [0, 1]).tensor
        }
        return try sequence.initial(try call.network(firstState + index), units: units)
      }
      optional.formUnion(parts.count == 2 ? [.hidden, .cells] : [.hidden])
    }
    let rule = RecurrentRule(
      cell: cells.cell, units: units, isReversed: isReversed, clip: gateBound,
      cellClip: cells.cellClip, optional: optional)
    let all = try call.apply(
      RecurrentCells(rule, hasBias: cells.hasBias, name: name), to: [sequence.tensor] + states)
    func part(_ part: RecurrentRule.Part) throws -> Tensor {
      try call.apply(RecurrentPart(rule, part), to: [all, sequence.tensor])
    }
    return Made(sequence: try part(.sequence), states: try parts.map { try part($0) })
  }
}
