import Forge

extension CoreMLLayerType {
  /// Recurrent layers; see ``CoreMLRecurrent``.
  static let recurrent: [CoreMLLayerType] = [
    CoreMLLayerType("simpleRecurrent", field: 400, CoreMLRecurrent.simple),
    CoreMLLayerType("gru", field: 410, CoreMLRecurrent.gru),
    CoreMLLayerType("uniDirectionalLSTM", field: 420, CoreMLRecurrent.lstm),
    CoreMLLayerType("biDirectionalLSTM", field: 430, CoreMLRecurrent.bidirectional),
  ]
}

/// Recurrent layers by the formulas of Core ML's specification (NeuralNetwork.proto), which ONNX's
/// operators do not have.
///
/// What gates are computed from is bounded to −50 … 50. A layer reads
/// [sequence, batch, channels, 1, 1], in the first versions [sequence, channels, 1, 1], then
/// optionally the states before the sequence, [1, batch, units, 1, 1]. Its results are the sequence
/// of outputs or the last one, then the states after the sequence.
enum CoreMLRecurrent {
  /// The bound of what gates are computed from.
  private static let gateBound: Float = 50
  /// The bound of cells in files that state none.
  private static let usualCellClip: Float = 50

  /// Fields that all recurrent layers have.
  private enum Field {
    static let (inputSize, outputSize, activations, backwardActivations) = (1, 2, 10, 11)
    static let (sequenceOutput, hasBias, reverseInput) = (15, 20, 100)
    // Of LSTMs.
    static let (rule, weights) = (15, 20)
  }

  static func simple(_ call: inout CoreMLCall) throws {
    let (weights, recursion, bias) = (30, 31, 32)
    let function = try activation(call.fields.message(Field.activations))
    let cells = Cells(
      cell: .simple(function), weights: [try call.weights(weights)],
      recursion: [try call.weights(recursion)],
      biases: try call.fields.bool(Field.hasBias) ? [try call.weights(bias)] : nil)
    try run(&call, cells, isSequence: try call.fields.bool(Field.sequenceOutput))
  }

  static func gru(_ call: inout CoreMLCall) throws {
    // The gates update, reset and output.
    let (weights, recursion, biases) = ([30, 31, 32], [50, 51, 52], [70, 71, 72])
    let functions = try activations(call, Field.activations, count: 2)
    let cells = Cells(
      // The specification multiplies the reset state by the matrix.
      cell: .gru(gates: functions[0], candidate: functions[1], resetsAfter: false),
      weights: try weights.map { try call.weights($0) },
      recursion: try recursion.map { try call.weights($0) },
      biases: try call.fields.bool(Field.hasBias) ? try biases.map { try call.weights($0) } : nil)
    try run(&call, cells, isSequence: try call.fields.bool(Field.sequenceOutput))
  }

  static func lstm(_ call: inout CoreMLCall) throws {
    let rule = try Rule(call.fields.message(Field.rule))
    let cells = try cells(
      call.fields.message(Field.weights), rule, try activations(call, Field.activations, count: 3))
    try run(&call, cells, isSequence: rule.isSequence)
  }

  /// An LSTM forwards and one backwards, whose outputs follow each other along the channels.
  static func bidirectional(_ call: inout CoreMLCall) throws {
    let weights = try call.fields.list(Field.weights)
    guard weights.count == 2 else {
      throw NodeFailure.invalid("the weights of \(weights.count) directions")
    }
    let rule = try Rule(call.fields.message(Field.rule))
    let sizes = try Sizes(call, isSequence: rule.isSequence)
    let sequence = try Sequence(call, sizes)
    var outputs: [Tensor] = []
    for (direction, field) in [Field.activations, Field.backwardActivations].enumerated() {
      let cells = try cells(
        weights[direction], rule, try activations(call, field, count: 3))
      let made = try apply(
        &call, cells, sequence, sizes, isReversed: direction == 1,
        name: direction == 0 ? call.name : "\(call.name)/reverse", firstState: 1 + 2 * direction)
      outputs.append(sizes.isSequence ? made.sequence : made.states[0])
      for (index, state) in made.states.enumerated() {
        call.set(.network(sequence.state(state)), output: 1 + 2 * direction + index)
      }
    }
    let joined = try ONNXCall.applied(Concatenate(axis: sizes.isSequence ? 2 : 1), to: outputs)
    call.set(.network(sizes.isSequence ? sequence.outputs(joined) : sequence.state(joined)))
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

  /// What LSTMs of both directions share.
  private struct Rule {
    let isSequence, hasBias, forgetBias, hasPeepholes, isCoupled: Bool
    let cellClip: Float

    init(_ fields: WireFields?) throws {
      isSequence = try fields?.bool(10) ?? false
      hasBias = try fields?.bool(20) ?? false
      forgetBias = try fields?.bool(30) ?? false
      hasPeepholes = try fields?.bool(40) ?? false
      isCoupled = try fields?.bool(50) ?? false
      cellClip = try fields?.float(60) ?? 0
      guard cellClip >= 0, cellClip.isFinite else {
        throw NodeFailure.invalid("a cellClipThreshold of \(cellClip)")
      }
    }
  }

  private static func cells(
    _ fields: WireFields?, _ rule: Rule, _ functions: [ActivationFunction]
  ) throws -> Cells {
    // The gates input, forget, block and output; the block has no peepholes.
    func all(_ numbers: [Int]) throws -> [CoreMLWeights] {
      try numbers.map { try CoreMLWeights(fields?.message($0)) }
    }
    return Cells(
      cell: .lstm(
        gates: functions[0], cell: functions[1], hidden: functions[2], isCoupled: rule.isCoupled),
      weights: try all([1, 2, 3, 4]), recursion: try all([20, 21, 22, 23]),
      biases: rule.hasBias ? try all([40, 41, 42, 43]) : nil,
      peepholes: rule.hasPeepholes ? try all([60, 61, 62]) : nil,
      raisedGate: rule.forgetBias ? 1 : nil,
      cellClip: rule.cellClip > 0 ? rule.cellClip : usualCellClip)
  }

  private static func activations(
    _ call: CoreMLCall, _ field: Int, count: Int
  ) throws -> [ActivationFunction] {
    let activations = try call.fields.list(field)
    guard activations.count == count else {
      throw NodeFailure.invalid("\(activations.count) activations instead of \(count)")
    }
    return try activations.map { try activation($0) }
  }

  /// One of the functions that recurrent layers have, with the usual numbers where none are stated.
  private static func activation(_ fields: WireFields?) throws -> ActivationFunction {
    typealias Field = CoreMLLayerType.ActivationField
    let kind = fields?.last { (Field.linear...Field.parametricSoftplus).contains($0) }
    let pair = try CoreMLLayerType.numbers(of: kind, try kind.flatMap { try fields?.message($0) })
    switch kind {
    case Field.sigmoid: return .sigmoid
    case Field.tanh: return .tanh
    case Field.reLU: return .relu
    case Field.sigmoidHard:
      let (alpha, beta) = pair == (0, 0) ? (0.2, 0.5) : pair
      return .hardSigmoidLinear(alpha: alpha, beta: beta)
    case Field.scaledTanh where pair == (1, 1): return .tanh
    case Field.scaledTanh:
      throw NodeFailure.unsupported("the activation scaledTanh in a recurrent layer")
    case Field.linear where pair == (0, 0) || pair == (1, 0): return .linear
    default: throw NodeFailure.unsupported("this activation in a recurrent layer")
    }
  }

  // MARK: Sequences

  /// The sizes that a layer states.
  private struct Sizes {
    let inputs, units: Int
    /// Whether the output has all times.
    let isSequence: Bool

    init(_ call: CoreMLCall, isSequence: Bool) throws {
      inputs = try call.size(Field.inputSize)
      units = try call.size(Field.outputSize)
      self.isSequence = isSequence
      guard inputs > 0, units > 0 else {
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
    _ call: inout CoreMLCall, _ cells: Cells, isSequence: Bool
  ) throws {
    let isReversed = try call.fields.bool(Field.reverseInput)
    let sizes = try Sizes(call, isSequence: isSequence)
    let sequence = try Sequence(call, sizes)
    let made = try apply(
      &call, cells, sequence, sizes, isReversed: isReversed, name: call.name, firstState: 1)
    for (index, state) in made.states.enumerated() {
      call.set(.network(sequence.state(state)), output: 1 + index)
    }
    guard sizes.isSequence else {
      return call.set(.network(sequence.state(made.states[0])))
    }
    // Core ML leaves the outputs of a reversed sequence in the order in which they are computed.
    let turns = isReversed && sequence.times > 1
    let outputs =
      turns
      ? try ONNXCall.applied(
        Slice(starts: [-1], ends: [-sequence.times - 1], axes: [0], steps: [-1]),
        to: [made.sequence])
      : made.sequence
    call.set(.network(sequence.outputs(outputs)))
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
          return try ONNXCall.constant(zeros, layout: [0, 1]).tensor
        }
        return try sequence.initial(try call.network(firstState + index), units: units)
      }
      optional.formUnion(parts.count == 2 ? [.hidden, .cells] : [.hidden])
    }
    let rule = RecurrentRule(
      cell: cells.cell, units: units, isReversed: isReversed, clip: gateBound,
      cellClip: cells.cellClip, optional: optional)
    let all = try ONNXCall.applied(
      RecurrentCells(rule, hasBias: cells.hasBias, name: name), to: [sequence.tensor] + states)
    func part(_ part: RecurrentRule.Part) throws -> Tensor {
      try ONNXCall.applied(RecurrentPart(rule, part), to: [all, sequence.tensor])
    }
    return Made(sequence: try part(.sequence), states: try parts.map { try part($0) })
  }
}
