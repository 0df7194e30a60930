import Forge
import ForgeLoaders

/// Recurrent layers, in one direction or both.
enum KerasRecurrent {
  static let classes: [KerasClass] = [
    .dropping("LSTM", build: single),
    .dropping("GRU", build: single),
    .dropping("SimpleRNN", build: single),
    .dropping("Bidirectional", build: bidirectional),
    .dropping("RNN", build: ofCells),
  ]

  private static func single(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    try single(layer, try KerasRecurrentArguments(layer))
  }

  private static func single(
    _ layer: KerasLayer, _ arguments: KerasRecurrentArguments
  ) throws(KerasFault) -> KerasStep {
    guard !arguments.isStateful || !arguments.goesBackwards else {
      throw .unsupported("stateful and go_backwards of a recurrent layer")
    }
    return KerasStep { call throws(KerasFault) in
      let input = try KerasRecurrentInput(call)
      var (result, states) = try arguments.results(
        input, input.states, call, isReversed: arguments.goesBackwards, name: layer.path)
      if arguments.goesBackwards, arguments.returnsSequences {
        // Keras returns the outputs in the order in which it has read the sequence.
        result = try call.apply(
          Slice(
            starts: [-1], ends: [-Int.max], axes: [0], steps: [-1],
            name: "\(call.name)/go_backwards"), to: result)
      }
      let output = KerasTensor(
        tensor: result, rank: arguments.rank, mask: arguments.outputMask(input))
      return [output] + states
    }
  }

  private static func bidirectional(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let first = try direction("layer", of: layer)
    let second = try direction("backward_layer", of: layer) ?? first
    guard var first, var second else {
      throw .invalid("the description lacks an argument", needs: "layer")
    }
    let names = names(first.name, second.name, of: layer)
    guard !first.arguments.goesBackwards, first.arguments.rank == second.arguments.rank,
      first.arguments.returnsStates == second.arguments.returnsStates
    else {
      throw .unsupported("go_backwards or other outputs of a layer in Bidirectional")
    }
    guard !first.arguments.isStateful, !second.arguments.isStateful else {
      throw .unsupported("stateful of a layer in Bidirectional")
    }
    first.arguments.zerosHidden = first.arguments.returnsSequences
    second.arguments.zerosHidden = first.arguments.returnsSequences
    let merge = try merge(layer)
    return KerasStep { [first, second] call throws(KerasFault) in
      let input = try KerasRecurrentInput(call)
      let half = input.states.count / 2
      let forwards = try first.arguments.results(
        input, Array(input.states[..<half]), call, isReversed: false,
        name: "\(layer.path)/\(names.forwards)")
      let backwards = try second.arguments.results(
        input, Array(input.states[half...]), call, isReversed: true,
        name: "\(layer.path)/\(names.backwards)")
      var results = [forwards.output, backwards.output]
      if let merge { results = [try call.apply(merge(call.name), to: results)] }
      let outputs = results.map {
        KerasTensor(
          tensor: $0, rank: first.arguments.rank, mask: first.arguments.outputMask(input))
      }
      return outputs + forwards.states + backwards.states
    }
  }

  // MARK: Cells

  /// The layer around one cell, or around a stack of them.
  private static func ofCells(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    guard let cell = layer.inner("cell") else {
      throw .invalid("the description lacks an argument", needs: "cell")
    }
    guard cell.kind == "StackedRNNCells" else {
      return try single(
        layer, try KerasRecurrentArguments(cell, of: layer, kind: try kind(of: cell)))
    }
    guard let list = cell.config["cells"]?.array, !list.isEmpty else {
      throw .invalid("the description lacks an argument", needs: "cells")
    }
    let stackName = cell.config["name"]?.text ?? "stacked_rnn_cells"
    var cells: [(name: String, arguments: KerasRecurrentArguments)] = []
    for (index, json) in list.enumerated() {
      guard let one = layer.inner(json) else {
        throw .invalid("a cell has no class", received: json.summary)
      }
      let cellName = one.config["name"]?.text ?? KerasNames.snakeCase(one.kind)
      cells.append(
        (
          "\(layer.path)/\(stackName)/\(cellName)",
          try KerasRecurrentArguments(
            one, of: layer, kind: try kind(of: one), isLast: index == list.count - 1)
        ))
    }
    for (argument, isStated) in [
      ("stateful", cells[0].arguments.isStateful),
      ("return_state", cells[cells.count - 1].arguments.returnsStates),
    ] where isStated { throw .unsupported("\(argument) of stacked cells") }
    return stack(layer, cells)
  }

  /// The class of the layer of one cell.
  private static func kind(of cell: KerasLayer) throws(KerasFault) -> String {
    switch cell.kind {
    case "LSTMCell": "LSTM"
    case "GRUCell": "GRU"
    case "SimpleRNNCell": "SimpleRNN"
    default: throw .unsupported("a cell \(cell.kind)")
    }
  }

  /// Layers one after the other: each cell reads what the one before it has made of a position.
  private static func stack(
    _ layer: KerasLayer, _ cells: [(name: String, arguments: KerasRecurrentArguments)]
  ) -> KerasStep {
    KerasStep { call throws(KerasFault) in
      let input = try KerasRecurrentInput(call)
      guard input.states.isEmpty else { throw .unsupported("initial states of stacked cells") }
      func backwards(_ tensor: Tensor) throws(KerasFault) -> Tensor {
        try call.apply(
          Slice(starts: [-1], ends: [-Int.max], axes: [0], steps: [-1]), to: tensor)
      }
      var (sequence, mask) = (input.sequence, input.mask)
      if cells[0].arguments.goesBackwards {
        sequence = try backwards(sequence)
        if let stated = mask { mask = try backwards(stated) }
      }
      for (name, cell) in cells {
        sequence = try cell.results(
          KerasRecurrentInput(sequence: sequence, mask: mask), [], call, isReversed: false,
          name: name
        ).output
      }
      let result = try call.apply(Identity(name: call.name), to: sequence)
      let last = cells[cells.count - 1].arguments
      return [KerasTensor(tensor: result, rank: last.rank, mask: last.outputMask(input))]
    }
  }

  // MARK: Both directions

  /// The arguments and the name of a layer inside; `nil` if there is none.
  private static func direction(
    _ key: String, of layer: KerasLayer
  ) throws(KerasFault) -> (name: String, arguments: KerasRecurrentArguments)? {
    guard let inner = layer.inner(key) else { return nil }
    guard ["LSTM", "GRU", "SimpleRNN"].contains(inner.kind) else {
      throw .unsupported("Bidirectional with a layer \(inner.kind)")
    }
    return (inner.config["name"]?.text ?? key, try KerasRecurrentArguments(inner))
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

  /// The layer that merges both directions, given its name; `nil` if they stay apart.
  private static func merge(
    _ layer: KerasLayer
  ) throws(KerasFault) -> (@Sendable (String) -> any Layer)? {
    if layer.config.json["merge_mode"]?.isNull == true { return nil }
    switch try layer.config.text("merge_mode", default: "concat") {
    case "concat": return { Concatenate(name: $0) }
    case "sum": return { Add(name: $0) }
    case "mul": return { Multiply(name: $0) }
    case "ave": return { Average(name: $0) }
    case let other: throw .unsupported("merge_mode \"\(other.prefix(20))\"")
    }
  }
}
