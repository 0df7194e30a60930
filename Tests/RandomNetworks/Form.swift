import Forge

/// A form of prediction; every form must return the same bits.
///
/// A further one is a further element of ``all``.
struct Form: Sendable {
  let name: String
  /// Whether it takes networks with the inputs and outputs of the trial.
  let takes: @Sendable (Trial) -> Bool
  /// Predicts all examples.
  let predict: @Sendable (CompiledModel, Trial) async throws -> Trial.Results

  static let all = [
    named, namedBatch, array, arrays, context, contextByName, spans, realtime, runner,
    microBatches, runnerOfArrays,
  ]

  /// `network.predict` with named tensors, one example at a time.
  static let named = Form(name: "predict by name", takes: { _ in true }) { network, trial in
    try trial.examples.map { trial.outputs(of: try network.predict($0)) }
  }

  /// `network.predict(batch:)` with named tensors.
  static let namedBatch = Form(name: "predict a batch by name", takes: { _ in true }) {
    network, trial in
    try network.predict(batch: trial.examples).map(trial.outputs)
  }

  /// `network.predict` with an array.
  static let array = Form(name: "predict an array", takes: \.isPlain) { network, trial in
    try trial.examples.indices.map { example in
      [try network.predict(trial.values(trial.inputNames[0], of: example))]
    }
  }

  /// `network.predict(batch:)` with arrays.
  static let arrays = Form(name: "predict a batch of arrays", takes: \.isPlain) {
    network, trial in
    let inputs = trial.examples.indices.map { trial.values(trial.inputNames[0], of: $0) }
    return try network.predict(batch: inputs).map { [$0] }
  }

  /// A `Context` for all examples at once, used twice: what the first use leaves must not show.
  static let context = Form(name: "a batch in a Context", takes: { _ in true }) { network, trial in
    let count = trial.examples.count
    let context = try Context(network, batch: count)
    for batch in [1, count] {
      for (index, name) in trial.inputNames.enumerated() {
        context.withInput(index) { trial.write(name, of: 0..<batch, to: &$0) }
      }
      try context.predict(batch: batch)
    }
    let outputs = trial.outputNames.indices.map { index in
      context.withOutput(index) { span in span.indices.map { span[$0] } } ?? []
    }
    return trial.split(outputs)
  }

  /// `Context.predict(_:into:)`.
  static let spans = Form(name: "spans in a Context", takes: \.isPlain) { network, trial in
    let context = try Context(network)
    let count = network.outputShapes[0].elementCount ?? 0
    return try trial.examples.indices.map { example in
      let values = trial.values(trial.inputNames[0], of: example)
      var output = [Float](repeating: 0, count: count)
      var span = output.mutableSpan
      try context.predict(values.span, into: &span)
      return [output]
    }
  }

  /// A `RealtimeContext` for all examples at once.
  static let realtime = Form(name: "a RealtimeContext", takes: { _ in true }) { network, trial in
    let count = trial.examples.count
    let context = try RealtimeContext(network, batch: count)
    for (index, name) in trial.inputNames.enumerated() {
      context.withInput(index) { trial.write(name, of: 0..<count, to: &$0) }
    }
    try context.predict(batch: 1)
    try context.predict(batch: count)
    let outputs = trial.outputNames.indices.map { index in
      context.withOutput(index) { span in span.indices.map { span[$0] } } ?? []
    }
    return trial.split(outputs)
  }

  /// `Context.set`, `predict(_:)` with named tensors and subscripts, in one context.
  static let contextByName = Form(name: "a Context by name", takes: { _ in true }) {
    network, trial in
    let context = try Context(network)
    return try trial.examples.enumerated().map { index, inputs in
      guard index % 2 == 0 else { return trial.outputs(of: try context.predict(inputs)) }
      for (name, values) in inputs { try context.set(name, to: values) }
      try context.predict()
      return trial.outputNames.map { context[$0]?.values ?? [] }
    }
  }

  /// A `Runner` with fewer slots than examples.
  static let runner = Form(name: "a Runner", takes: { _ in true }) { network, trial in
    let runner = try Runner(network, inflightBuffers: 2)
    return try await runner.predictBatch(trial.examples).map(trial.outputs)
  }

  /// A `Runner` that gathers two examples in a slot.
  static let microBatches = Form(name: "a Runner of micro-batches", takes: { _ in true }) {
    network, trial in
    let runner = try Runner(
      network, inflightBuffers: 1, batch: min(2, trial.examples.count), within: .zero)
    return try await runner.predictBatch(trial.examples).map(trial.outputs)
  }

  /// A `Runner` that takes arrays.
  static let runnerOfArrays = Form(name: "a Runner of arrays", takes: \.isPlain) {
    network, trial in
    let runner = try Runner(network, inflightBuffers: 2)
    let inputs = trial.examples.indices.map { trial.values(trial.inputNames[0], of: $0) }
    return try await runner.predictBatch(inputs).map { [$0] }
  }
}

extension Trial {
  /// Whether the network takes an array and returns one.
  fileprivate var isPlain: Bool { inputNames.count == 1 && outputNames.count == 1 }

  /// Writes the values of an input, one example after the other.
  fileprivate func write(_ name: String, of examples: Range<Int>, to span: inout MutableSpan<Float>)
  {
    for (position, value) in examples.flatMap({ values(name, of: $0) }).enumerated() {
      span[position] = value
    }
  }

  /// The outputs of a prediction in the order of the network.
  fileprivate func outputs(of predictions: Predictions) -> [[Float]] {
    outputNames.map { predictions.outputs[$0]?.values ?? [] }
  }

  /// The outputs of a batch, each example on its own.
  fileprivate func split(_ outputs: [[Float]]) -> Results {
    examples.indices.map { example in
      outputs.map { values in
        let count = values.count / examples.count
        return Array(values[example * count..<(example + 1) * count])
      }
    }
  }

  /// What of the second results differs from the first in a bit.
  func difference(_ first: Results, _ second: Results) -> String? {
    guard first.count == second.count else {
      return "\(second.count) examples instead of \(first.count)"
    }
    for (example, pair) in zip(first, second).enumerated() {
      guard pair.0.count == pair.1.count else {
        return "example \(example) has \(pair.1.count) outputs, not \(pair.0.count)"
      }
      for (output, values) in zip(pair.0, pair.1).enumerated() {
        let name = outputNames[output]
        guard values.0.count == values.1.count else {
          return "\(name) of example \(example): \(values.1.count) values, not \(values.0.count)"
        }
        let places = values.0.indices.filter {
          values.0[$0].bitPattern != values.1[$0].bitPattern
        }
        if let place = places.first {
          return "\(name) of example \(example): \(places.count) values differ, the first at "
            + "\(place): \(values.1[place]), not \(values.0[place])"
        }
      }
    }
    return nil
  }
}
