import Dispatch
import Synchronization

/// Ends a request when its client goes or its time is over.
///
/// One timer serves all requests: a sleeping task for each would keep its memory until its moment,
/// long after the request was answered.
package final class RequestEnd: Sendable {
  /// That of the request which the current task answers; `nil` outside of a server.
  @TaskLocal package static var current: RequestEnd?

  private struct State {
    var cancelTask: (@Sendable () -> Void)?
    var isCancelled = false
    var isOver = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether the time of the request is over.
  package var isOver: Bool { state.withLock { $0.isOver } }

  /// Answers the request in a task of its own, which ends when this value says so.
  ///
  /// - Parameter body: answers the request.
  /// - Returns: the answer.
  package func run<Answer: Sendable>(
    _ body: @escaping @Sendable () async -> Answer
  ) async -> Answer {
    let task = Task { await Self.$current.withValue(self) { await body() } }
    let isCancelled = state.withLock { state in
      state.cancelTask = { task.cancel() }
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
    defer {
      Expiries.shared.remove(self)
      // The closure holds the task, which holds this.
      state.withLock { $0.cancelTask = nil }
    }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Ends the request, because its client has gone.
  package func cancel() { end(isOver: false) }

  /// Ends the request at a moment.
  package func expire(at moment: ContinuousClock.Instant) {
    Expiries.shared.add(self, at: moment)
  }

  /// Ends the request, also one that has not begun.
  fileprivate func end(isOver: Bool) {
    let cancelTask = state.withLock { state in
      state.isCancelled = true
      state.isOver = state.isOver || isOver
      return state.cancelTask
    }
    cancelTask?()
  }
}

/// The moments at which requests end.
private final class Expiries: Sendable {
  static let shared = Expiries()

  private struct State {
    var ends: [ObjectIdentifier: (end: RequestEnd, moment: ContinuousClock.Instant)] = [:]
    /// The moment at which the timer looks next; `nil` if it does not run.
    var next: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "forge.serving.expiry")

  func add(_ end: RequestEnd, at moment: ContinuousClock.Instant) {
    let isEarlier = state.withLock { state in
      state.ends[ObjectIdentifier(end)] = (end, moment)
      if let next = state.next, next <= moment { return false }
      state.next = moment
      return true
    }
    if isEarlier { wait(until: moment) }
  }

  func remove(_ end: RequestEnd) {
    state.withLock { _ = $0.ends.removeValue(forKey: ObjectIdentifier(end)) }
  }

  private func wait(until moment: ContinuousClock.Instant) {
    let time = max(moment - .now, .zero)
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(time.wholeNanoseconds))) { self.look() }
  }

  private func look() {
    let now = ContinuousClock.now
    let (over, next) = state.withLock { state -> ([RequestEnd], ContinuousClock.Instant?) in
      let over = state.ends.values.filter { $0.moment <= now }.map(\.end)
      for end in over { state.ends[ObjectIdentifier(end)] = nil }
      // An earlier timer may have looked already: then nothing has to be waited for again.
      guard let waiting = state.next, waiting <= now else { return (over, nil) }
      state.next = state.ends.values.map(\.moment).min()
      return (over, state.next)
    }
    for end in over { end.end(isOver: true) }
    if let next { wait(until: next) }
  }
}
