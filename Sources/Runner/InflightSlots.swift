import Synchronization

/// The slots of a runner: taken in turn, given back without fail, waited for in order.
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
    var waiting: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var cancelled: Set<Int> = []
    var granted = 0
    var nextID = 0
  }

  private let state: Mutex<State>

  init(_ slots: sending [Slot]) {
    nonisolated(unsafe) let slots = slots
    state = Mutex(State(free: slots))
  }

  /// The number of slots nobody uses.
  var freeCount: Int { state.withLock { $0.free.count } }

  /// The next free slot; suspends while there is none.
  ///
  /// - Throws: ``RunnerError`` when the task is cancelled while it waits.
  func take() async throws(RunnerError) -> Lease {
    if Task.isCancelled { throw .cancelled }
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let isGranted = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          if state.cancelled.remove(id) != nil { return false }
          // Those who wait come first.
          if state.free.count > state.granted, state.waiting.isEmpty {
            state.granted += 1
            return true
          }
          state.waiting.append((id, continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      cancel(id)
    }
    guard isGranted else { throw .cancelled }
    return lease(id)
  }

  /// Takes the slot that was granted.
  private func lease(_ id: Int) -> Lease {
    nonisolated(unsafe) var taken: Slot?
    state.withLock { state in
      state.granted -= 1
      // A cancellation that came after the grant has nothing left to do.
      state.cancelled.remove(id)
      taken = state.free.popLast()
    }
    guard let taken else { preconditionFailure("a slot was granted twice") }
    return Lease(taken, of: self)
  }

  private func giveBack(_ slot: Slot) {
    nonisolated(unsafe) let slot = slot
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      state.free.append(slot)
      guard !state.waiting.isEmpty else { return nil }
      state.granted += 1
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }

  private func cancel(_ id: Int) {
    let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
        // Not waiting yet, or granted already; the one who asks finds it, or drops it.
        state.cancelled.insert(id)
        return nil
      }
      return state.waiting.remove(at: index).continuation
    }
    waiter?.resume(returning: false)
  }
}
