import Forge

/// The arguments of a recurrent layer in one direction.
struct KerasRecurrentArguments: Sendable {
  let kind: String
  let units: Int
  let activation, recurrentActivation: ActivationFunction
  let useBias: Bool
  let resetAfter: Bool
  let returnsSequences: Bool
  let goesBackwards: Bool
  let isStateful: Bool
  /// Whether the last states follow the output.
  let returnsStates: Bool
  /// Whether outputs at hidden positions are 0, instead of those of the position read before.
  var zerosHidden: Bool

  init(_ layer: KerasLayer) throws(KerasFault) {
    try self.init(layer, of: layer, kind: layer.kind)
  }

  /// Reads a cell and the layer around it, which states what is returned.
  ///
  /// - Parameters:
  ///   - layer: the cell, or a layer that is its own cell.
  ///   - outer: the layer that has the cell.
  ///   - kind: the class of the layer of one such cell.
  ///   - isLast: whether no other cell reads the outputs.
  /// - Throws: ``KerasFault``.
  init(
    _ layer: KerasLayer, of outer: KerasLayer, kind: String, isLast: Bool = true
  ) throws(KerasFault) {
    self.kind = kind
    units = try layer.config.integer("units", "output_dim")
    activation = try Self.function("activation", usual: .tanh, layer)
    recurrentActivation = try Self.function("recurrent_activation", usual: .sigmoid, layer)
    useBias = try layer.config.flag("use_bias", default: true)
    resetAfter = try layer.config.flag("reset_after", default: layer.generation > 2)
    let outer = outer.config
    returnsSequences = try outer.flag("return_sequences", default: false) || !isLast
    goesBackwards = try outer.flag("go_backwards", default: false)
    isStateful = try outer.flag("stateful", default: false)
    returnsStates = try outer.flag("return_state", default: false) && isLast
    zerosHidden = try outer.flag("zero_output_for_mask", default: false) && isLast
    guard try !outer.flag("time_major", default: false) else {
      throw .unsupported("time_major of a recurrent layer")
    }
    guard !isStateful || !returnsStates else {
      throw .unsupported("stateful and return_state of a recurrent layer")
    }
  }

  /// An activation that is one function of single numbers.
  private static func function(
    _ name: String, usual: ActivationFunction, _ layer: KerasLayer
  ) throws(KerasFault) -> ActivationFunction {
    guard let json = layer.config[name] else { return usual }
    let activation = try KerasActivation(json, layer)
    guard activation.after == nil else {
      throw .unsupported("\(name) \"\(json.text ?? json.summary)\" of a recurrent layer")
    }
    return activation.function
  }

  /// The layer of Forge in this direction.
  private func layer(
    isReversed: Bool, isMasked: Bool, name: String
  ) throws(KerasFault) -> any RecurrentLayer {
    switch kind {
    case "LSTM":
      LSTM(
        units: units, returnSequences: returnsSequences, activation: activation,
        recurrentActivation: recurrentActivation, useBias: useBias, isReversed: isReversed,
        stateful: isStateful, masked: isMasked, name: name)
    case "GRU":
      GRU(
        units: units, returnSequences: returnsSequences, activation: activation,
        recurrentActivation: recurrentActivation, useBias: useBias, resetAfter: resetAfter,
        isReversed: isReversed, stateful: isStateful, masked: isMasked, name: name)
    case "SimpleRNN":
      SimpleRNN(
        units: units, returnSequences: returnsSequences, activation: activation,
        useBias: useBias, isReversed: isReversed, stateful: isStateful, masked: isMasked, name: name
      )
    default: throw .unsupported("a layer \(kind)")
    }
  }

  /// The number of axes of the result in Keras.
  var rank: Int { returnsSequences ? 2 : 1 }

  /// The mask of the output.
  func outputMask(_ input: KerasRecurrentInput) -> Tensor? {
    returnsSequences ? input.passedMask : nil
  }

  /// Applies the layer.
  ///
  /// - Parameters:
  ///   - input: the sequence and its mask.
  ///   - states: the initial states of this direction; none for zeros.
  ///   - call: the call.
  ///   - isReversed: whether the sequence is read from its end.
  ///   - name: the name of the parameters.
  /// - Returns: the output in the order of the input, and the last states if the layer returns
  ///   them.
  /// - Throws: ``KerasFault``.
  func results(
    _ input: KerasRecurrentInput, _ states: [Tensor], _ call: KerasCall, isReversed: Bool,
    name: String
  ) throws(KerasFault) -> (output: Tensor, states: [KerasTensor]) {
    let isMasked = input.mask != nil
    guard !isMasked || !isStateful else { throw .unsupported("stateful and a mask") }
    guard !isMasked || !zerosHidden || returnsSequences else {
      throw .unsupported("zero_output_for_mask without return_sequences")
    }
    let layer = try layer(isReversed: isReversed, isMasked: isMasked, name: name)
    var (output, last) =
      returnsStates
      ? try parts(of: layer, input, states, call, name: name)
      : (try call.apply(layer, to: [input.sequence] + states + (input.mask.map { [$0] } ?? [])), [])
    guard let mask = input.mask else { return (output, last) }
    if zerosHidden {
      output = try call.apply(Multiply(), to: output, try KerasMask.column(mask, call))
    } else if !states.isEmpty {
      // Before the first position that counts, Keras has outputs of 0 in place of the states.
      let begins =
        returnsSequences
        ? try KerasMask.column(
          call.apply(CumulativeSum(axis: -1, reversed: isReversed), to: mask), call)
        : try call.apply(Reduce(.maximum), to: mask)
      let factor = try call.apply(Compare(.greater, than: [0]), to: begins)
      output = try call.apply(Multiply(), to: output, factor)
    }
    return (output, last)
  }

  /// The output and the last states of a layer.
  private func parts(
    of layer: any RecurrentLayer, _ input: KerasRecurrentInput, _ states: [Tensor],
    _ call: KerasCall, name: String
  ) throws(KerasFault) -> (output: Tensor, states: [KerasTensor]) {
    let stateCount = kind == "LSTM" ? 2 : 1
    guard states.isEmpty || states.count == stateCount else {
      throw .invalid(
        "the layer takes a different number of initial states", received: "\(states.count)",
        needs: "\(stateCount)")
    }
    let channels = input.sequence.channels ?? -1
    let rows = try call.apply(Reshape(to: [-1, 1, channels]), to: input.sequence)
    var operands = [rows]
    for state in states { operands.append(try call.apply(Reshape(to: [1, units]), to: state)) }
    if let mask = input.mask { operands.append(try KerasMask.column(mask, call)) }
    let cells = RecurrentCells(layer, hasState: !states.isEmpty, name: name)
    let all = try call.apply(cells, to: operands)
    // The number of the call, if it is not the first one, is behind the path.
    let prefix = name + call.name.dropFirst(call.layer.path.count)
    func part(
      _ part: RecurrentRule.Part, _ sizes: [Int], _ suffix: String
    ) throws(KerasFault) -> Tensor {
      let part = try call.apply(RecurrentPart(cells.rule, part), to: all, rows)
      return try call.apply(Reshape(to: sizes, name: "\(prefix)/\(suffix)"), to: part)
    }
    let vector = [1, 1, units]
    let output =
      returnsSequences
      ? try part(.sequence, [-1, units], "output") : try part(.hidden, vector, "output")
    var last = [KerasTensor(tensor: try part(.hidden, vector, "hidden"), rank: 1)]
    if kind == "LSTM" {
      last.append(KerasTensor(tensor: try part(.cells, vector, "cells"), rank: 1))
    }
    return (output, last)
  }
}

/// What a recurrent layer of Keras reads.
struct KerasRecurrentInput: Sendable {
  /// [positions][channels].
  let sequence: Tensor
  /// The initial states of all directions, which Keras 2 writes as further tensors of the input.
  let states: [Tensor]
  /// The mask of the sequence that the layer applies: Keras 3 ignores it beside initial states.
  let mask: Tensor?
  /// The mask that the layer passes on.
  let passedMask: Tensor?

  /// A sequence without initial states.
  init(sequence: Tensor, mask: Tensor?) {
    self.sequence = sequence
    self.mask = mask
    states = []
    passedMask = mask
  }

  /// Reads the arguments of a call.
  init(_ call: KerasCall) throws(KerasFault) {
    let arguments = try KerasArguments(
      call, parameters: ["sequences", "initial_state", "mask", "training"])
    try arguments.refuseTraining(of: call.layer)
    var given: [KerasTensor] = []
    // The names in versions of Keras, of which a call has one at most.
    for name in ["sequences", "sequence", "inputs"] { given += try arguments.tensors(name) }
    guard let sequence = given.first, sequence.rank == 2 else {
      throw .invalid(
        "the input is not a sequence",
        received: "\(given.first?.rank ?? 0) axes besides the batch", needs: "2")
    }
    let states = given.dropFirst() + (try arguments.tensors("initial_state"))
    self.sequence = sequence.tensor
    self.states = states.map(\.tensor)
    if let stated = try KerasMask.stated(arguments, call) {
      (mask, passedMask) = (stated, stated)
    } else {
      passedMask = sequence.mask
      mask = call.layer.generation > 2 && !states.isEmpty ? nil : sequence.mask
    }
  }
}
