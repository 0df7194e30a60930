import Forge
import ForgeLoaders

/// Recurrent layers, in one direction or both.
enum KerasRecurrent {
  static let makers: [String: KerasCatalog.Maker] = [
    "LSTM": single, "GRU": single, "SimpleRNN": single, "Bidirectional": bidirectional,
  ]

  /// The arguments of one direction.
  private struct Arguments: Sendable {
    let kind: String
    let units: Int
    let activation, recurrentActivation: ActivationFunction
    let useBias: Bool
    let resetAfter: Bool
    let returnsSequences: Bool
    let goesBackwards: Bool
    let isStateful: Bool

    init(_ layer: KerasLayer) throws(KerasFault) {
      kind = layer.kind
      units = try layer.config.integer("units", "output_dim")
      activation = try Self.function("activation", usual: .tanh, layer)
      recurrentActivation = try Self.function("recurrent_activation", usual: .sigmoid, layer)
      useBias = try layer.config.flag("use_bias", default: true)
      resetAfter = try layer.config.flag("reset_after", default: layer.generation > 2)
      returnsSequences = try layer.config.flag("return_sequences", default: false)
      goesBackwards = try layer.config.flag("go_backwards", default: false)
      isStateful = try layer.config.flag("stateful", default: false)
      for name in ["return_state", "time_major"]
      where try layer.config.flag(name, default: false) {
        throw .unsupported("\(name) of a recurrent layer")
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
    func layer(isReversed: Bool, name: String) throws(KerasFault) -> any RecurrentLayer {
      switch kind {
      case "LSTM":
        LSTM(
          units: units, returnSequences: returnsSequences, activation: activation,
          recurrentActivation: recurrentActivation, useBias: useBias, isReversed: isReversed,
          stateful: isStateful, name: name)
      case "GRU":
        GRU(
          units: units, returnSequences: returnsSequences, activation: activation,
          recurrentActivation: recurrentActivation, useBias: useBias, resetAfter: resetAfter,
          isReversed: isReversed, stateful: isStateful, name: name)
      case "SimpleRNN":
        SimpleRNN(
          units: units, returnSequences: returnsSequences, activation: activation,
          useBias: useBias, isReversed: isReversed, stateful: isStateful, name: name)
      default: throw .unsupported("a layer \(kind)")
      }
    }

    /// The number of axes of the result in Keras.
    var rank: Int { returnsSequences ? 2 : 1 }
  }

  private static func single(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let arguments = try Arguments(layer)
    guard !arguments.isStateful || !arguments.goesBackwards else {
      throw .unsupported("stateful and go_backwards of a recurrent layer")
    }
    let cells = try arguments.layer(isReversed: arguments.goesBackwards, name: layer.path)
    return .one { call throws(KerasFault) in
      let (sequence, states) = try inputs(call)
      var result = try call.apply(cells, to: [sequence] + states)
      if arguments.goesBackwards, arguments.returnsSequences {
        // Keras returns the outputs in the order in which it has read the sequence.
        result = try call.apply(
          Slice(
            starts: [-1], ends: [-Int.max], axes: [0], steps: [-1],
            name: "\(call.name)/go_backwards"), to: result)
      }
      return KerasTensor(tensor: result, rank: arguments.rank)
    }
  }

  private static func bidirectional(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let first = try direction("layer", of: layer)
    let second = try direction("backward_layer", of: layer) ?? first
    guard let first, let second else {
      throw .invalid("the description lacks an argument", needs: "layer")
    }
    let names = names(first.name, second.name, of: layer)
    guard !first.arguments.goesBackwards, first.arguments.rank == second.arguments.rank else {
      throw .unsupported("go_backwards or other outputs of a layer in Bidirectional")
    }
    guard !first.arguments.isStateful, !second.arguments.isStateful else {
      throw .unsupported("stateful of a layer in Bidirectional")
    }
    let forwards = try first.arguments.layer(
      isReversed: false, name: "\(layer.path)/\(names.forwards)")
    let backwards = try second.arguments.layer(
      isReversed: true, name: "\(layer.path)/\(names.backwards)")
    let merge = try merge(layer)
    return .one { call throws(KerasFault) in
      let (sequence, states) = try inputs(call)
      let half = states.count / 2
      let results = [
        try call.apply(forwards, to: [sequence] + states[..<half]),
        try call.apply(backwards, to: [sequence] + states[half...]),
      ]
      return KerasTensor(
        tensor: try call.apply(merge(call.name), to: results), rank: first.arguments.rank)
    }
  }

  /// The arguments and the own name of a layer inside; `nil` if there is none.
  private static func direction(
    _ key: String, of layer: KerasLayer
  ) throws(KerasFault) -> (name: String, arguments: Arguments)? {
    guard let json = layer.config[key], let kind = json["class_name"]?.text else { return nil }
    let inner = layer.with(
      kind: KerasModelDescription.className(kind), config: KerasConfig(json["config"]))
    guard ["LSTM", "GRU", "SimpleRNN"].contains(inner.kind) else {
      throw .unsupported("Bidirectional with a layer \(inner.kind)")
    }
    return (json["config"]?["name"]?.text ?? key, try Arguments(inner))
  }

  /// The names of the weights of both directions, given those in the description.
  ///
  /// Keras 1 and 2 add the direction to the names in the description, Keras 3 has it in them.
  private static func names(
    _ first: String, _ second: String, of layer: KerasLayer
  ) -> (forwards: String, backwards: String) {
    let (forward, backward) = ("forward_", "backward_")
    guard layer.generation > 2 else { return (forward + first, backward + second) }
    guard first == second else { return (first, second) }
    let bare = first.hasPrefix(forward) ? String(first.dropFirst(forward.count)) : first
    return (first, backward + bare)
  }

  /// The layer that merges both directions, given its name.
  private static func merge(
    _ layer: KerasLayer
  ) throws(KerasFault) -> @Sendable (String) -> any Layer {
    if layer.config.json["merge_mode"]?.isNull == true { throw .unsupported("merge_mode null") }
    switch try layer.config.text("merge_mode", default: "concat") {
    case "concat": return { Concatenate(name: $0) }
    case "sum": return { Add(name: $0) }
    case "mul": return { Multiply(name: $0) }
    case "ave": return { Average(name: $0) }
    case let other: throw .unsupported("merge_mode \"\(other.prefix(20))\"")
    }
  }

  /// The sequence and the initial states, which Keras 2 writes as further tensors of the input.
  private static func inputs(
    _ call: KerasCall
  ) throws(KerasFault) -> (sequence: Tensor, states: [Tensor]) {
    let arguments = try KerasArguments(
      call, parameters: ["sequences", "initial_state", "mask", "training"])
    try arguments.refuse("mask")
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
    return (sequence.tensor, states.map(\.tensor))
  }
}
