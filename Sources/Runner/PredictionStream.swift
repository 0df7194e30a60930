import Synchronization

/// What a stream does with inputs that arrive faster than the network predicts.
public enum StreamPolicy: Hashable, Sendable, CaseIterable {
  /// Nothing is dropped: the producer waits.
  case block
  /// An input that finds no room is dropped.
  case dropNewest
  /// The oldest waiting input is dropped for the new one, as live video needs.
  case dropOldest
}

/// The results of a sequence of inputs, in the order of the inputs.
///
/// Each iteration starts the inputs again, and cancels its remaining work when it ends.
public struct PredictionStream<Output: Sendable>: AsyncSequence, Sendable {
  /// The type of a result.
  public typealias Element = Output

  let makeState: @Sendable () -> StreamState<Output>
  let produce: @Sendable (StreamState<Output>) async throws -> Void
  let drops: StreamDrops

  /// The number of inputs dropped so far, over all iterations; it may be read at any time.
  public var dropped: Int { drops.count }

  /// Begins an iteration; the first call of `next` starts taking inputs.
  ///
  /// - Returns: the iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(owner: Owner(state: makeState(), produce: produce))
  }

  /// Iterates over the results.
  public struct Iterator: AsyncIteratorProtocol {
    private let owner: Owner

    fileprivate init(owner: Owner) { self.owner = owner }

    /// The next result, in the order of the inputs.
    ///
    /// - Returns: the result, or `nil` after the last one.
    /// - Throws: what the inputs' sequence or the network threw, at its place in the order, or
    ///   ``RunnerError`` when the task is cancelled.
    public mutating func next() async throws -> Output? {
      try await next(isolation: nil)
    }

    /// The next result, in the order of the inputs.
    ///
    /// - Parameter actor: the isolation of the caller.
    /// - Returns: the result, or `nil` after the last one.
    /// - Throws: what the inputs' sequence or the network threw, at its place in the order, or
    ///   ``RunnerError`` when the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> Output? {
      owner.start()
      let state = owner.state
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { state.take($0) }
      } onCancel: {
        state.end(throwing: RunnerError.cancelled)
      }
    }
  }

  /// Held by the iterator alone, so that leaving the loop in any way ends the iteration.
  fileprivate final class Owner: Sendable {
    let state: StreamState<Output>
    private let produce: @Sendable (StreamState<Output>) async throws -> Void

    init(
      state: StreamState<Output>,
      produce: @escaping @Sendable (StreamState<Output>) async throws -> Void
    ) {
      self.state = state
      self.produce = produce
    }

    deinit { state.end(throwing: RunnerError.cancelled) }

    func start() {
      state.start { [produce] state in
        Task {
          do {
            try await produce(state)
            state.inputsEnded(nil)
          } catch {
            state.inputsEnded(error)
          }
        }
      }
    }
  }
}

/// The number of inputs that a stream dropped.
final class StreamDrops: Sendable {
  private let drops = Atomic(0)
  private let report: @Sendable () -> Void

  init(report: @escaping @Sendable () -> Void) { self.report = report }

  var count: Int { drops.load(ordering: .relaxed) }

  func add() {
    drops.add(1, ordering: .relaxed)
    report()
  }
}
