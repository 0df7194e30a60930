import Dispatch

extension Runner {
  /// A prediction that was asked for with a callback.
  public struct Request: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    /// Cancels the prediction: its callback gets a ``RunnerError`` at once, unless it had a result.
    public func cancel() { action() }
  }

  /// Asks for a prediction and returns at once; the result comes on `queue`.
  ///
  /// ```swift
  /// runner.predict(pixels, queue: .main) { result in
  ///   guard let result = try? result.get() else { return }
  ///   show(result.prediction, after: result.latency)
  /// }
  /// ```
  /// Predictions begin in the order they are asked for; each calls back when it is finished. One
  /// that waits keeps its input, so that a producer without pause must count what is under way or
  /// use `predictions(of:policy:waiting:)`.
  ///
  /// - Parameters:
  ///   - input: what the network is given.
  ///   - deadline: when the prediction must be there; any time unless given.
  ///   - queue: where `completion` is called.
  ///   - completion: gets the result, or the error, exactly once.
  /// - Returns: what cancels the prediction.
  @discardableResult
  public func predict(
    _ input: Network.Input, deadline: Deadline? = nil, queue: DispatchQueue,
    completion: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) -> Request {
    let ticket = ticket(for: input, deadline: deadline)
    ticket.deliver = { answer in queue.async { completion(answer) } }
    engine.submit(ticket)
    return Request { [engine] in engine.cancel(ticket, .cancelled) }
  }

  /// Asks for a prediction whose answer comes on the runner's own thread, which it must not hold up.
  package func predictDirectly(
    _ input: Network.Input, completion: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) {
    let ticket = ticket(for: input)
    ticket.deliver = completion
    engine.submit(ticket)
  }
}
