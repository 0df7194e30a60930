/// What stands behind every form of prediction: line, slots, threads. Docs/Architecture.md says why.
final class Engine<Network: NeuralNetwork>: Sendable {
  /// How examples are gathered into one slot.
  struct Batching {
    /// The most examples in a slot.
    let count: Int
    /// How long the first of them waits for others.
    let window: Nanoseconds

    static var none: Batching { Batching(count: 1, window: 0) }
  }

  struct State {
    var line = WaitingLine<Network>()
    var free: [InflightSlot<Network.Slot>]
    /// Threads that wait for work, and how many of them have been signalled and are on their way.
    var parked = 0
    var waking = 0
    /// Threads between taking work and asking for more.
    var busy = 0
    var isClosed = false
    /// Whether a timer will look after the window of the first in line.
    var hasWindowTimer = false
    /// Those who wait until nothing is left to do.
    var drainers: [CheckedContinuation<Void, Never>] = []
    var tally: Tally
  }

  let time: TimeSource
  let batching: Batching
  let stages: Stages<Network>
  private let monitor: Monitor<State>
  private let forks: Int

  /// Makes slots and threads.
  ///
  /// - Throws: ``RunnerError`` when the system gives no thread, or what making a slot throws.
  init(
    _ stages: Stages<Network>, slots count: Int, batching: Batching, time: TimeSource
  ) throws {
    self.time = time
    self.batching = batching
    self.stages = stages
    forks = ForkCount.current
    let free = try (0..<count).map { _ in InflightSlot(try stages.makeSlot()) }
    monitor = Monitor(State(free: free, tally: Tally()))
    for _ in 0..<count {
      guard WorkerThread.start({ [self] in work() }) else {
        close()
        throw RunnerError.noThread
      }
    }
  }

  /// Whether this process was forked off after the engine was made, so that it has no threads.
  private var isForked: Bool { ForkCount.current != forks }

  // MARK: Asking

  /// Puts a ticket in the line; its answer comes through `deliver`, once.
  func submit(_ ticket: Ticket<Network>, deliver: @escaping @Sendable (Ticket<Network>.Answer) -> Void)
  {
    guard !isForked else { return deliver(.failure(RunnerError.forked)) }
    let now = time.now
    let refusal: RunnerError? = monitor.withLock { state in
      if let reason = ticket.refusal { return RunnerError(reason) }
      if state.isClosed { return .closed }
      if ticket.deadline != .never, now >= ticket.deadline {
        state.tally.count(.deadlineExceeded)
        return .deadlineExceeded
      }
      ticket.submitted = now
      ticket.deliver = deliver
      ticket.phase = .waiting
      if ticket.deadline != .never { ticket.timer = deadlineTimer(ticket) }
      if state.line.count == 0, state.busy == 0 { state.tally.becameActive(at: now) }
      state.line.append(ticket)
      wake(&state, now: now)
      return nil
    }
    if let refusal { deliver(.failure(refusal)) }
  }

  /// Answers a ticket with an error at once, wherever it is; what runs stops at its next step.
  func cancel(_ ticket: Ticket<Network>, _ reason: StopSignal.Reason) {
    guard !isForked else { return }
    let ending: Ticket<Network>.Ending? = monitor.withLock { state in
      switch ticket.phase {
      case .over: return nil
      case .new:
        ticket.phase = .over
        ticket.refusal = reason
      case .waiting: state.line.remove(ticket)
      case .taken:
        guard let slot = ticket.slot else { break }
        slot.wanted -= 1
        if slot.wanted == 0 { slot.raised.pointee.store(reason.rawValue, ordering: .relaxed) }
      }
      state.tally.count(reason)
      let ending = ticket.end()
      settle(&state)
      return ending
    }
    ending?.answer(.failure(RunnerError(reason)))
  }

  private func deadlineTimer(_ ticket: Ticket<Network>) -> Task<Void, Never> {
    Task { [time, weak self] in
      // Cancelled when the ticket is over.
      guard (try? await time.sleep(until: ticket.deadline)) != nil else { return }
      self?.cancel(ticket, .deadlineExceeded)
    }
  }

  // MARK: Ending

  /// Takes no more tickets; what is in the line is still answered, then the threads end.
  func close() {
    guard !isForked else { return }
    monitor.withLock { state in
      state.isClosed = true
      monitor.broadcast()
    }
  }

  /// Waits until nothing is left to do.
  func drain() async {
    guard !isForked else { return }
    await withCheckedContinuation { continuation in
      monitor.withLock { state in
        state.drainers.append(continuation)
        settle(&state)
      }
    }
  }

  /// Lets those go who wait for the end of all work, when it has come.
  private func settle(_ state: inout State) {
    guard state.line.count == 0, state.busy == 0 else { return }
    state.tally.becameIdle(at: time.now)
    guard !state.drainers.isEmpty else { return }
    for continuation in state.drainers { continuation.resume() }
    state.drainers = []
  }

  // MARK: Watching

  /// What happened so far.
  var statistics: RunnerStatistics {
    guard !isForked else { return RunnerStatistics(Tally(), waiting: 0, now: 0) }
    return monitor.withLock { state in
      RunnerStatistics(state.tally, waiting: state.line.count, now: time.now)
    }
  }

  /// Forgets what happened so far.
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

  /// The slots that nobody uses.
  var freeCount: Int { monitor.withLock { $0.free.count } }

  /// The tickets that nobody has taken yet.
  var waitingCount: Int { monitor.withLock { $0.line.count } }

  // MARK: Working

  /// Wakes a thread when there is work for one.
  private func wake(_ state: inout State, now: Nanoseconds) {
    guard hasWork(state, now: now) else { return watchWindow(&state) }
    guard state.parked > state.waking else { return }
    state.waking += 1
    monitor.signal()
  }

  /// Whether a thread may take tickets: enough of them, or one that has waited for others long enough.
  private func hasWork(_ state: State, now: @autoclosure () -> Nanoseconds) -> Bool {
    guard let first = state.line.first, !state.free.isEmpty else { return false }
    if state.line.count >= batching.count || batching.window == 0 || state.isClosed { return true }
    return now() >= windowEnd(first.takeUnretainedValue())
  }

  private func windowEnd(_ ticket: Ticket<Network>) -> Nanoseconds {
    let (end, overflow) = ticket.submitted.addingReportingOverflow(batching.window)
    return overflow ? .max : end
  }

  /// Sees to it that the first in line does not wait for others longer than its window.
  private func watchWindow(_ state: inout State) {
    guard batching.window > 0, !state.hasWindowTimer, let first = state.line.first else { return }
    state.hasWindowTimer = true
    let end = windowEnd(first.takeUnretainedValue())
    Task { [time, weak self] in
      try? await time.sleep(until: end)
      self?.windowClosed()
    }
  }

  private func windowClosed() {
    monitor.withLock { state in
      state.hasWindowTimer = false
      wake(&state, now: time.now)
    }
  }

  /// A thread's life.
  private func work() {
    var tickets: [Ticket<Network>] = []
    var isBusy = false
    while let lease = next(&tickets, wasBusy: isBusy) {
      predict(tickets, in: lease)
      tickets.removeAll(keepingCapacity: true)
      isBusy = true
    }
  }

  /// What a thread does next.
  private enum Order {
    case use(InflightSlot<Network.Slot>)
    case end
  }

  /// Waits for work and takes it with a slot; `nil` at the end of the engine.
  private func next(_ tickets: inout [Ticket<Network>], wasBusy: Bool) -> SlotLease<Network>? {
    let order = monitor.wait { state, hasWaited -> Order? in
      if hasWaited {
        state.parked -= 1
        // A thread may wake without a signal; then another is signalled once too often.
        state.waking = max(state.waking - 1, 0)
      } else if wasBusy {
        state.busy -= 1
        settle(&state)
      }
      guard hasWork(state, now: time.now), let slot = state.free.popLast() else {
        if state.isClosed, state.line.count == 0 { return .end }
        watchWindow(&state)
        state.parked += 1
        return nil
      }
      take(&tickets, into: slot, &state)
      return .use(slot)
    }
    guard case .use(let slot) = order else { return nil }
    return SlotLease(slot, of: self)
  }

  /// Takes as many tickets as a slot holds.
  private func take(
    _ tickets: inout [Ticket<Network>], into slot: InflightSlot<Network.Slot>,
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

  /// Called by a lease that ends.
  func giveBack(_ slot: InflightSlot<Network.Slot>) {
    monitor.withLock { $0.free.append(slot) }
  }

  /// Takes all tickets out of their slot, counts them, and gives what answers them.
  ///
  /// Those that are over already, because they were cancelled, have no answer left to get.
  func end(
    _ tickets: [Ticket<Network>], times: [Tally.Times]
  ) -> [Ticket<Network>.Ending?] {
    monitor.withLock { state in
      state.tally.ended(tickets.count)
      return zip(tickets, times).map { ticket, times in
        guard ticket.phase == .taken else { return nil }
        state.tally.count(times)
        return ticket.end()
      }
    }
  }
}
