import Synchronization

/// Tells a running prediction whether it is still wanted.
///
/// A network polls it between its steps. Polling reads one number, and the clock if the prediction
/// has a deadline. It takes no lock and makes no system call.
public struct StopSignal: ~Copyable {
  /// Why a prediction is no longer wanted.
  package enum Reason: Int32 {
    case cancelled = 1
    case deadlineExceeded = 2
  }

  private let raised: UnsafeMutablePointer<Atomic<Int32>>?
  private let deadlineMoment: Nanoseconds
  private let time: TimeSource

  init(
    raised: UnsafeMutablePointer<Atomic<Int32>>?, deadline: Nanoseconds, time: TimeSource
  ) {
    self.raised = raised
    self.deadlineMoment = deadline
    self.time = time
  }

  /// A signal that is never raised, for calling `run(_:until:)` directly.
  public static var never: StopSignal { StopSignal(raised: nil, deadline: .never, time: .machine) }

  /// Whether the prediction should stop.
  public var isRaised: Bool { reason != nil }

  /// Throws if the prediction should stop.
  ///
  /// - Throws: ``RunnerError`` of kind `cancelled` or `deadlineExceeded` when it should stop.
  public func check() throws(RunnerError) {
    if let reason { throw RunnerError(reason) }
  }

  private var reason: Reason? {
    if let raised, let reason = Reason(rawValue: raised.pointee.load(ordering: .relaxed)) {
      return reason
    }
    return deadlineMoment != .never && time.now >= deadlineMoment ? .deadlineExceeded : nil
  }

  /// The flag for C code, not 0 once the signal is raised.
  package var flag: UnsafePointer<Int32>? {
    raised.map { UnsafeRawPointer($0).assumingMemoryBound(to: Int32.self) }
  }

  /// The deadline for C code in nanoseconds of `CLOCK_MONOTONIC`.
  ///
  /// It is `Int64.max` when there is none, or when the clock is not the machine's (a timer then
  /// raises the flag).
  package var deadline: Int64 { time.isMachine ? deadlineMoment : .never }
}
