/// The time by which a prediction must finish; otherwise it fails.
public struct Deadline: Hashable, Sendable {
  private enum Meaning: Hashable {
    case after(Duration)
    case at(ContinuousClock.Instant)
  }

  private let meaning: Meaning

  /// A deadline relative to the request, by the runner's clock.
  ///
  /// - Parameter duration: the maximum latency, including waiting.
  /// - Returns: the deadline.
  public static func after(_ duration: Duration) -> Deadline { Deadline(meaning: .after(duration)) }

  /// A deadline at an instant of the continuous clock.
  ///
  /// - Parameter instant: the latest time for the result.
  /// - Returns: the deadline.
  public static func at(_ instant: ContinuousClock.Instant) -> Deadline {
    Deadline(meaning: .at(instant))
  }

  /// The time left when the prediction is requested.
  fileprivate var left: Duration {
    switch meaning {
    case .after(let duration): duration
    case .at(let instant): ContinuousClock.now.duration(to: instant)
    }
  }
}

extension TimeSource {
  /// The absolute time of a deadline for a prediction requested now.
  func moment(of deadline: Deadline?) -> Nanoseconds {
    deadline.map { now().adding($0.left.nanoseconds) } ?? .never
  }
}
