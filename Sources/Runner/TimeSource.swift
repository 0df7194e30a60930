import ForgeSystem

/// Nanoseconds of a clock since a fixed moment.
package typealias Nanoseconds = Int64

extension Nanoseconds {
  /// A moment that is never reached.
  package static var never: Nanoseconds { .max }

  /// The sum, clamped to 64 bits.
  func adding(_ duration: Nanoseconds) -> Nanoseconds {
    Nanoseconds(clamping: Int128(self) + Int128(duration))
  }
}

/// The clock of a runner: the machine's monotonic clock, or another one, as for tests.
struct TimeSource: Sendable {
  /// Whether ``now`` is the time of `CLOCK_MONOTONIC`, which C code can read itself.
  let isMachine: Bool
  /// Returns the current time.
  let now: @Sendable () -> Nanoseconds
  /// Suspends until a moment, or throws when the task is canceled.
  let sleep: @Sendable (_ moment: Nanoseconds) async throws -> Void

  /// The machine's monotonic clock.
  static let machine = TimeSource(ContinuousClock())

  /// Creates a time source from a clock.
  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    isMachine = clock is ContinuousClock
    if isMachine {
      now = { StopCondition.monotonicNanoseconds() }
      sleep = { moment in
        let left = Duration.nanoseconds(max(moment - StopCondition.monotonicNanoseconds(), 0))
        try await Task.sleep(for: left, tolerance: .zero, clock: .continuous)
      }
    } else {
      let origin = clock.now
      now = { origin.duration(to: clock.now).nanoseconds }
      sleep = {
        try await clock.sleep(until: origin.advanced(by: .nanoseconds($0)), tolerance: nil)
      }
    }
  }
}

extension Duration {
  /// The duration in whole nanoseconds, clamped to 64 bits.
  var nanoseconds: Nanoseconds { Nanoseconds(clamping: attoseconds / 1_000_000_000) }
}
