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

  let makeState: @Sendable () -> BoundedStream<Output>
  let drops: StreamDrops

  /// The number of inputs dropped so far, over all iterations; it may be read at any time.
  public var dropped: Int { drops.count.load(ordering: .relaxed) }

  /// Begins an iteration; the first call of `next` starts taking inputs.
  ///
  /// - Returns: the iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(owner: Owner(makeState())) }

  /// Iterates over the results.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let owner: Owner

    /// The next result, in the order of the inputs.
    ///
    /// - Parameter actor: the isolation of the caller.
    /// - Returns: the result, or `nil` after the last one.
    /// - Throws: what the inputs' sequence or the network threw, at its place in the order, or
    ///   ``RunnerError`` when the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> Output? {
      let state = owner.state
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { state.take($0) }
      } onCancel: {
        state.end()
      }
    }
  }

  /// Held by the iterator alone, so that leaving the loop in any way ends the iteration.
  fileprivate final class Owner: Sendable {
    let state: BoundedStream<Output>

    init(_ state: BoundedStream<Output>) { self.state = state }

    deinit { state.end() }
  }
}

/// The number of inputs that a stream dropped.
final class StreamDrops: Sendable {
  let count = Atomic(0)
}
