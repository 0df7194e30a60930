import Dispatch

/// A runner with what comes before and after it: a source is prepared, predicted, and read out.
///
/// ```swift
/// let labels = runner.pipeline { (photo: Image) in try preparation.values(of: photo) }
///   readOut: { result in result.prediction.top(k: 5) }
/// for try await best in try labels.predictions(of: photos) { print(best) }
/// ```
/// Both closures run in tasks of their own, outside every slot: while one source is prepared, others
/// run and others are read out.
public struct Pipeline<Network: NeuralNetwork, Source: Sendable, Result: Sendable>: Sendable {
  /// The runner behind it.
  public let runner: Runner<Network>
  private let prepare: @Sendable (Source) async throws -> Network.Input
  private let readOut: @Sendable (Runner<Network>.Output) async throws -> Result

  init(
    _ runner: Runner<Network>,
    prepare: @escaping @Sendable (Source) async throws -> Network.Input,
    readOut: @escaping @Sendable (Runner<Network>.Output) async throws -> Result
  ) {
    self.runner = runner
    self.prepare = prepare
    self.readOut = readOut
  }

  /// Prepares, predicts and reads out.
  ///
  /// - Parameters:
  ///   - source: what is prepared.
  ///   - deadline: when the prediction must be there; any time unless given.
  /// - Returns: what was read out.
  /// - Throws: ``RunnerError`` as ``Runner/predict(_:deadline:)``, or what a stage throws.
  @concurrent
  public func predict(_ source: Source, deadline: Deadline? = nil) async throws -> Result {
    try await predict(source, index: 0, deadline: deadline)
  }

  @concurrent
  private func predict(_ source: Source, index: Int, deadline: Deadline?) async throws -> Result {
    let time = runner.engine.time
    let end = deadline?.moment(from: time.now) ?? .never
    if Task.isCancelled { throw RunnerError.cancelled }
    if end != .never, time.now >= end { throw RunnerError.deadlineExceeded }
    let input = try await prepare(source)
    var output = try await runner.result(of: runner.ticket(for: input, until: end))
    output.index = index
    return try await readOut(output)
  }

  /// Asks for a result and returns at once; it comes on `queue`.
  ///
  /// - Parameters:
  ///   - source: what is prepared.
  ///   - deadline: when the prediction must be there; any time unless given.
  ///   - queue: where `completion` is called.
  ///   - completion: gets the result, or the error, exactly once.
  /// - Returns: what cancels the prediction.
  @discardableResult
  public func predict(
    _ source: Source, deadline: Deadline? = nil, queue: DispatchQueue,
    completion: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
  ) -> Runner<Network>.Request {
    let cancel = start(source, index: 0, deadline: deadline) { answer in
      queue.async { completion(answer) }
    }
    return Runner<Network>.Request(cancel)
  }

  /// The results of sources that come one after the other, in their order.
  ///
  /// As `Runner.predictions(of:policy:waiting:)`; two more sources than the runner
  /// holds are under way, one of them being prepared and one read out.
  ///
  /// - Parameters:
  ///   - sources: what is prepared.
  ///   - policy: what happens with sources that come too fast.
  ///   - waiting: how many sources may wait beside those that are under way.
  /// - Returns: the results; it ends with the sources, or with the first error.
  /// - Throws: ``RunnerError`` when `waiting` is negative.
  public func predictions<Sources: AsyncSequence & Sendable>(
    of sources: Sources, policy: StreamPolicy = .block, waiting: Int = 1
  ) throws -> PredictionStream<Result> where Sources.Element == Source {
    try runner.stream(policy: policy, waiting: waiting, extra: 2, start: starter) { offer in
      for try await source in sources { try await offer(source) }
    }
  }

  /// The results of the sources of a sequence, in their order.
  ///
  /// - Parameters:
  ///   - sources: what is prepared.
  ///   - policy: what happens with sources that come too fast.
  ///   - waiting: how many sources may wait beside those that are under way.
  /// - Returns: the results; it ends with the sources, or with the first error.
  /// - Throws: ``RunnerError`` when `waiting` is negative.
  public func predictions<Sources: Sequence & Sendable>(
    of sources: Sources, policy: StreamPolicy = .block, waiting: Int = 1
  ) throws -> PredictionStream<Result> where Sources.Element == Source {
    try runner.stream(policy: policy, waiting: waiting, extra: 2, start: starter) { offer in
      for source in sources { try await offer(source) }
    }
  }

  /// Prepares, predicts and reads out a known number of sources.
  ///
  /// - Parameter sources: what is prepared.
  /// - Returns: what was read out, in the order of the sources.
  /// - Throws: the first error in the order of the sources; the rest is then cancelled.
  public func predictBatch<Sources: Sequence & Sendable>(
    _ sources: Sources
  ) async throws -> [Result] where Sources.Element == Source {
    var results: [Result] = []
    results.reserveCapacity(sources.underestimatedCount)
    for try await result in try predictions(of: sources) { results.append(result) }
    return results
  }

  private func starter(
    _ source: Source, index: Int, completion: @escaping StreamState<Result>.Completion
  ) -> StreamState<Result>.Cancel {
    start(source, index: index, deadline: nil, completion: completion)
  }

  private func start(
    _ source: Source, index: Int, deadline: Deadline?,
    completion: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
  ) -> @Sendable () -> Void {
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
  /// Puts a preparation before this runner and a read-out behind it.
  ///
  /// - Parameters:
  ///   - prepare: makes the network's input; it runs outside every slot.
  ///   - readOut: makes something of the result; it runs when the slot is free again.
  /// - Returns: the pipeline.
  public func pipeline<Source: Sendable, Result: Sendable>(
    prepare: @escaping @Sendable (Source) async throws -> Network.Input,
    readOut: @escaping @Sendable (Output) async throws -> Result
  ) -> Pipeline<Network, Source, Result> {
    Pipeline(self, prepare: prepare, readOut: readOut)
  }
}
