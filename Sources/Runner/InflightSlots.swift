import Synchronization

/// The slots of a runner: given back without fail, and waited for in order.
final class InflightSlots<Slot>: Sendable {
  /// The right to use one slot, which comes back when the lease ends, however it ends.
  struct Lease: ~Copyable {
    private let owner: InflightSlots
    let slot: Slot

    fileprivate init(_ slot: Slot, of owner: InflightSlots) {
      self.slot = slot
      self.owner = owner
    }

    deinit { owner.giveBack(slot) }
  }

  private struct State: ~Copyable {
    // A slot need not be Sendable: it is here, or in exactly one lease.
    nonisolated(unsafe) var free: [Slot]
    /// The slots in `free` that are promised to tasks which have not resumed yet.
    var granted = 0
    // While somebody waits, every free slot is promised.
    /// Those who wait, by ticket.
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    /// The tickets of cancelled tasks that have not begun to wait, or need not any more.
    var cancelled: Set<Int> = []
    /// Tickets are drawn on arrival, so that the lowest one comes first.
    var lastTicket = 0
    /// Nobody with a lower ticket waits.
    var lowestWaiting = 0

    /// Takes out the one who has waited longest.
    mutating func nextWaiter() -> CheckedContinuation<Bool, Never>? {
      guard !waiting.isEmpty else { return nil }
      // Each ticket is passed over once, so that this costs constant time on average.
      while true {
        let ticket = lowestWaiting
        lowestWaiting += 1
        if let waiter = waiting.removeValue(forKey: ticket) { return waiter }
      }
    }

    mutating func wait(_ ticket: Int, _ continuation: CheckedContinuation<Bool, Never>) {
      lowestWaiting = waiting.isEmpty ? ticket : min(lowestWaiting, ticket)
      waiting[ticket] = continuation
    }
  }

  private let state: Mutex<State>

  init(_ slots: sending [Slot]) {
    nonisolated(unsafe) let slots = slots
    state = Mutex(State(free: slots))
  }

  /// The number of slots nobody uses.
  var freeCount: Int { state.withLock { $0.free.count } }

  /// The number of tasks that wait for a slot.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Whether all `count` slots are free and nothing is remembered of tasks that are gone.
  func isAtRest(of count: Int) -> Bool {
    state.withLock { state in
      state.free.count == count && state.granted == 0 && state.waiting.isEmpty
        && state.cancelled.isEmpty
    }
  }

  /// The next free slot; suspends while there is none.
  ///
  /// - Throws: ``RunnerError`` when the task is cancelled while it waits.
  func take() async throws(RunnerError) -> Lease {
    if Task.isCancelled { throw .cancelled }
    let ticket = state.withLock { state in
      state.lastTicket += 1
      return state.lastTicket
    }
    let isGranted = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          if state.cancelled.remove(ticket) != nil { return false }
          // Those who wait come first.
          if state.free.count > state.granted, state.waiting.isEmpty {
            state.granted += 1
            return true
          }
          state.wait(ticket, continuation)
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      cancel(ticket)
    }
    // From here on `cancel` is not called any more: leaving the handler waits for it to return.
    guard isGranted else { throw .cancelled }
    return lease(ticket)
  }

  /// Takes the slot that was granted.
  private func lease(_ ticket: Int) -> Lease {
    nonisolated(unsafe) var taken: Slot?
    state.withLock { state in
      state.granted -= 1
      // A cancellation that came after the grant has nothing left to do.
      state.cancelled.remove(ticket)
      taken = state.free.popLast()
    }
    guard let taken else { preconditionFailure("a slot was granted twice") }
    return Lease(taken, of: self)
  }

  private func giveBack(_ slot: Slot) {
    nonisolated(unsafe) let slot = slot
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      state.free.append(slot)
      guard let next = state.nextWaiter() else { return nil }
      state.granted += 1
      return next
    }
    next?.resume(returning: true)
  }

  private func cancel(_ ticket: Int) {
    let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if let waiter = state.waiting.removeValue(forKey: ticket) { return waiter }
      // Not waiting yet, or granted already; the one who asks finds it, or drops it.
      state.cancelled.insert(ticket)
      return nil
    }
    waiter?.resume(returning: false)
  }
}
