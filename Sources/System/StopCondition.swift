import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// When a running prediction is to stop: at a deadline, or when a flag is raised.
package struct StopCondition {
  /// The flag, not 0 once the prediction is to stop.
  package let flag: UnsafePointer<Atomic<Int32>>?
  /// The deadline in nanoseconds of `CLOCK_MONOTONIC`; `Int64.max` when there is none.
  package let deadline: Int64

  /// Creates a condition; by default it is never met.
  package init(flag: UnsafePointer<Atomic<Int32>>? = nil, deadline: Int64 = .max) {
    self.flag = flag
    self.deadline = deadline
  }

  /// Whether the prediction is to stop.
  package var isMet: Bool {
    if let flag, flag.pointee.load(ordering: .relaxed) != 0 { return true }
    return deadline != .max && Self.monotonicNanoseconds() >= deadline
  }

  /// The time of the machine's monotonic clock.
  package static func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
