import ForgeSystem

/// Nanoseconds of a clock since a fixed moment.
typealias Nanoseconds = Int64

extension Nanoseconds {
  /// The moment that is never reached.
  static var never: Nanoseconds { .max }
}

/// The clock of a runner: the machine's monotonic one, or one that a test drives.
struct TimeSource: Sendable {
  /// The current time, and a sleep until a moment; `nil` for the machine's clock.
  private let injected: Injected?

  private struct Injected: Sendable {
    let now: @Sendable () -> Nanoseconds
    let sleep: @Sendable (Nanoseconds) async throws -> Void
  }

  /// The machine's monotonic clock.
  static let machine = TimeSource(injected: nil)

  private init(injected: Injected?) { self.injected = injected }

  /// Creates a time source from another clock.
  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    guard !(clock is ContinuousClock) else {
      injected = nil
      return
    }
    let origin = clock.now
    injected = Injected(
      now: { origin.duration(to: clock.now).nanoseconds },
      sleep: { try await clock.sleep(until: origin.advanced(by: .nanoseconds($0)), tolerance: nil) }
    )
  }

  /// Whether ``now`` is the time of `CLOCK_MONOTONIC`, which C code can read itself.
  var isMachine: Bool { injected == nil }

  /// The current time.
  var now: Nanoseconds {
    guard let injected else { return StopCondition.monotonicNanoseconds() }
    return injected.now()
  }

  /// Suspends until a moment, or throws when the task is cancelled.
  func sleep(until moment: Nanoseconds) async throws {
    if let injected { return try await injected.sleep(moment) }
    let left = Duration.nanoseconds(max(moment - now, 0))
    try await Task.sleep(for: left, tolerance: .zero, clock: .continuous)
  }
}

extension Duration {
  /// The duration in whole nanoseconds, clamped to 64 bits.
  var nanoseconds: Nanoseconds {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowed ? (seconds < 0 ? .min : .max) : sum
  }
}
