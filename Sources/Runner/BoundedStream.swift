/// The state of one iteration over a stream: waiting, running and finished predictions.
///
/// An input is represented by a closure that starts its prediction.
final class BoundedStream<Output: Sendable>: Sendable {
  /// Receives the result of a prediction.
  typealias Completion = @Sendable (Result<Output, any Error>) -> Void
  /// Starts a prediction and returns a closure that cancels it.
  typealias Start = @Sendable (_ index: Int, _ completion: @escaping Completion) -> Cancel
  typealias Cancel = @Sendable () -> Void

  private struct State {
    /// Inputs that have not started, in order.
    var waiting: [(index: Int, start: Start)] = []
    /// The indices of started predictions whose results have not been delivered, in order.
    var order: [Int] = []
    /// The cancel closures of running predictions; `nil` while they are being started.
    var running: [Int: Cancel?] = [:]
    var finished: [Int: Result<Output, any Error>] = [:]
    var nextIndex = 0
    var inputsEnded = false
    var failure: (any Error)?
    var isOver = false
    var producer: Task<Void, Never>?
    var blockedProducer: CheckedContinuation<Void, any Error>?
    var consumer: CheckedContinuation<Output?, any Error>?

    /// Whether every input has been predicted and its result delivered.
    var isFinished: Bool { inputsEnded && order.isEmpty && waiting.isEmpty }
  }

  private let policy: StreamPolicy
  /// The maximum number of running predictions, and of finished ones.
  private let concurrency: Int
  /// The maximum number of waiting inputs in addition.
  private let waitingLimit: Int
  /// Offers all inputs to the stream.
  private let produce: @Sendable (BoundedStream) async throws -> Void
  private let countDropped: @Sendable () -> Void
  private let monitor = Monitor(State())

  init(
    policy: StreamPolicy, concurrency: Int, waiting: Int,
    produce: @escaping @Sendable (BoundedStream) async throws -> Void,
    countDropped: @escaping @Sendable () -> Void
  ) {
    self.policy = policy
    self.concurrency = concurrency
    self.waitingLimit = waiting
    self.produce = produce
    self.countDropped = countDropped
  }

  // MARK: Producer

  /// Offers all inputs, and marks their end.
  private func offerAll() async {
    var failure: (any Error)?
    do { try await produce(self) } catch { failure = error }
    monitor.withLock { state in
      state.inputsEnded = true
      // If the iteration is over, the error only reports that.
      if !state.isOver { state.failure = failure }
    }
    handOut()
  }

  /// Takes another input; waits for room or drops an input, depending on the policy.
  ///
  /// - Throws: ``RunnerError`` when the iteration is over.
  func offer(_ start: @escaping Start) async throws {
    try monitor.withLock { state in
      guard !state.isOver else { throw RunnerError.cancelled }
      state.waiting.append((state.nextIndex, start))
      state.nextIndex += 1
    }
    startWaiting()
    guard policy == .block else { return dropExcess() }
    // Resumes as soon as there is room for the next input.
    try await withCheckedThrowingContinuation { continuation in
      let answer: Result<Void, any Error>? = monitor.withLock { state in
        if state.isOver { return .failure(RunnerError.cancelled) }
        if hasRoom(state) { return .success(()) }
        state.blockedProducer = continuation
        return nil
      }
      if let answer { continuation.resume(with: answer) }
    }
  }

  /// Whether there is room for another input.
  private func hasRoom(_ state: State) -> Bool {
    state.waiting.isEmpty || state.waiting.count < waitingLimit
  }

  private func dropExcess() {
    let isDropped = monitor.withLock { state in
      guard !state.isOver, state.waiting.count > waitingLimit else { return false }
      state.waiting.remove(at: policy == .dropOldest ? 0 : state.waiting.count - 1)
      return true
    }
    if isDropped { countDropped() }
  }

  // MARK: Predictions

  /// Makes all possible progress: delivers a result, starts predictions, resumes the producer.
  private func advance() {
    handOut()
    startWaiting()
    let producer = monitor.withLock { hasRoom($0) ? $0.blockedProducer.take() : nil }
    producer?.resume()
  }

  /// Starts waiting predictions up to the limits on running and on finished ones.
  private func startWaiting() {
    while let (index, start) = nextToStart() {
      let cancel = start(index) { [self] result in finish(index, result) }
      let isUnwanted = monitor.withLock { state in
        // The prediction may already have finished.
        guard state.running[index] != nil else { return state.isOver }
        state.running[index] = .some(cancel)
        return false
      }
      if isUnwanted { cancel() }
    }
  }

  private func nextToStart() -> (Int, Start)? {
    monitor.withLock { state in
      guard !state.isOver, !state.waiting.isEmpty, state.running.count < concurrency,
        state.finished.count < concurrency
      else { return nil }
      let (index, start) = state.waiting.removeFirst()
      state.order.append(index)
      state.running[index] = .some(nil)
      return (index, start)
    }
  }

  private func finish(_ index: Int, _ result: Result<Output, any Error>) {
    monitor.withLock { state in
      guard state.running.removeValue(forKey: index) != nil, !state.isOver else { return }
      state.finished[index] = result
    }
    advance()
  }

  // MARK: Consumer

  /// Waits for the next result in order; the first call starts the producer.
  func take(_ continuation: CheckedContinuation<Output?, any Error>) {
    let isSecond = monitor.withLock { state in
      if state.producer == nil, !state.isOver { state.producer = Task { await offerAll() } }
      if state.consumer != nil { return true }
      state.consumer = continuation
      return false
    }
    // An iterator belongs to one task; a concurrent call from another task receives `nil`.
    if isSecond { continuation.resume(returning: nil) } else { advance() }
  }

  /// Delivers the next result if it is available and the consumer waits for it.
  private func handOut() {
    typealias Delivery = (CheckedContinuation<Output?, any Error>, Result<Output?, any Error>)
    let delivery = monitor.withLock { state -> Delivery? in
      guard let consumer = state.consumer else { return nil }
      let answer: Result<Output?, any Error>
      if let first = state.order.first, let result = state.finished.removeValue(forKey: first) {
        state.order.removeFirst()
        answer = result.map(Optional.some)
      } else if state.isOver || state.isFinished {
        answer = state.failure.take().map(Result.failure) ?? .success(nil)
      } else {
        return nil
      }
      state.consumer = nil
      return (consumer, answer)
    }
    guard let (consumer, answer) = delivery else { return }
    // The first error ends the stream.
    if case .failure = answer { end(isDelivered: true) }
    consumer.resume(with: answer)
  }

  /// Ends the iteration: cancels running predictions and stops the producer.
  func end(isDelivered: Bool = false) {
    let ended = monitor.withLock { state -> State? in
      guard !state.isOver else { return nil }
      let ended = state
      state = State()
      state.isOver = true
      state.failure = isDelivered || ended.isFinished ? nil : RunnerError.cancelled
      state.consumer = ended.consumer
      return ended
    }
    if let ended {
      for case let cancel? in ended.running.values { cancel() }
      ended.producer?.cancel()
      ended.blockedProducer?.resume(throwing: RunnerError.cancelled)
    }
    handOut()
  }
}
