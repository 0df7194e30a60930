/// Runs predictions of a network, a fixed number at a time.
///
/// ```swift
/// let runner = try Runner(network, inflightBuffers: 3)
/// let probabilities = try await runner.predict(pixels)
/// ```
/// Each in-flight buffer is one slot of the network with a thread that sleeps while idle. Any
/// number of tasks and threads may use a runner at once; it serves them in order. A released runner
/// still finishes all requested predictions.
///
/// A slot needs the memory of one prediction, which is `workspaceSize(batch:)` bytes for a compiled
/// model, and a thread, whose stack takes megabytes of address space but only kilobytes of memory.
/// More slots than cores plus one do not increase throughput. The limit is
/// ``maximumInflightBuffers``.
public final class Runner<Network: NeuralNetwork>: Sendable {
  /// The full result of a prediction.
  public typealias Output = PredictionResult<Network.Prediction, Network.Kept>

  /// The network.
  public let network: Network
  /// The maximum number of slots of a runner: 1024.
  public static var maximumInflightBuffers: Int { 1024 }

  /// The number of slots: predictions, or micro-batches, that may be in flight.
  public let inflightBuffers: Int
  /// The maximum number of examples in a slot.
  public var batch: Int { engine.batch }

  let engine: Engine
  let makeTicket: @Sendable (Network.Input, _ index: Int, Nanoseconds) -> NetworkTicket<Network>

  /// Creates a runner with its slots and threads.
  ///
  /// - Parameters:
  ///   - network: the network to run.
  ///   - inflightBuffers: the number of predictions that may be in flight, up to
  ///     ``maximumInflightBuffers``; by default the number that ``RunnerSizing`` proposes for
  ///     throughput: one more than there are cores.
  ///   - threads: the maximum threads of one prediction; by default one if `inflightBuffers` is
  ///     above 1, otherwise as many as the network was compiled for.
  ///   - clock: the clock for deadlines and times.
  /// - Throws: ``RunnerError`` when a number is out of range or no thread can be created, or what
  ///   allocating a slot throws.
  public convenience init<C: Clock>(
    _ network: Network, inflightBuffers: Int? = nil, threads: Int? = nil,
    clock: C = ContinuousClock()
  ) throws where C.Duration == Duration {
    try self.init(
      network, inflightBuffers: inflightBuffers, threads: threads, clock: clock,
      makeSlot: { try $0.map { try network.makeSlot(threads: $0) } ?? network.makeSlot() },
      makeTicket: { NetworkTicket($0, index: $1, network: network, deadline: $2) },
      run: { slot, _, stop in try network.run(slot.memory(of: network), until: stop) })
  }

  /// Creates a runner that gathers predictions into micro-batches, for servers.
  ///
  /// A slot is filled with waiting examples, up to `batch`. If there are fewer, the first waits for
  /// others up to `window`.
  /// ```swift
  /// let runner = try Runner(network, inflightBuffers: 2, batch: 8, within: .milliseconds(2))
  /// ```
  ///
  /// - Parameters:
  ///   - network: the network to run.
  ///   - inflightBuffers: the number of batches that may be in flight, up to
  ///     ``maximumInflightBuffers``; by default one more than there are cores.
  ///   - batch: the maximum number of examples in one slot.
  ///   - window: how long the first example waits for others; with 0 it does not wait.
  ///   - threads: the maximum threads of one batch; by default one if `inflightBuffers` is above 1,
  ///     otherwise as many as the network was compiled for.
  ///   - clock: the clock for deadlines, times and the window.
  /// - Throws: ``RunnerError`` when a number is out of range or no thread can be created, or what
  ///   allocating a slot throws.
  public convenience init<C: Clock>(
    _ network: Network, inflightBuffers: Int? = nil, batch: Int, within window: Duration,
    threads: Int? = nil, clock: C = ContinuousClock()
  ) throws where Network: BatchNetwork, C.Duration == Duration {
    guard batch > 0 else { throw RunnerError.invalidCount("batch", batch) }
    guard window >= .zero else { throw RunnerError.invalidWindow(window) }
    try self.init(
      network, inflightBuffers: inflightBuffers, threads: threads, batch: batch,
      window: window.nanoseconds, clock: clock,
      makeSlot: {
        try $0.map { try network.makeSlot(batch: batch, threads: $0) }
          ?? network.makeSlot(batch: batch)
      },
      makeTicket: { BatchTicket($0, index: $1, network: network, deadline: $2) },
      run: { slot, count, stop in
        try network.run(slot.memory(of: network), batch: count, until: stop)
      })
  }

  private init<C: Clock>(
    _ network: Network, inflightBuffers: Int?, threads: Int?, batch: Int = 1,
    window: Nanoseconds = 0, clock: C,
    makeSlot: (_ threads: Int?) throws -> Network.Slot,
    makeTicket: @escaping @Sendable (Network.Input, Int, Nanoseconds) -> NetworkTicket<Network>,
    run: @escaping @Sendable (InflightSlot, Int, borrowing StopSignal) throws -> Void
  ) throws where C.Duration == Duration {
    let count =
      inflightBuffers
      ?? RunnerSizing.sensible(for: .throughput, cores: network.usableCores).inflightBuffers
    guard (1...Self.maximumInflightBuffers).contains(count) else {
      throw RunnerError.invalidCount("inflightBuffers", count, most: Self.maximumInflightBuffers)
    }
    if let threads, threads < 1 { throw RunnerError.invalidCount("threads", threads) }
    self.network = network
    self.inflightBuffers = count
    self.makeTicket = makeTicket
    let slots = try (0..<count).map { _ in
      NetworkSlot<Network>(try makeSlot(threads ?? (count > 1 ? 1 : nil)))
    }
    engine = try Engine(
      slots: slots, batch: batch, window: window, time: TimeSource(clock), run: run)
  }

  deinit { engine.close() }

  // MARK: Predicting

  /// Predicts; while all slots are taken, it suspends and never blocks a thread.
  ///
  /// When the task is canceled or the deadline passes, the caller resumes at once; a running
  /// prediction then stops before its next step.
  ///
  /// - Parameters:
  ///   - input: the input of the network.
  ///   - deadline: the latest time for the prediction; none by default.
  /// - Returns: the result of the network.
  /// - Throws: ``RunnerError`` when the task is canceled, the deadline passes first or the runner
  ///   is closed, or what the network throws; the slot is free again in every case.
  public func predict(
    _ input: Network.Input, deadline: Deadline? = nil
  ) async throws -> Network.Prediction {
    try await result(for: input, deadline: deadline).prediction
  }

  /// Predicts like ``predict(_:deadline:)``, and also returns times and kept tensors.
  ///
  /// - Parameters:
  ///   - input: the input of the network.
  ///   - deadline: the latest time for the prediction; none by default.
  /// - Returns: the result of the network, with latency and kept tensors.
  /// - Throws: as ``predict(_:deadline:)``.
  public func result(
    for input: Network.Input, deadline: Deadline? = nil
  ) async throws -> Output {
    try await result(for: input, until: engine.time.moment(of: deadline))
  }

  /// Predicts until a moment, as one of the inputs of a stream.
  package func result(
    for input: Network.Input, index: Int = 0, until end: Nanoseconds
  ) async throws -> Output {
    let ticket = makeTicket(input, index, end)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        ticket.deliver = { continuation.resume(with: $0) }
        engine.submit(ticket)
      }
    } onCancel: {
      engine.cancel(ticket, .cancelled)
    }
  }

  // MARK: Shutting down

  /// Waits until no prediction is in flight or waiting; new ones may arrive in the meantime.
  public func drain() async { await engine.drain() }

  /// Rejects new predictions, and waits for those already requested.
  ///
  /// Rejected predictions throw a ``RunnerError`` of kind `closed`.
  public func shutDown() async {
    engine.close()
    await engine.drain()
  }

  // MARK: Statistics

  /// The statistics so far.
  public var statistics: RunnerStatistics { engine.statistics }

  /// Resets the statistics.
  public func resetStatistics() { engine.resetStatistics() }

  /// The number of free slots; 0 in a process forked after the runner was created.
  public var freeSlots: Int { engine.freeCount }

  /// The number of predictions that wait for a slot.
  package var waitingPredictions: Int { engine.waitingCount }

  /// Whether every slot is free and no prediction waits.
  package var isAtRest: Bool { freeSlots == inflightBuffers && waitingPredictions == 0 }
}
