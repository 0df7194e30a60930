import ForgeSystem

/// The core of every form of prediction: queue, slots, threads.
///
/// Docs/Engine/Runner.md explains the design.
final class Engine: Sendable {
  /// How examples are gathered into one slot.
  struct Batching {
    /// The most examples in a slot.
    let count: Int
    /// How long the first example waits for others.
    let window: Nanoseconds

    static var none: Batching { Batching(count: 1, window: 0) }
  }

  struct State {
    var line = WaitingLine()
    var free: [InflightSlot]
    /// Threads that wait for work.
    var parked = 0
    /// 1 while one of them has been signalled but has not woken yet.
    var waking = 0
    /// Threads that have taken work and not yet asked for more.
    var busy = 0
    var isClosed = false
    /// Expires when the batching window of the first ticket ends.
    var windowTimer: Task<Void, Never>?
    /// The continuations of callers that wait until all work is done.
    var drainers: [CheckedContinuation<Void, Never>] = []
    var tally: Tally
  }

  let time: TimeSource
  let batching: Batching
  /// Runs the examples in a slot.
  let run: @Sendable (InflightSlot, _ count: Int, borrowing StopSignal) throws -> Void
  private let monitor: Monitor<State>
  private let forks: Int

  /// Starts a thread for each slot.
  ///
  /// - Throws: ``RunnerError`` when the system cannot create a thread.
  init(
    slots: [InflightSlot], batching: Batching, time: TimeSource,
    run: @escaping @Sendable (InflightSlot, Int, borrowing StopSignal) throws -> Void
  ) throws(RunnerError) {
    self.time = time
    self.batching = batching
    self.run = run
    forks = ForkCount.current
    monitor = Monitor(State(free: slots, tally: Tally()))
    for _ in slots {
      guard WorkerThread.start({ [self] in work() }) else {
        close()
        throw .noThread
      }
    }
  }

  /// Whether this process was forked after the engine was created, so that it lacks the threads.
  private var isForked: Bool { ForkCount.current != forks }

  // MARK: Submitting

  /// Enqueues a ticket; it is answered exactly once.
  func submit(_ ticket: Ticket) {
    guard !isForked else { return ticket.answer(RunnerError.forked, latency: 0, waited: 0) }
    let now = time.now
    let refusal: RunnerError? = monitor.withLock { state in
      if let reason = ticket.refusal { return RunnerError(reason) }
      if state.isClosed { return .closed }
      if ticket.deadline != .never {
        if now >= ticket.deadline {
          state.tally.count(.deadlineExceeded)
          return .deadlineExceeded
        }
        ticket.timer = deadlineTimer(ticket)
      }
      ticket.submitted = now
      ticket.phase = .waiting
      if state.line.count == 0, state.busy == 0 { state.tally.becameActive(at: now) }
      state.line.append(ticket)
      wake(&state, now: now)
      return nil
    }
    if let refusal { ticket.answer(refusal, latency: 0, waited: 0) }
  }

  /// Answers a ticket with an error at once; a running prediction stops before its next step.
  func cancel(_ ticket: Ticket, _ reason: StopSignal.Reason) {
    guard !isForked else { return }
    let isOurs = monitor.withLock { state in
      let phase = ticket.phase
      guard phase != .over else { return false }
      ticket.phase = .over
      state.tally.count(reason)
      switch phase {
      case .new, .over:
        // `submit` answers it.
        ticket.refusal = reason
        return false
      case .waiting:
        state.line.remove(ticket)
        settle(&state)
      case .taken:
        guard let slot = ticket.slot.take() else { break }
        slot.wanted -= 1
        if slot.wanted == 0 { slot.raised.pointee.store(reason.rawValue, ordering: .relaxed) }
      }
      return true
    }
    guard isOurs else { return }
    ticket.timer?.cancel()
    ticket.answer(RunnerError(reason), latency: 0, waited: 0)
  }

  private func deadlineTimer(_ ticket: Ticket) -> Task<Void, Never> {
    Task { [time, weak self] in
      // The timer is cancelled when the ticket is over.
      guard (try? await time.sleep(until: ticket.deadline)) != nil else { return }
      self?.cancel(ticket, .deadlineExceeded)
    }
  }

  // MARK: Ending

  /// Rejects new tickets; the queued ones are still answered, then the threads end.
  func close() {
    guard !isForked else { return }
    monitor.withLock { state in
      state.isClosed = true
      monitor.broadcast()
    }
  }

  /// Waits until all work is done.
  func drain() async {
    guard !isForked else { return }
    await withCheckedContinuation { continuation in
      monitor.withLock { state in
        state.drainers.append(continuation)
        settle(&state)
      }
    }
  }

  /// Resumes the callers that wait until all work is done, if it is.
  private func settle(_ state: inout State) {
    guard state.line.count == 0, state.busy == 0 else { return }
    state.tally.becameIdle(at: time.now)
    guard !state.drainers.isEmpty else { return }
    for continuation in state.drainers { continuation.resume() }
    state.drainers = []
  }

  // MARK: Statistics

  /// The statistics so far.
  var statistics: RunnerStatistics {
    guard !isForked else { return RunnerStatistics(Tally(), waiting: 0, now: 0) }
    return monitor.withLock { state in
      RunnerStatistics(state.tally, waiting: state.line.count, now: time.now)
    }
  }

  /// Resets the statistics.
  func resetStatistics() {
    guard !isForked else { return }
    monitor.withLock { state in
      let isActive = state.line.count > 0 || state.busy > 0
      state.tally.reset(at: isActive ? time.now : nil)
    }
  }

  /// Counts inputs that a stream dropped.
  func countDropped(_ count: Int) {
    guard !isForked else { return }
    monitor.withLock { $0.tally.dropped += count }
  }

  /// The number of free slots.
  var freeCount: Int { isForked ? 0 : monitor.withLock { $0.free.count } }

  /// The number of queued tickets.
  var waitingCount: Int { isForked ? 0 : monitor.withLock { $0.line.count } }

  // MARK: Working

  /// Wakes a thread when there is work for one.
  private func wake(_ state: inout State, now: Nanoseconds) {
    guard hasWork(state, now: now) else { return watchWindow(&state) }
    // One thread at a time: it wakes the next if there is more work, which saves system calls.
    guard state.parked > 0, state.waking == 0 else { return }
    state.waking = 1
    monitor.signal()
  }

  /// Whether a thread may take tickets: enough for a batch, or the first has waited long enough.
  private func hasWork(_ state: State, now: @autoclosure () -> Nanoseconds) -> Bool {
    guard let first = state.line.first, !state.free.isEmpty else { return false }
    if state.line.count >= batching.count || batching.window == 0 || state.isClosed { return true }
    return now() >= windowEnd(first.takeUnretainedValue())
  }

  private func windowEnd(_ ticket: Ticket) -> Nanoseconds {
    let (end, overflow) = ticket.submitted.addingReportingOverflow(batching.window)
    return overflow ? .max : end
  }

  /// Starts a timer for the end of the first ticket's batching window.
  private func watchWindow(_ state: inout State) {
    guard batching.window > 0, state.windowTimer == nil, let first = state.line.first else {
      return
    }
    let end = windowEnd(first.takeUnretainedValue())
    state.windowTimer = Task { [time, weak self] in
      guard (try? await time.sleep(until: end)) != nil else { return }
      self?.windowClosed()
    }
  }

  private func windowClosed() {
    guard !isForked else { return }
    monitor.withLock { state in
      state.windowTimer = nil
      wake(&state, now: time.now)
    }
  }

  /// The loop of a thread.
  private func work() {
    var tickets: [Ticket] = []
    var isBusy = false
    while let lease = next(&tickets, wasBusy: isBusy) {
      predict(tickets, in: lease)
      tickets.removeAll(keepingCapacity: true)
      isBusy = true
    }
  }

  /// What a thread does next.
  private enum Order {
    case use(InflightSlot)
    case end(Task<Void, Never>?)
  }

  /// Waits for work and takes it with a slot; `nil` when the engine is closed.
  private func next(_ tickets: inout [Ticket], wasBusy: Bool) -> SlotLease? {
    let order = monitor.wait { state, hasWaited -> Order? in
      if hasWaited {
        state.parked -= 1
        // After a spurious wake-up, another thread may be signalled once more than needed.
        state.waking = 0
      } else if wasBusy {
        state.busy -= 1
        settle(&state)
      }
      guard hasWork(state, now: time.now), let slot = state.free.popLast() else {
        if state.isClosed, state.line.count == 0 { return .end(state.windowTimer) }
        watchWindow(&state)
        state.parked += 1
        return nil
      }
      take(&tickets, into: slot, &state)
      return .use(slot)
    }
    switch order {
    case .use(let slot): return SlotLease(slot, of: self)
    case .end(let timer):
      timer?.cancel()
      return nil
    }
  }

  /// Takes as many tickets as a slot holds.
  private func take(
    _ tickets: inout [Ticket], into slot: InflightSlot,
    _ state: inout State
  ) {
    while tickets.count < batching.count, let ticket = state.line.removeFirst() {
      ticket.phase = .taken
      ticket.slot = slot
      tickets.append(ticket)
    }
    slot.wanted = tickets.count
    slot.raised.pointee.store(0, ordering: .relaxed)
    state.busy += 1
    state.tally.began(tickets.count)
    // There may be work for another thread too.
    if state.line.count > 0 { wake(&state, now: time.now) }
  }

  /// Puts back the slot of a lease that ends.
  func giveBack(_ slot: InflightSlot) {
    monitor.withLock { $0.free.append(slot) }
  }

  /// Takes all tickets out of their slot and counts them.
  ///
  /// Tickets cancelled in the meantime have been answered; the caller answers the others.
  func end(_ tickets: [Ticket], times: (Ticket) -> Tally.Times) {
    monitor.withLock { state in
      state.tally.ended(tickets.count)
      for ticket in tickets where ticket.phase == .taken {
        ticket.phase = .over
        ticket.slot = nil
        ticket.isWorkersToAnswer = true
        state.tally.count(times(ticket))
      }
    }
  }
}
