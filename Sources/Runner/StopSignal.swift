import ForgeSystem
import Synchronization

/// Tells a running prediction whether to stop.
///
/// A network polls it between its steps. Polling reads one number, and the clock if the prediction
/// has a deadline. It takes no lock and makes no system call.
public struct StopSignal: ~Copyable {
  /// Why a prediction should stop.
  package enum Reason: Int32 {
    case cancelled = 1
    case deadlineExceeded = 2
  }

  let raised: UnsafeMutablePointer<Atomic<Int32>>?
  let deadline: Nanoseconds
  let time: TimeSource

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
    return deadline != .never && time.now() >= deadline ? .deadlineExceeded : nil
  }

  /// The signal in the form that a run loop polls.
  ///
  /// With a clock other than the machine's it has no deadline; a timer raises the flag instead.
  package var condition: StopCondition {
    StopCondition(
      flag: raised.map { UnsafePointer($0) }, deadline: time.isMachine ? deadline : .never)
  }
}
