extension Runner {
  /// The results of inputs that come one after the other, in their order.
  ///
  /// ```swift
  /// let results = try runner.predictions(of: camera.frames, policy: .dropOldest)
  /// for try await result in results { show(result.prediction) }
  /// print(results.dropped, "frames dropped")
  /// ```
  /// At most as many predictions of a stream run as the runner holds, and as many finished results
  /// wait for the consumer's loop. Leaving the loop, also by an error, cancels what is left.
  ///
  /// - Parameters:
  ///   - inputs: what the network is given.
  ///   - policy: what happens with inputs that come too fast.
  ///   - waiting: how many inputs may wait beside those that run.
  /// - Returns: the results; it ends with the inputs, or with the first error.
  /// - Throws: ``RunnerError`` when `waiting` is negative.
  public func predictions<Inputs: AsyncSequence & Sendable>(
    of inputs: Inputs, policy: StreamPolicy = .block, waiting: Int = 1
  ) throws -> PredictionStream<Output> where Inputs.Element == Network.Input {
    try stream(policy: policy, waiting: waiting, start: starter) { offer in
      for try await input in inputs { try await offer(input) }
    }
  }

  /// The results of the inputs of a sequence, in their order.
  ///
  /// As for an asynchronous sequence. Since a sequence has its next element at once, all but a few are
  /// dropped unless the policy is `block`.
  ///
  /// - Parameters:
  ///   - inputs: what the network is given.
  ///   - policy: what happens with inputs that come too fast.
  ///   - waiting: how many inputs may wait beside those that run.
  /// - Returns: the results; it ends with the inputs, or with the first error.
  /// - Throws: ``RunnerError`` when `waiting` is negative.
  public func predictions<Inputs: Sequence & Sendable>(
    of inputs: Inputs, policy: StreamPolicy = .block, waiting: Int = 1
  ) throws -> PredictionStream<Output> where Inputs.Element == Network.Input {
    try stream(policy: policy, waiting: waiting, start: starter) { offer in
      for input in inputs { try await offer(input) }
    }
  }

  /// Predicts a known amount of inputs; the slots are filled as fast as they come free.
  ///
  /// - Parameter inputs: what the network is given.
  /// - Returns: what the network gives, in the order of the inputs.
  /// - Throws: the first error in the order of the inputs; the rest is then cancelled.
  public func predictBatch<Inputs: Sequence & Sendable>(
    _ inputs: Inputs
  ) async throws -> [Network.Prediction] where Inputs.Element == Network.Input {
    var predictions: [Network.Prediction] = []
    predictions.reserveCapacity(inputs.underestimatedCount)
    for try await result in try self.predictions(of: inputs, waiting: inflightBuffers * batch) {
      predictions.append(result.prediction)
    }
    return predictions
  }

  /// Starts a prediction of a stream.
  private func starter(
    _ input: Network.Input, index: Int, completion: @escaping StreamState<Output>.Completion
  ) -> StreamState<Output>.Cancel {
    let ticket = ticket(for: input)
    ticket.deliver = { answer in
      completion(
        answer.map { result in
          var result = result
          result.index = index
          return result
        })
    }
    engine.submit(ticket)
    return { [engine] in engine.cancel(ticket, .cancelled) }
  }

  /// A stream whose predictions are started by `start`.
  func stream<Input: Sendable, Result: Sendable>(
    policy: StreamPolicy, waiting: Int, extra: Int = 0,
    start:
      @escaping @Sendable (
        _ input: Input, _ index: Int, _ completion: @escaping StreamState<Result>.Completion
      ) -> StreamState<Result>.Cancel,
    inputs: @escaping @Sendable (_ offer: (Input) async throws -> Void) async throws -> Void
  ) throws -> PredictionStream<Result> {
    guard waiting >= 0 else { throw RunnerError.invalidCount("waiting", waiting, least: 0) }
    let concurrency = inflightBuffers * batch + extra
    let drops = StreamDrops { [engine] in engine.countDropped(1) }
    return PredictionStream(
      makeState: {
        StreamState(policy: policy, concurrency: concurrency, waiting: waiting, drops: drops)
      },
      produce: { state in
        try await inputs { input in
          try await state.offer { index, completion in start(input, index, completion) }
        }
      }, drops: drops)
  }
}
