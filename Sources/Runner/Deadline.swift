/// The time by which a prediction must finish, or it fails.
public struct Deadline: Hashable, Sendable {
  private enum Meaning: Hashable {
    case after(Duration)
    case at(ContinuousClock.Instant)
  }

  private let meaning: Meaning

  /// A deadline relative to the request, by the runner's clock.
  ///
  /// - Parameter duration: the time it may take, waiting included.
  /// - Returns: the deadline.
  public static func after(_ duration: Duration) -> Deadline { Deadline(meaning: .after(duration)) }

  /// An instant of the continuous clock.
  ///
  /// - Parameter instant: the latest time for the result.
  /// - Returns: the deadline.
  public static func at(_ instant: ContinuousClock.Instant) -> Deadline {
    Deadline(meaning: .at(instant))
  }

  /// The time left at the request.
  fileprivate var left: Duration {
    switch meaning {
    case .after(let duration): duration
    case .at(let instant): ContinuousClock.now.duration(to: instant)
    }
  }
}

extension TimeSource {
  /// The moment of a deadline that is requested now.
  func moment(of deadline: Deadline?) -> Nanoseconds {
    deadline.map { now().adding($0.left.nanoseconds) } ?? .never
  }
}
