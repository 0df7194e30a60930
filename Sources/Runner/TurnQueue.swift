import ForgeSystem

/// Turns at something that one task at a time may use, in the order of the requests.
package final class TurnQueue: Sendable {
  /// Receives the turn, or the reason why there is none.
  private typealias Resume = @Sendable (Result<Void, any Error>) -> Void

  private struct Waiter {
    let id: Int
    let resume: Resume
    /// Ends the wait at its deadline.
    let timer: Task<Void, Never>?
  }

  private struct State {
    var isTaken = false
    var waiters: [Waiter] = []
    var lastID = 0
  }

  private let state = ForkSafe(State())

  package init() {}

  /// Waits for a turn, even in a canceled task.
  package func begin() async {
    await withCheckedContinuation { continuation in
      join(id: makeID(), until: .never, .machine, isCancellable: false) { _ in
        continuation.resume()
      }
    }
  }

  /// Waits for a turn until the task is canceled or the moment `end` is reached.
  ///
  /// - Throws: ``RunnerError`` of kind `cancelled` or `deadlineExceeded` when there is no turn.
  func begin(until end: Nanoseconds, _ time: TimeSource) async throws {
    let id = makeID()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        join(id: id, until: end, time, isCancellable: true) { continuation.resume(with: $0) }
      }
    } onCancel: {
      leave(id: id, .cancelled)
    }
  }

  /// Ends the turn; the next one begins.
  package func end() {
    let next = state.withLock { state -> Waiter? in
      guard !state.waiters.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiters.removeFirst()
    }
    next?.timer?.cancel()
    next?.resume(.success(()))
  }

  private func makeID() -> Int {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// Takes the turn if it is free, else waits for it.
  private func join(
    id: Int, until end: Nanoseconds, _ time: TimeSource, isCancellable: Bool,
    resume: @escaping Resume
  ) {
    let answer = state.withLock { state -> Result<Void, any Error>? in
      // A later cancellation finds the waiter.
      if isCancellable, Task.isCancelled {
        return .failure(RunnerError(StopSignal.Reason.cancelled))
      }
      guard state.isTaken else {
        state.isTaken = true
        return .success(())
      }
      let timer = end == .never ? nil : timer(for: id, until: end, time)
      state.waiters.append(Waiter(id: id, resume: resume, timer: timer))
      return nil
    }
    if let answer { resume(answer) }
  }

  private func timer(
    for id: Int, until end: Nanoseconds, _ time: TimeSource
  ) -> Task<Void, Never> {
    Task { [weak self] in
      guard (try? await time.sleep(end)) != nil else { return }
      self?.leave(id: id, .deadlineExceeded)
    }
  }

  /// Ends the wait of a request, unless its turn has begun.
  private func leave(id: Int, _ reason: StopSignal.Reason) {
    let waiter = state.withLock { state -> Waiter? in
      state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
    }
    waiter?.timer?.cancel()
    waiter?.resume(.failure(RunnerError(reason)))
  }
}

extension Runner {
  /// Waits for a turn whose prediction must finish by `end`.
  ///
  /// - Throws: ``RunnerError`` of kind `cancelled` or `deadlineExceeded`, which the statistics
  ///   count, when there is no turn.
  package func begin(_ turns: TurnQueue, until end: Nanoseconds) async throws {
    do { try await turns.begin(until: end, engine.time) } catch {
      engine.count(error)
      throw error
    }
  }

  /// The absolute time of a deadline for a prediction requested now.
  package func moment(of deadline: Deadline?) -> Nanoseconds { engine.time.moment(of: deadline) }
}
