import ForgeSystem

/// The core of all kinds of prediction: queue, slots and threads.
///
/// Docs/Engine/Runner.md explains the design.
final class Engine: Sendable {
  struct State {
    var line = TicketQueue()
    var free: [InflightSlot]
    /// Threads that wait for work.
    var parked = 0
    /// Whether a parked thread has been signaled but has not woken yet.
    var isWaking = false
    /// Threads that are processing work.
    var busy = 0
    var isClosed = false
    var deadlines = DeadlineQueue()
    /// Sleeps until the earliest deadline, or until an earlier one than that.
    var alarm: (moment: Nanoseconds, task: Task<Void, Never>)?
    /// Expires when the batching window of the first ticket ends.
    var windowTimer: Task<Void, Never>?
    /// The continuations of callers of `drain()`.
    var drainers: [CheckedContinuation<Void, Never>] = []
    var tally = Tally()
  }

  let time: TimeSource
  /// The maximum number of examples in a slot.
  let batch: Int
  /// How long the first example of a slot waits for others.
  private let window: Nanoseconds
  /// Runs the examples in a slot.
  let run: @Sendable (InflightSlot, _ count: Int, borrowing StopSignal) throws -> Void
  private let monitor: Monitor<State>
  private let forks = ForkCount.current

  /// Starts a thread for each slot.
  ///
  /// - Throws: ``RunnerError`` when the system cannot create a thread.
  init(
    slots: [InflightSlot], batch: Int, window: Nanoseconds, time: TimeSource,
    run: @escaping @Sendable (InflightSlot, Int, borrowing StopSignal) throws -> Void
  ) throws(RunnerError) {
    self.time = time
    self.batch = batch
    self.window = window
    self.run = run
    monitor = Monitor(State(free: slots))
    for _ in slots {
      guard WorkerThread.start({ [self] in work() }) else {
        close()
        throw .noThread
      }
    }
  }

  /// Ends the sleep until a deadline, which may be hours away, and which keeps the clock.
  deinit { locked { $0.alarm.take() }??.task.cancel() }

  /// Whether this process was forked after the engine was created, and so lacks its threads.
  private var isForked: Bool { ForkCount.current != forks }

  /// Runs `body` under the lock; returns `nil` in a forked process.
  @discardableResult
  private func locked<Result>(_ body: (inout State) -> Result) -> Result? {
    isForked ? nil : monitor.withLock(body)
  }

  /// A task that calls `body` at a moment, unless it is canceled or the engine has been released.
  private func timer(
    until moment: Nanoseconds, _ body: @escaping @Sendable (Engine) -> Void
  ) -> Task<Void, Never> {
    Task { [time, weak self] in
      guard (try? await time.sleep(moment)) != nil, let self else { return }
      body(self)
    }
  }

  // MARK: Submitting

  /// Enqueues a ticket; it is answered exactly once.
  func submit(_ ticket: Ticket) {
    guard !isForked else { return ticket.answer(RunnerError.forked) }
    let now = time.now()
    let refusal = monitor.withLock { state -> RunnerError? in
      if ticket.phase == .over { return .cancelled }
      if state.isClosed { return .closed }
      if ticket.deadline != .never {
        if now >= ticket.deadline {
          state.tally.count(RunnerError.deadlineExceeded)
          return .deadlineExceeded
        }
      }
      ticket.submitted = now
      ticket.phase = .waiting
      if ticket.deadline != .never {
        state.deadlines.add(ticket)
        setAlarm(&state)
      }
      state.tally.becameActive(at: now)
      state.line.append(ticket)
      wake(&state)
      return nil
    }
    if let refusal { ticket.answer(refusal) }
  }

  /// Answers a ticket with an error at once; a running prediction stops before its next step.
  func cancel(_ ticket: Ticket, _ reason: StopSignal.Reason) {
    let error = RunnerError(reason)
    let isOurs = locked { state in
      let phase = ticket.phase
      guard phase != .over else { return false }
      ticket.phase = .over
      if phase != .new { noteAnswer(to: ticket, &state) }
      state.tally.count(error)
      if phase == .waiting {
        state.line.remove(ticket)
        settle(&state)
      } else if let slot = ticket.slot.take() {
        slot.wanted -= 1
        if slot.wanted == 0 { slot.raised.pointee.store(reason.rawValue, ordering: .relaxed) }
      }
      // A ticket that is not submitted yet is answered by `submit`.
      return phase != .new
    }
    guard isOurs == true else { return }
    ticket.answer(error)
  }

  /// Lets a task sleep until the earliest deadline, unless one wakes by then.
  ///
  /// A sleeping task that is canceled keeps its memory until its moment. So there is one for all
  /// deadlines, and it sleeps on when a ticket is answered.
  private func setAlarm(_ state: inout State) {
    guard let moment = state.deadlines.earliest() else { return }
    if let alarm = state.alarm {
      guard moment < alarm.moment else { return }
      alarm.task.cancel()
    }
    state.alarm = (
      moment,
      timer(until: moment) { engine in
        let overdue = engine.locked { state -> [Ticket] in
          // An alarm for an earlier deadline may have taken the place of this one.
          if state.alarm?.moment == moment { state.alarm = nil }
          let overdue = state.deadlines.takeOverdue(at: engine.time.now())
          engine.setAlarm(&state)
          return overdue
        }
        for ticket in overdue ?? [] { engine.cancel(ticket, .deadlineExceeded) }
      }
    )
  }

  /// Notes that a ticket is over, which was submitted.
  private func noteAnswer(to ticket: Ticket, _ state: inout State) {
    if ticket.deadline != .never { state.deadlines.noteAnswer() }
  }

  // MARK: Ending

  /// Rejects new tickets; the queued ones are still answered, then the threads end.
  func close() {
    guard !isForked else { return }
    let timer = monitor.withLock { state in
      state.isClosed = true
      monitor.broadcast()
      return state.windowTimer.take()
    }
    timer?.cancel()
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

  /// Resumes the callers of `drain()` if all work is done.
  private func settle(_ state: inout State) {
    guard state.line.count == 0, state.busy == 0 else { return }
    state.tally.becameIdle(at: time.now())
    for continuation in state.drainers { continuation.resume() }
    state.drainers = []
  }

  // MARK: Statistics

  var statistics: RunnerStatistics {
    locked { $0.tally.statistics(waiting: $0.line.count, at: time.now()) } ?? RunnerStatistics()
  }

  func resetStatistics() { locked { $0.tally.reset(at: time.now()) } }

  /// Counts a prediction that ended before it was submitted.
  func count(_ error: any Error) { locked { $0.tally.count(error) } }

  func countDropped() { locked { $0.tally.countDropped() } }

  var freeCount: Int { locked { $0.free.count } ?? 0 }

  var waitingCount: Int { locked { $0.line.count } ?? 0 }

  // MARK: Working

  /// Wakes a thread when there is work for one.
  private func wake(_ state: inout State) {
    guard hasWork(state) else { return watchWindow(&state) }
    // Wakes one thread at a time, to save system calls; it wakes the next if there is more work.
    guard state.parked > 0, !state.isWaking else { return }
    state.isWaking = true
    monitor.signal()
  }

  /// Whether a thread may take tickets: enough for a batch, or the first has waited long enough.
  private func hasWork(_ state: State) -> Bool {
    guard let first = state.line.first, !state.free.isEmpty else { return false }
    if state.line.count >= batch || window == 0 || state.isClosed { return true }
    return time.now() >= first.submitted.adding(window)
  }

  /// Starts a timer for the end of the first ticket's batching window.
  private func watchWindow(_ state: inout State) {
    guard window > 0, !state.isClosed, state.windowTimer == nil, let first = state.line.first
    else { return }
    state.windowTimer = timer(until: first.submitted.adding(window)) { engine in
      engine.locked { state in
        state.windowTimer = nil
        engine.wake(&state)
      }
    }
  }

  /// The loop of a thread.
  private func work() {
    var tickets: [Ticket] = []
    var isBusy = false
    while let slot = next(&tickets, wasBusy: isBusy) {
      predict(tickets, in: slot)
      tickets.removeAll(keepingCapacity: true)
      isBusy = true
    }
  }

  /// Waits for work and takes it with a slot; returns `nil` when the engine is closed.
  private func next(_ tickets: inout [Ticket], wasBusy: Bool) -> InflightSlot? {
    var slot: InflightSlot?
    monitor.wait { state, hasWaited in
      if hasWaited {
        state.parked -= 1
        // After a spurious wake-up, one signal may be redundant.
        state.isWaking = false
      } else if wasBusy {
        state.busy -= 1
        settle(&state)
      }
      if hasWork(state), let free = state.free.popLast() {
        take(&tickets, into: free, &state)
        slot = free
        return true
      }
      if state.isClosed, state.line.count == 0 { return true }
      watchWindow(&state)
      state.parked += 1
      return false
    }
    return slot
  }

  /// Moves up to `batch` tickets from the queue into a slot.
  private func take(_ tickets: inout [Ticket], into slot: InflightSlot, _ state: inout State) {
    while tickets.count < batch, let ticket = state.line.removeFirst() {
      ticket.phase = .taken
      ticket.slot = slot
      tickets.append(ticket)
    }
    slot.wanted = tickets.count
    slot.raised.pointee.store(0, ordering: .relaxed)
    state.busy += 1
    state.tally.began(tickets.count)
    // There may be work for another thread too.
    wake(&state)
  }

  /// Takes all tickets out of their slot, counts them and frees the slot.
  ///
  /// Tickets canceled in the meantime have been answered; the caller answers the others.
  func end(_ tickets: [Ticket], in slot: InflightSlot, at moments: StageMoments) {
    monitor.withLock { state in
      state.free.append(slot)
      state.tally.ended(tickets.count)
      for ticket in tickets where ticket.phase == .taken {
        ticket.phase = .over
        noteAnswer(to: ticket, &state)
        ticket.slot = nil
        ticket.isWorkersToAnswer = true
        state.tally.count(ticket, at: moments)
      }
    }
  }
}
