/// The statistics of a runner since it was created or its statistics were reset.
public struct RunnerStatistics: Sendable {
  /// The distribution of a duration over all finished predictions.
  ///
  /// Percentiles are at most 1/32 too large.
  public struct Times: Sendable, Hashable {
    /// The number of measurements.
    public let count: Int
    /// The mean.
    public let mean: Duration
    /// The median.
    public let p50: Duration
    /// The 90th percentile.
    public let p90: Duration
    /// The 99th percentile.
    public let p99: Duration
    /// The maximum.
    public let maximum: Duration

    init(_ histogram: Histogram) {
      count = Int(clamping: histogram.count)
      mean = .nanoseconds(
        histogram.count == 0 ? 0 : Nanoseconds(histogram.sum / Double(histogram.count)))
      p50 = .nanoseconds(histogram.percentile(0.5))
      p90 = .nanoseconds(histogram.percentile(0.9))
      p99 = .nanoseconds(histogram.percentile(0.99))
      maximum = .nanoseconds(histogram.maximum)
    }
  }

  /// Predictions that returned a result.
  public let completed: Int
  /// Predictions in which the network threw.
  public let failed: Int
  /// Predictions whose caller cancelled them.
  public let cancelled: Int
  /// Predictions whose deadline passed first.
  public let deadlineExceeded: Int
  /// Inputs of streams that were dropped.
  public let dropped: Int
  /// Predictions in a slot now.
  public let inFlight: Int
  /// The most predictions that were in slots at once.
  public let mostInFlight: Int
  /// Predictions that wait for a slot now.
  public let waitingNow: Int
  /// From the request to the result.
  public let latency: Times
  /// From the request to the slot.
  public let waiting: Times
  /// The time to write the input into the slot.
  public let preparing: Times
  /// The time to run the network.
  public let running: Times
  /// The time to read the result from the slot.
  public let readingOut: Times
  /// The time during which there was work.
  public let active: Duration

  /// Results per second of active time.
  public var throughput: Double {
    let seconds = active / .seconds(1)
    return seconds > 0 ? Double(completed) / seconds : 0
  }

  init(_ tally: Tally, waiting waitingNow: Int, now: Nanoseconds) {
    completed = tally.completed
    failed = tally.failed
    cancelled = tally.cancelled
    deadlineExceeded = tally.deadlineExceeded
    dropped = tally.dropped
    inFlight = tally.inFlight
    mostInFlight = tally.mostInFlight
    self.waitingNow = waitingNow
    latency = Times(tally.latency)
    waiting = Times(tally.waiting)
    preparing = Times(tally.preparing)
    running = Times(tally.running)
    readingOut = Times(tally.readingOut)
    active = .nanoseconds(tally.active + (tally.activeSince.map { max(now - $0, 0) } ?? 0))
  }
}

/// The counts behind the statistics, guarded by the engine's lock.
struct Tally {
  /// How an awaited prediction ended.
  enum Outcome {
    case completed
    case failed
    case cancelled
    case deadlineExceeded

    init(_ error: (any Error)?) {
      guard let error else {
        self = .completed
        return
      }
      switch (error as? RunnerError)?.kind {
      case .cancelled: self = .cancelled
      case .deadlineExceeded: self = .deadlineExceeded
      default: self = .failed
      }
    }
  }

  /// The outcome and times of one prediction.
  struct Times {
    let outcome: Outcome
    let latency, waiting, preparing, running, readingOut: Nanoseconds
  }

  var completed = 0
  var failed = 0
  var cancelled = 0
  var deadlineExceeded = 0
  var dropped = 0
  var inFlight = 0
  var mostInFlight = 0
  var latency = Histogram()
  var waiting = Histogram()
  var preparing = Histogram()
  var running = Histogram()
  var readingOut = Histogram()
  var active: Nanoseconds = 0
  var activeSince: Nanoseconds?

  mutating func count(_ reason: StopSignal.Reason) {
    switch reason {
    case .cancelled: cancelled += 1
    case .deadlineExceeded: deadlineExceeded += 1
    }
  }

  mutating func count(_ times: Times) {
    switch times.outcome {
    case .failed: failed += 1
    case .cancelled: cancelled += 1
    case .deadlineExceeded: deadlineExceeded += 1
    case .completed:
      completed += 1
      latency.add(times.latency)
      waiting.add(times.waiting)
      preparing.add(times.preparing)
      running.add(times.running)
      readingOut.add(times.readingOut)
    }
  }

  mutating func began(_ count: Int) {
    inFlight += count
    mostInFlight = max(mostInFlight, inFlight)
  }

  mutating func ended(_ count: Int) { inFlight -= count }

  mutating func becameActive(at now: Nanoseconds) {
    if activeSince == nil { activeSince = now }
  }

  mutating func becameIdle(at now: Nanoseconds) {
    guard let since = activeSince else { return }
    active += max(now - since, 0)
    activeSince = nil
  }

  mutating func reset(at now: Nanoseconds?) {
    let inFlight = inFlight
    self = Tally()
    self.inFlight = inFlight
    mostInFlight = inFlight
    activeSince = now
  }
}
