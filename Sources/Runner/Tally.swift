/// The times at which the stages of the predictions in a slot begin and end.
struct StageMoments {
  let begun, encoded, ran, fetched: Nanoseconds
}

/// The measurements behind the statistics, guarded by the engine's lock.
struct Tally {
  private var counts = RunnerStatistics()
  private var latency = Histogram()
  private var waiting = Histogram()
  private var preparing = Histogram()
  private var running = Histogram()
  private var readingOut = Histogram()
  private var active: Nanoseconds = 0
  private var activeSince: Nanoseconds?

  /// The statistics at a moment.
  func statistics(waiting waitingNow: Int, at now: Nanoseconds) -> RunnerStatistics {
    var statistics = counts
    statistics.waitingNow = waitingNow
    statistics.latency = latency.times
    statistics.waiting = waiting.times
    statistics.preparing = preparing.times
    statistics.running = running.times
    statistics.readingOut = readingOut.times
    statistics.active = .nanoseconds(active + (activeSince.map { max(now - $0, 0) } ?? 0))
    return statistics
  }

  mutating func countDropped() { counts.dropped += 1 }

  /// Counts a prediction that ended without a result.
  mutating func count(_ error: any Error) {
    switch (error as? RunnerError)?.kind {
    case .cancelled: counts.cancelled += 1
    case .deadlineExceeded: counts.deadlineExceeded += 1
    default: counts.failed += 1
    }
  }

  /// Counts a prediction that was not canceled while in its slot.
  mutating func count(_ ticket: Ticket, at moments: StageMoments) {
    if let failure = ticket.failure { return count(failure) }
    counts.completed += 1
    latency.add(moments.fetched - ticket.submitted)
    waiting.add(moments.begun - ticket.submitted)
    preparing.add(moments.encoded - moments.begun)
    running.add(moments.ran - moments.encoded)
    readingOut.add(moments.fetched - moments.ran)
  }

  mutating func began(_ count: Int) {
    counts.inFlight += count
    counts.mostInFlight = max(counts.mostInFlight, counts.inFlight)
  }

  mutating func ended(_ count: Int) { counts.inFlight -= count }

  mutating func becameActive(at now: Nanoseconds) {
    if activeSince == nil { activeSince = now }
  }

  mutating func becameIdle(at now: Nanoseconds) {
    guard let since = activeSince else { return }
    active += max(now - since, 0)
    activeSince = nil
  }

  /// Resets all counts except those of predictions in flight.
  mutating func reset(at now: Nanoseconds) {
    let (inFlight, isActive) = (counts.inFlight, activeSince != nil)
    self = Tally()
    began(inFlight)
    activeSince = isActive ? now : nil
  }
}
