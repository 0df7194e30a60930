import Forge

extension ONNXOperators {
  /// Recurrent layers.
  static let recurrent: [ONNXOperator] = [
    .computed("LSTM", import: lstm, rule: ONNXOpenRules.sequences),
    .computed("GRU", import: gru, rule: ONNXOpenRules.sequences),
    .computed("RNN", import: rnn, rule: ONNXOpenRules.sequences),
  ]

  /// Long short-term memory.
  private static func lstm(_ call: inout ONNXCall) throws {
    let reader = try RecurrentReader(call, gates: 4, activations: ["Sigmoid", "Tanh", "Tanh"])
    let isCoupled = call.node.int("input_forget") != 0
    try reader.run(&call, gateBlocks: [0, 2, 3, 1]) { functions in
      .lstm(gates: functions[0], cell: functions[1], hidden: functions[2], isCoupled: isCoupled)
    }
  }

  /// Gated recurrent units.
  private static func gru(_ call: inout ONNXCall) throws {
    let reader = try RecurrentReader(call, gates: 3, activations: ["Sigmoid", "Tanh"])
    let resetsAfter = call.node.int("linear_before_reset") != 0
    try reader.run(&call, gateBlocks: [0, 1, 2]) { functions in
      .gru(gates: functions[0], candidate: functions[1], resetsAfter: resetsAfter)
    }
  }

  /// Simple recurrent layers.
  private static func rnn(_ call: inout ONNXCall) throws {
    let reader = try RecurrentReader(call, gates: 1, activations: ["Tanh"])
    try reader.run(&call, gateBlocks: [0]) { .simple($0[0]) }
  }
}

/// Reads the inputs and attributes that the recurrent operators of ONNX share.
struct RecurrentReader {
  /// The number of directions, and the index of the one that is read backwards.
  private let directions: Int
  private let reversed: Int?
  /// The axes of times and rows in the file's sequence.
  private let isBatchFirst: Bool
  private let gates: Int
  private let units: Int
  /// The activations of all directions.
  private let functions: [ActivationFunction]
  private let x: FileTensor
  private let weights, recurrent: HostTensor
  /// The scales of the rows of the weights of each direction, if products are those of integers.
  private let scales: (input: [[Float]], hidden: [[Float]])?

  /// Reads a node whose sequence and weights are its inputs.
  init(_ call: ONNXCall, gates: Int, activations: [String]) throws {
    try call.refuseIntegers()
    guard let weights = call.host(1), let recurrent = call.host(2) else {
      throw NodeFailure.unsupported("recurrent weights computed at run time")
    }
    try self.init(
      call, gates: gates, activations: activations, x: try call.network(0),
      matrices: (weights, recurrent), scales: nil)
  }

  /// Reads a node with a sequence and weights that were made of its inputs.
  init(
    _ call: ONNXCall, gates: Int, activations: [String], x: FileTensor,
    matrices: (weights: HostTensor, recurrent: HostTensor),
    scales: (input: [[Float]], hidden: [[Float]])?
  ) throws {
    let node = call.node
    (self.x, self.scales) = (x, scales)
    switch node.string("direction", "forward") {
    case "forward": (directions, reversed) = (1, nil)
    case "reverse": (directions, reversed) = (1, 0)
    case "bidirectional": (directions, reversed) = (2, 1)
    case let other: throw NodeFailure.unsupported("the direction \(other)")
    }
    let layout = node.int("layout")
    guard (0...1).contains(layout) else { throw NodeFailure.invalid("the layout \(layout)") }
    isBatchFirst = layout == 1
    self.gates = gates
    (weights, recurrent) = matrices
    guard x.rank == 3, weights.sizes.count == 3, recurrent.sizes.count == 3,
      recurrent.sizes[2] > 0
    else {
      throw NodeFailure.invalid("X \(x.sizes), W \(weights.sizes), R \(recurrent.sizes)")
    }
    units = recurrent.sizes[2]
    let stated = node.int("hidden_size", units)
    guard stated == units else {
      throw NodeFailure.invalid("hidden_size \(stated) with R \(recurrent.sizes)")
    }
    let (width, overflow) = units.multipliedReportingOverflow(by: gates)
    guard !overflow, weights.sizes == [directions, width, x.sizes[2]],
      recurrent.sizes == [directions, width, units]
    else {
      throw NodeFailure.invalid("X \(x.sizes), W \(weights.sizes), R \(recurrent.sizes)")
    }
    functions = try Self.functions(node, usual: activations, directions: directions)
  }

  /// The activations, whose numbers are given in the order of those that take any.
  private static func functions(
    _ node: FileNode, usual: [String], directions: Int
  ) throws -> [ActivationFunction] {
    let all = (0..<directions).flatMap { _ in usual }
    let names = node.strings("activations") ?? all
    guard names.count == all.count else {
      throw NodeFailure.invalid("\(names.count) activations instead of \(all.count)")
    }
    var alphas = (node.floats("activation_alpha") ?? [])[...]
    var betas = (node.floats("activation_beta") ?? [])[...]
    return try names.map { name in
      switch name.lowercased() {
      case "sigmoid": return .sigmoid
      case "tanh": return .tanh
      case "relu": return .relu
      case "softplus": return .softplus
      case "leakyrelu": return .leakyReLU(slope: alphas.popFirst() ?? 0.01)
      case "elu": return .elu(alpha: alphas.popFirst() ?? 1)
      case "hardsigmoid":
        return .hardSigmoidLinear(
          alpha: alphas.popFirst() ?? 0.2, beta: betas.popFirst() ?? 0.5)
      default: throw NodeFailure.unsupported("the activation \(name) in a recurrent layer")
      }
    }
  }

  /// Imports all directions and sets the outputs that somebody reads.
  func run(
    _ call: inout ONNXCall, gateBlocks: [Int],
    cell: ([ActivationFunction]) -> RecurrentRule.Cell
  ) throws {
    let sequence = x.tensor(as: isBatchFirst ? [1, 0, 2] : [0, 1, 2])
    let (times, rows) = (x.sizes[isBatchFirst ? 1 : 0], x.sizes[isBatchFirst ? 0 : 1])
    let lengths = try lengths(call, times: times, rows: rows)
    var parts: [[RecurrentRule.Part: Tensor]] = []
    for direction in 0..<directions {
      let share = functions.count / directions
      let directionFunctions = Array(functions[direction * share..<(direction + 1) * share])
      let name = direction == 0 ? call.layerName : "\(call.layerName)/reverse"
      var optional = try setParameters(&call, direction, name: name)
      var states: [Tensor] = []
      let hasCells = gates == 4
      if call.has(5) || (hasCells && call.has(6)) {
        states = try (hasCells ? [5, 6] : [5]).map {
          try state(call, input: $0, direction, rows: rows)
        }
        optional.formUnion(hasCells ? [.hidden, .cells] : [.hidden])
      }
      if lengths != nil { optional.insert(.lengths) }
      let clip = call.node.float("clip")
      guard clip >= 0, clip.isFinite else { throw NodeFailure.invalid("the clip \(clip)") }
      let rule = RecurrentRule(
        cell: cell(directionFunctions), units: units, gateBlocks: gateBlocks,
        isReversed: direction == reversed, clip: clip > 0 ? clip : nil, optional: optional,
        hiddenScales: scales?.hidden[direction], inputScales: scales?.input[direction])
      let cells = try call.apply(
        RecurrentCells(rule, hasBias: call.has(3), name: name),
        to: [sequence] + states + (lengths.map { [$0] } ?? []))
      var made: [RecurrentRule.Part: Tensor] = [:]
      for (index, part) in Self.outputs.enumerated() where call.node.has(output: index) {
        made[part] = try call.apply(RecurrentPart(rule, part), to: [cells, sequence])
      }
      parts.append(made)
    }
    try setOutputs(&call, parts, times: times, rows: rows)
  }

  /// The parts in the order of the node's outputs.
  private static let outputs: [RecurrentRule.Part] = [.sequence, .hidden, .cells]

  /// States the parameters of a direction; returns the optional operands among them.
  private func setParameters(
    _ call: inout ONNXCall, _ direction: Int, name: String
  ) throws -> Set<RecurrentRule.Operand> {
    func slice(_ tensor: HostTensor, _ sizes: [Int]) throws -> HostTensor {
      try tensor.sliced(axis: 0, start: direction, count: 1, step: 1).reshaped(sizes)
    }
    let width = gates * units
    let channels = x.sizes[2]
    var optional: Set<RecurrentRule.Operand> = []
    call.parameter(
      .weights, of: name, try slice(weights, [width, channels, 1, 1]), layout: .pytorch)
    call.parameter(.recurrentWeights, of: name, try slice(recurrent, [width, units]))
    if call.has(3) {
      guard let biases = call.host(3), biases.sizes == [directions, 2 * width] else {
        throw NodeFailure.unsupported("biases that are not stored as [directions, 2·gates·units]")
      }
      let both = try slice(biases, [2, width])
      for (index, type) in [ParameterType.biases, .recurrentBiases].enumerated() {
        let half = try both.sliced(axis: 0, start: index, count: 1, step: 1)
        call.parameter(type, of: name, half.reshaped([width]))
      }
      optional.insert(.recurrentBiases)
    }
    if gates == 4, call.has(7) {
      guard let peepholes = call.host(7), peepholes.sizes == [directions, 3 * units] else {
        throw NodeFailure.unsupported("peepholes that are not stored as [directions, 3·units]")
      }
      call.parameter(.peepholes, of: name, try slice(peepholes, [3, units]))
      optional.insert(.peepholes)
    }
    return optional
  }

  /// How many times each row has; `nil` for all.
  private func lengths(_ call: ONNXCall, times: Int, rows: Int) throws -> Tensor? {
    guard call.has(4) else { return nil }
    if x.maximumLength != nil {
      // The whole sequence, whatever its length, or nothing that is known for every length.
      let length = try x.lengthSizes()[isBatchFirst ? 1 : 0]
      if case .length(let stated)? = call.inputs[4], stated.sizes == [rows],
        stated.numbers.allSatisfy({ $0 == length })
      {
        return nil
      }
      if call.host(4) != nil {
        throw NodeFailure.unsupported("fixed lengths of rows beside a length that varies")
      }
    }
    if let known = try call.host(4)?.integers(), known.count == rows {
      guard known.allSatisfy({ (0...Int64(times)).contains($0) }) else {
        throw NodeFailure.invalid("lengths \(known.prefix(4)) of \(times) times")
      }
      if known.allSatisfy({ $0 == Int64(times) }) { return nil }
    }
    let lengths = try call.network(4)
    guard lengths.sizes == [rows] else { throw NodeFailure.invalid("lengths \(lengths.sizes)") }
    return lengths.tensor(as: [0])
  }

  /// The state before the first time, [rows][units]; zeros if the node has none.
  private func state(
    _ call: ONNXCall, input: Int, _ direction: Int, rows: Int
  ) throws -> Tensor {
    guard call.has(input) else {
      let zeros = HostTensor(type: .float32, sizes: [rows, units], storage: .repeated(0))
      return try ONNXCall.constant(zeros, layout: [0, 1]).tensor
    }
    let file = try call.network(input)
    let (first, second) = isBatchFirst ? (1, 0) : (0, 1)
    guard file.rank == 3, file.sizes[first] == directions, file.sizes[second] == rows,
      file.sizes[2] == units
    else { throw NodeFailure.invalid("an initial state of \(file.sizes)") }
    guard directions > 1 else { return file.tensor(as: [second, 2]) }
    let all = file.tensor(as: [first, second, 2])
    let ofDirection = try call.apply(
      Slice(starts: [direction], ends: [direction + 1], axes: [0]), to: all)
    return try call.apply(Reshape(to: [rows, units]), to: ofDirection)
  }

  /// Sets Y [times, directions, rows, units], Y_h and Y_c [directions, rows, units].
  private func setOutputs(
    _ call: inout ONNXCall, _ parts: [[RecurrentRule.Part: Tensor]], times: Int, rows: Int
  ) throws {
    for (index, part) in Self.outputs.enumerated() where call.node.has(output: index) {
      let results = parts.compactMap { $0[part] }
      guard results.count == directions else { throw NodeFailure.invalid("output \(index)") }
      // The axes of the file, in the order [times][directions][rows][units].
      let axes =
        part == .sequence
        ? (isBatchFirst ? [1, 2, 0, 3] : [0, 1, 2, 3]) : (isBatchFirst ? [1, 0, 2] : [0, 1, 2])
      let all = (part == .sequence ? [times] : []) + [directions, rows, units]
      let place = part == .sequence ? 1 : 0
      var sizes = Array(repeating: 1, count: all.count)
      for (axis, size) in zip(axes, all) { sizes[axis] = size }
      guard directions > 1 else {
        var layout = axes
        layout.remove(at: place)
        call.set(FileTensor(results[0], sizes: sizes, layout: layout, type: x.type), output: index)
        continue
      }
      var single = all
      single[place] = 1
      let stacked = results.map { $0.reshaped(to: single) }
      let result = try call.apply(Concatenate(axis: place), to: stacked)
      call.set(FileTensor(result, sizes: sizes, layout: axes, type: x.type), output: index)
    }
  }
}
