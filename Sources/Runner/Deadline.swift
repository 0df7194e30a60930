/// A time by which a prediction must be there, or it fails.
public struct Deadline: Hashable, Sendable {
  private enum Meaning: Hashable {
    case after(Duration)
    case at(ContinuousClock.Instant)
  }

  private let meaning: Meaning

  /// So long after the prediction is asked for, by the runner's clock.
  ///
  /// - Parameter duration: the time it may take, waiting included.
  /// - Returns: the deadline.
  public static func after(_ duration: Duration) -> Deadline { Deadline(meaning: .after(duration)) }

  /// An instant of the continuous clock.
  ///
  /// - Parameter instant: when the prediction must be there.
  /// - Returns: the deadline.
  public static func at(_ instant: ContinuousClock.Instant) -> Deadline {
    Deadline(meaning: .at(instant))
  }

  /// The moment on a clock that now stands at `now`.
  func moment(from now: Nanoseconds) -> Nanoseconds {
    let left =
      switch meaning {
      case .after(let duration): duration
      case .at(let instant): ContinuousClock.now.duration(to: instant)
      }
    let (moment, overflow) = now.addingReportingOverflow(left.nanoseconds)
    return overflow ? (left < .zero ? .min : .never) : moment
  }
}
