import Dispatch

/// A runner with a stage before and after it: it prepares sources, predicts, and reads out results.
///
/// ```swift
/// let labels = runner.pipeline { (level: Float) in
///   [Float](repeating: level, count: 28 * 28)
/// } readOut: { result in
///   result.prediction.top(k: 5)
/// }
/// for try await best in try labels.predictions(of: [0, 0.5, 1]) { print(best) }
/// ```
/// Both closures run in tasks of their own and occupy no slot. So one source can be prepared while
/// others are predicted or read out.
public struct Pipeline<Network: NeuralNetwork, Source: Sendable, Result: Sendable>: Sendable {
  /// The runner that predicts.
  public let runner: Runner<Network>
  let prepare: @Sendable (Source) async throws -> Network.Input
  let readOut: @Sendable (Runner<Network>.Output) async throws -> Result

  /// Prepares, predicts and reads out.
  ///
  /// - Parameters:
  ///   - source: the source to prepare.
  ///   - deadline: the latest time for the prediction; none by default.
  /// - Returns: the read-out result.
  /// - Throws: ``RunnerError`` as ``Runner/predict(_:deadline:)``, or what a stage throws.
  @concurrent
  public func predict(_ source: Source, deadline: Deadline? = nil) async throws -> Result {
    try await predict(source, index: 0, deadline: deadline)
  }

  @concurrent
  private func predict(_ source: Source, index: Int, deadline: Deadline?) async throws -> Result {
    let time = runner.engine.time
    let end = time.moment(of: deadline)
    if Task.isCancelled { throw RunnerError.cancelled }
    if end != .never, time.now() >= end { throw RunnerError.deadlineExceeded }
    let input = try await prepare(source)
    return try await readOut(runner.result(for: input, index: index, until: end))
  }

  /// Requests a result and returns at once; the result is delivered on `queue`.
  ///
  /// - Parameters:
  ///   - source: the source to prepare.
  ///   - deadline: the latest time for the prediction; none by default.
  ///   - queue: the queue on which `completion` is called.
  ///   - completion: receives the result or the error, exactly once.
  /// - Returns: a request that can cancel the prediction.
  @discardableResult
  public func predict(
    _ source: Source, deadline: Deadline? = nil, queue: DispatchQueue,
    completion: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
  ) -> Runner<Network>.Request {
    Runner.Request(
      action: start(source, deadline: deadline) { answer in
        queue.async { completion(answer) }
      })
  }

  /// The results of a sequence of sources, in their order.
  ///
  /// It works like `Runner.predictions(of:policy:waiting:)`, with two more sources in progress than
  /// fit into the runner's slots: one being prepared and one being read out.
  ///
  /// - Parameters:
  ///   - sources: the sources to prepare.
  ///   - policy: how sources that arrive too fast are handled.
  ///   - waiting: how many sources may wait in addition to those in progress.
  /// - Returns: the results; the stream ends with the sources, or with the first error.
  /// - Throws: ``RunnerError`` when `waiting` is negative.
  public func predictions<Sources: AsyncSequence & Sendable>(
    of sources: Sources, policy: StreamPolicy = .block, waiting: Int = 1
  ) throws -> PredictionStream<Result> where Sources.Element == Source {
    try runner.stream(policy: policy, waiting: waiting, extra: 2) { state in
      for try await source in sources {
        try await state.offer { start(source, index: $0, completion: $1) }
      }
    }
  }

  /// The results of the sources of a sequence, in their order.
  ///
  /// - Parameters:
  ///   - sources: the sources to prepare.
  ///   - policy: how sources that arrive too fast are handled.
  ///   - waiting: how many sources may wait in addition to those in progress.
  /// - Returns: the results; the stream ends with the sources, or with the first error.
  /// - Throws: ``RunnerError`` when `waiting` is negative.
  public func predictions<Sources: Sequence & Sendable>(
    of sources: Sources, policy: StreamPolicy = .block, waiting: Int = 1
  ) throws -> PredictionStream<Result> where Sources.Element == Source {
    try runner.stream(policy: policy, waiting: waiting, extra: 2) { state in
      for source in sources {
        try await state.offer { start(source, index: $0, completion: $1) }
      }
    }
  }

  /// Prepares, predicts and reads out a finite number of sources.
  ///
  /// - Parameter sources: the sources to prepare.
  /// - Returns: the read-out results, in the order of the sources.
  /// - Throws: the first error in the order of the sources; the remaining ones are then canceled.
  public func predictBatch<Sources: Sequence & Sendable>(
    _ sources: Sources
  ) async throws -> [Result] where Sources.Element == Source {
    try await predictions(of: sources).reduce(into: []) { $0.append($1) }
  }

  private func start(
    _ source: Source, index: Int = 0, deadline: Deadline? = nil,
    completion: @escaping BoundedStream<Result>.Completion
  ) -> BoundedStream<Result>.Cancel {
    let task = Task {
      do {
        completion(.success(try await predict(source, index: index, deadline: deadline)))
      } catch {
        completion(.failure(error))
      }
    }
    return { task.cancel() }
  }
}

extension Runner {
  /// Adds a preparation before this runner and a read-out after it.
  ///
  /// - Parameters:
  ///   - prepare: returns the network's input; it occupies no slot.
  ///   - readOut: converts the result; it runs after the slot has been freed.
  /// - Returns: the pipeline.
  public func pipeline<Source: Sendable, Result: Sendable>(
    prepare: @escaping @Sendable (Source) async throws -> Network.Input,
    readOut: @escaping @Sendable (Output) async throws -> Result
  ) -> Pipeline<Network, Source, Result> {
    Pipeline(runner: self, prepare: prepare, readOut: readOut)
  }
}
