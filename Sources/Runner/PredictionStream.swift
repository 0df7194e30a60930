import Synchronization

/// How a stream handles inputs that arrive faster than the network predicts.
public enum StreamPolicy: Hashable, Sendable, CaseIterable {
  /// Nothing is dropped: the producer waits.
  case block
  /// A new input is dropped if the waiting inputs are at their limit.
  case dropNewest
  /// The oldest waiting input is dropped in favor of the new one, as for live video.
  case dropOldest
}

/// The results of a sequence of inputs, in the order of the inputs.
///
/// Each iteration starts the sequence of inputs again, and cancels its remaining work when it ends.
public struct PredictionStream<Output: Sendable>: AsyncSequence, Sendable {
  /// The type of a result.
  public typealias Element = Output

  let makeState: @Sendable () -> BoundedStream<Output>
  let drops: StreamDrops

  /// The number of inputs dropped so far, over all iterations; it may be read at any time.
  public var dropped: Int { drops.count.load(ordering: .relaxed) }

  /// Creates an iterator; its first call of `next` starts taking inputs.
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
    /// - Throws: what the input sequence or the network threw, in the order of the inputs, or
    ///   ``RunnerError`` when the task is canceled.
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

  /// Held only by the iterator, so that leaving the loop in any way ends the iteration.
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
