import Dispatch

extension Runner {
  /// A prediction requested with a callback.
  public struct Request: Sendable {
    let action: @Sendable () -> Void

    /// Cancels the prediction: unless it has finished, its callback receives a ``RunnerError`` at
    /// once.
    public func cancel() { action() }
  }

  /// Requests a prediction and returns at once; the result is delivered on `queue`.
  ///
  /// ```swift
  /// runner.predict(pixels, queue: .main) { result in
  ///   guard let result = try? result.get() else { return }
  ///   show(result.prediction)
  /// }
  /// ```
  /// Predictions start in the order of the requests, and each calls back when it finishes. A
  /// waiting request retains its input. A continuous producer must therefore limit its requests in
  /// flight or use `predictions(of:policy:waiting:)`.
  ///
  /// - Parameters:
  ///   - input: the input of the network.
  ///   - deadline: the latest time for the prediction; none by default.
  ///   - queue: the queue on which `completion` is called.
  ///   - completion: receives the result or the error, exactly once.
  /// - Returns: a request that can cancel the prediction.
  @discardableResult
  public func predict(
    _ input: Network.Input, deadline: Deadline? = nil, queue: DispatchQueue,
    completion: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) -> Request {
    predict(input, deadline: deadline, queue: queue, result: { $0 }, completion: completion)
  }

  /// Requests a prediction whose result is delivered in a different form from the network's.
  package func predict<Result: Sendable>(
    _ input: Network.Input, deadline: Deadline?, queue: DispatchQueue,
    result: @escaping @Sendable (Output) throws -> Result,
    completion: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
  ) -> Request {
    Request(
      action: start(input, deadline: deadline, result: result) { answer in
        queue.async { completion(answer) }
      })
  }

  /// Requests a prediction whose completion is called on the runner's own thread and must not
  /// block.
  package func predictDirectly(
    _ input: Network.Input, completion: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) {
    _ = start(input, result: { $0 }, completion: completion)
  }

  /// Starts a prediction, whose result `result` converts; returns a closure that cancels it.
  func start<Result: Sendable>(
    _ input: Network.Input, index: Int = 0, deadline: Deadline? = nil,
    result: @escaping @Sendable (Output) throws -> Result,
    completion: @escaping BoundedStream<Result>.Completion
  ) -> BoundedStream<Result>.Cancel {
    let ticket = makeTicket(input, index, engine.time.moment(of: deadline))
    ticket.deliver = { answer in
      completion(Swift.Result { try result(answer.get()) })
    }
    engine.submit(ticket)
    return { [engine] in engine.cancel(ticket, .cancelled) }
  }
}
