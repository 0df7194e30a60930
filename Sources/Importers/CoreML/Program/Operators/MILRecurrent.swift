import Forge

extension MILOperators {
  /// Recurrent layers.
  ///
  /// MIL orders the gates of an LSTM as input, forget, output, cell and those of a GRU as reset,
  /// candidate, update; ONNX has input, output, forget, cell and update, reset, candidate.
  ///
  /// The descriptions of the operations leave two things open, which coremltools' own tests settle
  /// (`converters/mil/mil/ops/tests/iOS14/test_recurrent.py`, which compare Core ML with PyTorch
  /// and NumPy): the reset gate of a GRU multiplies the state before the matrix does, unless
  /// `reset_after` is true, and the outputs of the direction `reverse` are in the order in which
  /// they are computed.
  static let recurrent: [String: Operation] = [
    "lstm": { call in
      guard try call.optional("clip") == nil else { throw NodeFailure.unsupported("clip") }
      let functions = ["recurrent_activation", "cell_activation", "activation"]
      try run(
        &call, "LSTM", gates: [0, 2, 1, 3],
        activations: zip(functions, ["sigmoid", "tanh", "tanh"]).map { try call.text($0, $1) },
        states: ["initial_h", "initial_c"])
    },
    "gru": { call in
      let functions = [
        try call.text("recurrent_activation", "sigmoid"), try call.text("activation", "tanh"),
      ]
      try run(
        &call, "GRU", gates: [2, 0, 1], activations: functions, states: ["initial_h"],
        ["linear_before_reset": .int(try call.bool("reset_after", false) ? 1 : 0)])
    },
    "rnn": { call in
      try run(
        &call, "RNN", gates: [0], activations: [try call.text("activation", "tanh")],
        states: ["initial_h"])
    },
  ]

  private static func run(
    _ call: inout MILCall, _ type: String, gates: [Int], activations: [String],
    states: [String], _ further: [String: NodeAttribute] = [:]
  ) throws {
    let direction = try call.text("direction", "forward")
    let suffixes = direction == "bidirectional" ? ["", "_back"] : [""]
    let count = suffixes.count
    guard let recurrent = try call.known("weight_hh"), recurrent.sizes.count == 2,
      recurrent.sizes[0] == recurrent.sizes[1].multipliedSaturated(by: gates.count),
      recurrent.sizes[1] > 0
    else { throw NodeFailure.invalid("recurrent weights of \(gates.count) gates") }
    let units = recurrent.sizes[1]
    let weights = try joined(call, "weight_ih", suffixes, gates, units: units)
    let loops = try joined(call, "weight_hh", suffixes, gates, units: units)
    guard let weights, let loops else { throw NodeFailure.invalid("no weights") }
    // ONNX has biases of the input's products, then those of the recurrent ones.
    var biases = try joined(call, "bias", suffixes, gates, units: units)
    let inputBiases = try joined(call, "input_bias", suffixes, gates, units: units)
    if let known = biases ?? inputBiases {
      let zeros = HostTensor(type: .float32, sizes: known.sizes, storage: .repeated(0))
      biases = try HostTensor.concatenated([inputBiases ?? zeros, biases ?? zeros], axis: 1)
    }
    let peepholes =
      gates.count == 4
      ? try joined(call, "peephole", suffixes, [0, 2, 1], units: units) : nil
    let functions = try activations.map(activation)
    var attributes: [String: NodeAttribute] = [
      "direction": .string(direction), "hidden_size": .int(units),
      "activations": .strings((0..<count).flatMap { _ in functions }),
    ]
    attributes.merge(further) { $1 }
    let input = try call.value()
    guard input.sizes.count == 3 else { throw NodeFailure.invalid("a sequence \(input.sizes)") }
    let (times, rows) = (input.sizes[0], input.sizes[1])
    var initial: [FileValue?] = []
    for state in states {
      guard let value = try call.optional(state) else {
        initial.append(nil)
        continue
      }
      // [rows, directions · units]
      let parts = try value.reshaped(to: [rows, count, units])
      initial.append(try parts.transposed([1, 0, 2]))
    }
    let inputs: [FileValue?] = [input, .host(weights), .host(loops), biases.map { .host($0) }, nil]
    let results = try call.nodes(
      type, inputs + initial + (peepholes.map { [.host($0)] } ?? []), attributes,
      outputs: states.count + 1)
    let width = count * units
    for (index, state) in results.dropFirst().enumerated() {
      let part = try state.transposed([1, 0, 2])
      call.set(try part.reshaped(to: [rows, width]), output: index + 1)
      if index == 0, try !call.bool("output_sequence", false) {
        call.set(try part.reshaped(to: [1, rows, width]))
      }
    }
    if try call.bool("output_sequence", false) {
      let ordered = try results[0].transposed([0, 2, 1, 3])
      let sequence = try ordered.reshaped(to: [times, rows, width])
      // ONNX returns the outputs in the order of the input.
      call.set(direction == "reverse" ? try call.reversed(sequence, axes: [0]) : sequence)
    }
  }

  /// The parameters of all directions with the gates in the order of ONNX.
  private static func joined(
    _ call: MILCall, _ key: String, _ suffixes: [String], _ gates: [Int], units: Int
  ) throws -> HostTensor? {
    var parts: [HostTensor] = []
    for suffix in suffixes {
      guard let gate = try call.known(key + suffix) else { continue }
      let columns = gate.sizes.count == 2 ? gate.sizes[1] : 1
      let rows = gates.count.multipliedSaturated(by: units)
      guard gate.sizes.first == rows, gate.sizes.count <= 2, gate.count == rows * columns else {
        throw NodeFailure.invalid("\(key) of sizes \(gate.sizes)")
      }
      let values = try gate.floats()
      let block = units * columns
      let ordered = gates.flatMap { values[($0 * block)..<(($0 + 1) * block)] }
      parts.append(HostTensor(floats: ordered, sizes: [1] + gate.sizes))
    }
    guard !parts.isEmpty else { return nil }
    guard parts.count == suffixes.count, parts.allSatisfy({ $0.sizes == parts[0].sizes }) else {
      throw NodeFailure.invalid("\(key) of one direction")
    }
    return try HostTensor.concatenated(parts, axis: 0)
  }

  private static func activation(_ name: String) throws -> String {
    switch name.lowercased() {
    case "sigmoid": "Sigmoid"
    case "tanh": "Tanh"
    case "relu": "Relu"
    case "hard_sigmoid", "sigmoid_hard": "HardSigmoid"
    default: throw NodeFailure.unsupported("the activation \(name)")
    }
  }
}
