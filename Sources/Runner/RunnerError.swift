import ForgeShapes

/// An error of a runner.
public typealias RunnerError = ForgeError<RunnerErrorKind>

/// The kinds of ``RunnerError``.
public enum RunnerErrorKind: String, Hashable, Sendable {
  /// The batching window or a number of buffers, threads, examples or waiting inputs is out of
  /// range.
  case invalidCount
  /// The prediction was canceled before it was finished.
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
