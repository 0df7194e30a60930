extension Runner {
  /// The results of an asynchronous sequence of inputs, in their order.
  ///
  /// ```swift
  /// let results = try runner.predictions(of: camera.frames, policy: .dropOldest)
  /// for try await result in results { show(result.prediction) }
  /// print(results.dropped, "frames dropped")
  /// ```
  /// A stream runs at most as many predictions at once as fit into the runner's slots. At most as
  /// many finished results wait for the consumer. Leaving the loop in any way cancels the remaining
  /// work.
  ///
  /// - Parameters:
  ///   - inputs: the inputs of the network.
  ///   - policy: how inputs that arrive too fast are handled.
  ///   - waiting: how many inputs may wait in addition to those that run.
  /// - Returns: the results; the stream ends with the inputs, or with the first error.
  /// - Throws: ``RunnerError`` when `waiting` is negative.
  public func predictions<Inputs: AsyncSequence & Sendable>(
    of inputs: Inputs, policy: StreamPolicy = .block, waiting: Int = 1
  ) throws -> PredictionStream<Output> where Inputs.Element == Network.Input {
    try predictions(of: inputs, policy: policy, waiting: waiting) {
      $0
    } result: {
      $0
    }
  }

  /// The results of a sequence of inputs, in their order.
  ///
  /// It works as for an asynchronous sequence. A sequence returns its next element at once, so all
  /// but a few inputs are dropped unless the policy is `block`.
  ///
  /// - Parameters:
  ///   - inputs: the inputs of the network.
  ///   - policy: how inputs that arrive too fast are handled.
  ///   - waiting: how many inputs may wait in addition to those that run.
  /// - Returns: the results; the stream ends with the inputs, or with the first error.
  /// - Throws: ``RunnerError`` when `waiting` is negative.
  public func predictions<Inputs: Sequence & Sendable>(
    of inputs: Inputs, policy: StreamPolicy = .block, waiting: Int = 1
  ) throws -> PredictionStream<Output> where Inputs.Element == Network.Input {
    try predictions(of: inputs, policy: policy, waiting: waiting) {
      $0
    } result: {
      $0
    }
  }

  /// Predicts a finite number of inputs, filling slots as they become free.
  ///
  /// - Parameter inputs: the inputs of the network.
  /// - Returns: the results, in the order of the inputs.
  /// - Throws: the first error in the order of the inputs; the remaining ones are then canceled.
  public func predictBatch<Inputs: Sequence & Sendable>(
    _ inputs: Inputs
  ) async throws -> [Network.Prediction] where Inputs.Element == Network.Input {
    try await predictions(of: inputs, waiting: inflightBuffers * batch)
      .reduce(into: []) { $0.append($1.prediction) }
  }

  /// The results of an asynchronous sequence in a different form from the network's.
  package func predictions<Inputs: AsyncSequence & Sendable, Result: Sendable>(
    of inputs: Inputs, policy: StreamPolicy, waiting: Int,
    input: @escaping @Sendable (Inputs.Element) throws -> Network.Input,
    result: @escaping @Sendable (Output) throws -> Result
  ) throws -> PredictionStream<Result> {
    try stream(policy: policy, waiting: waiting) { state in
      for try await element in inputs {
        let input = try input(element)
        try await state.offer { self.start(input, index: $0, result: result, completion: $1) }
      }
    }
  }

  /// The results of a sequence in a different form from the network's.
  package func predictions<Inputs: Sequence & Sendable, Result: Sendable>(
    of inputs: Inputs, policy: StreamPolicy, waiting: Int,
    input: @escaping @Sendable (Inputs.Element) throws -> Network.Input,
    result: @escaping @Sendable (Output) throws -> Result
  ) throws -> PredictionStream<Result> {
    try stream(policy: policy, waiting: waiting) { state in
      for element in inputs {
        let input = try input(element)
        try await state.offer { self.start(input, index: $0, result: result, completion: $1) }
      }
    }
  }

  /// A stream that runs up to `extra` more predictions at once than fit into the slots.
  func stream<Result: Sendable>(
    policy: StreamPolicy, waiting: Int, extra: Int = 0,
    produce: @escaping @Sendable (BoundedStream<Result>) async throws -> Void
  ) throws -> PredictionStream<Result> {
    guard waiting >= 0 else { throw RunnerError.invalidCount("waiting", waiting, least: 0) }
    let concurrency = inflightBuffers * batch + extra
    let drops = StreamDrops()
    return PredictionStream(
      makeState: { [engine] in
        BoundedStream(
          policy: policy, concurrency: concurrency, waiting: waiting, produce: produce,
          countDropped: {
            drops.count.add(1, ordering: .relaxed)
            engine.countDropped()
          })
      }, drops: drops)
  }
}
