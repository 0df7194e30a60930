/// The statistics of a runner since it was created or its statistics were reset.
public struct RunnerStatistics: Sendable {
  /// The distribution of a duration over all completed predictions.
  ///
  /// Percentiles are at most 1/32 too large.
  public struct Times: Sendable, Hashable {
    /// The number of measurements.
    public internal(set) var count = 0
    /// The mean.
    public internal(set) var mean = Duration.zero
    /// The median.
    public internal(set) var p50 = Duration.zero
    /// The 90th percentile.
    public internal(set) var p90 = Duration.zero
    /// The 99th percentile.
    public internal(set) var p99 = Duration.zero
    /// The maximum.
    public internal(set) var maximum = Duration.zero
  }

  /// Predictions that returned a result.
  public internal(set) var completed = 0
  /// Predictions that failed with any other error, such as one from the network.
  public internal(set) var failed = 0
  /// Predictions whose caller canceled them.
  public internal(set) var cancelled = 0
  /// Predictions whose deadline passed first.
  public internal(set) var deadlineExceeded = 0
  /// Inputs of streams that were dropped.
  public internal(set) var dropped = 0
  /// Predictions currently in a slot.
  public internal(set) var inFlight = 0
  /// The maximum number of predictions in slots at once.
  public internal(set) var mostInFlight = 0
  /// Predictions currently waiting for a slot.
  public internal(set) var waitingNow = 0
  /// The time from the request to the result.
  public internal(set) var latency = Times()
  /// The time from the request to receiving a slot.
  public internal(set) var waiting = Times()
  /// The time to write the input into the slot.
  public internal(set) var preparing = Times()
  /// The time to run the network.
  public internal(set) var running = Times()
  /// The time to read the result from the slot.
  public internal(set) var readingOut = Times()
  /// The time during which predictions were waiting or running.
  public internal(set) var active = Duration.zero

  /// Results per second of active time.
  public var throughput: Double {
    let seconds = active / .seconds(1)
    return seconds > 0 ? Double(completed) / seconds : 0
  }
}

extension RunnerStatistics: CustomStringConvertible {
  /// The statistics in two lines: the predictions, and how long they took.
  ///
  /// ```
  /// 1200 completed, 0 failed, 0 canceled, 3 late, 0 dropped, 2 running, 5 waiting, 412.7/s
  /// latency 4.1 ms p50, 6.0 ms p90, 9.2 ms p99, 14.8 ms most; waiting 2.0 ms, running 2.1 ms
  /// ```
  /// The last two times are means.
  public var description: String {
    let counts =
      "\(completed) completed, \(failed) failed, \(cancelled) canceled, \(deadlineExceeded) late, "
      + "\(dropped) dropped, \(inFlight) running, \(waitingNow) waiting, \(throughput.tenths)/s"
    let percentiles = [
      (latency.p50, "p50"), (latency.p90, "p90"), (latency.p99, "p99"), (latency.maximum, "most"),
    ].map { "\($0.milliseconds) \($1)" }.joined(separator: ", ")
    return counts + "\nlatency \(percentiles); waiting \(waiting.mean.milliseconds), "
      + "running \(running.mean.milliseconds)"
  }
}

extension Duration {
  /// The time as `4.1 ms`.
  fileprivate var milliseconds: String { "\((self / .milliseconds(1)).tenths) ms" }
}

extension Double {
  /// The number with one decimal.
  fileprivate var tenths: String {
    guard isFinite, abs(self) < 1e15 else { return "\(self)" }
    return "\((self * 10).rounded() / 10)"
  }
}
