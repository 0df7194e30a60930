import Foundation

/// A clock that stands still until a test moves it.
final class TestClock: Clock, @unchecked Sendable {
  /// A moment of the clock.
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private let lock = NSLock()
  private var time = Instant(offset: .zero)
  private var sleepers: [Int: Sleeper] = [:]
  private var cancelled: Set<Int> = []
  private var lastSleeper = 0

  /// The present.
  var now: Instant { locked { time } }

  /// How finely it counts.
  var minimumResolution: Duration { .nanoseconds(1) }

  /// The number of tasks that sleep.
  var sleeperCount: Int { locked { sleepers.count } }

  /// The number of times that a task has gone to sleep.
  var sleepCount: Int { locked { lastSleeper } }

  /// Moves the clock and wakes those whose time has come.
  func advance(by duration: Duration) {
    let due = locked {
      time = time.advanced(by: duration)
      let due = sleepers.filter { $0.value.deadline <= time }
      for key in due.keys { sleepers[key] = nil }
      return Array(due.values)
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Suspends until the clock is moved to `deadline`.
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = locked {
      lastSleeper += 1
      return lastSleeper
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        let answer: Result<Void, any Error>? = locked {
          if cancelled.remove(number) != nil { return .failure(CancellationError()) }
          if deadline <= time { return .success(()) }
          sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
          return nil
        }
        if let answer { continuation.resume(with: answer) }
      }
    } onCancel: {
      let sleeper = locked {
        let sleeper = sleepers.removeValue(forKey: number)
        if sleeper == nil { cancelled.insert(number) }
        return sleeper
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }
}
