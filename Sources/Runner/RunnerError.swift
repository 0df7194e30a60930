/// An error of a runner.
public struct RunnerError: Error, Sendable, CustomStringConvertible {
  /// The kinds of errors.
  public enum Kind: String, Hashable, Sendable {
    /// A number of buffers, threads, examples or waiting inputs, or the batching window, is out of
    /// range.
    case invalidCount
    /// The prediction was cancelled before it was finished.
    case cancelled
    /// The deadline passed before the prediction was finished.
    case deadlineExceeded
    /// The runner is shut down.
    case closed
    /// The runner was created before this process was forked.
    case forked
    /// The system could not create a thread.
    case noThread
  }

  /// The kind of error.
  public let kind: Kind
  /// The error as text.
  public let description: String

  static func invalidCount(
    _ name: String, _ count: Int, least: Int = 1, most: Int = .max
  ) -> RunnerError {
    let isTooLarge = count > most
    return RunnerError(
      kind: .invalidCount,
      description: """
        \(name) \(isTooLarge ? "is too large" : "must be \(least > 0 ? "positive" : "0 or more")")
          received  \(name): \(count)
          needs     \(isTooLarge ? "at most \(most)" : "at least \(least)")
        """)
  }

  static func invalidWindow(_ window: Duration) -> RunnerError {
    RunnerError(
      kind: .invalidCount,
      description: """
        the window of a batch must not be negative
          received  within: \(window)
          needs     at least 0 seconds
        """)
  }

  static let cancelled = RunnerError(
    kind: .cancelled, description: "the prediction was cancelled before it was finished")

  static let deadlineExceeded = RunnerError(
    kind: .deadlineExceeded,
    description: "the deadline came before the prediction was finished")

  static let closed = RunnerError(
    kind: .closed, description: "the runner is closed and takes no more predictions")

  static let forked = RunnerError(
    kind: .forked,
    description: """
      the runner has no threads in a forked process
        remedy    make a Runner after fork
      """)

  static let noThread = RunnerError(
    kind: .noThread, description: "the system gave no thread for the runner")

  init(kind: Kind, description: String) {
    self.kind = kind
    self.description = description
  }

  init(_ reason: StopSignal.Reason) {
    self =
      switch reason {
      case .cancelled: .cancelled
      case .deadlineExceeded: .deadlineExceeded
      }
  }
}
