extension RunnerError {
  static func invalidCount(
    _ name: String, _ count: Int, least: Int = 1, most: Int = .max
  ) -> RunnerError {
    let isTooLarge = count > most
    let rule = isTooLarge ? "is too large" : "must be \(least > 0 ? "positive" : "0 or more")"
    return RunnerError(
      .invalidCount, "\(name) \(rule)", received: "\(name): \(count)",
      needs: isTooLarge ? "at most \(most)" : "at least \(least)")
  }

  static func invalidWindow(_ window: Duration) -> RunnerError {
    RunnerError(
      .invalidCount, "the window of a batch must not be negative", received: "within: \(window)",
      needs: "at least 0 seconds")
  }

  static var cancelled: RunnerError {
    RunnerError(.cancelled, "the prediction was canceled before it was finished")
  }

  static var deadlineExceeded: RunnerError {
    RunnerError(.deadlineExceeded, "the deadline passed before the prediction was finished")
  }

  static var closed: RunnerError {
    RunnerError(.closed, "the runner is closed and accepts no more predictions")
  }

  static var forked: RunnerError {
    RunnerError(
      .forked, "the runner has no threads in a forked process", remedy: "make a Runner after fork")
  }

  static var noThread: RunnerError {
    RunnerError(.noThread, "the system did not create a thread for the runner")
  }

  init(_ reason: StopSignal.Reason) {
    self =
      switch reason {
      case .cancelled: .cancelled
      case .deadlineExceeded: .deadlineExceeded
      }
  }
}
