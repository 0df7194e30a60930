import Synchronization

/// The condition for stopping a running prediction: a deadline or a raised flag.
package struct StopCondition {
  /// The flag; nonzero stops the prediction.
  package let flag: UnsafePointer<Atomic<Int32>>?
  /// The deadline in nanoseconds of `CLOCK_MONOTONIC`; `Int64.max` without one.
  package let deadline: Int64

  /// Creates a condition; by default it is never met.
  package init(flag: UnsafePointer<Atomic<Int32>>? = nil, deadline: Int64 = .max) {
    self.flag = flag
    self.deadline = deadline
  }

  /// Whether the prediction must stop.
  package var isMet: Bool {
    if let flag, flag.pointee.load(ordering: .relaxed) != 0 { return true }
    return deadline != .max && Self.monotonicNanoseconds() >= deadline
  }

  /// Returns the time of the monotonic clock in nanoseconds.
  package static func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
