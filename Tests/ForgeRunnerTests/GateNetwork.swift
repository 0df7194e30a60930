import ForgeRunner
import Foundation
import Synchronization
import Testing

/// A network whose predictions wait inside `run` until a test lets them go, and which watches what
/// the runner does with it.
final class GateNetwork: NeuralNetwork {
  /// The stages of a prediction.
  enum Stage: CaseIterable {
    case encode, run, fetch
  }

  /// Thrown on demand.
  struct Failure: Error, Equatable {
    let input: Int
  }

  /// The memory of one prediction; it notices when two use it at once.
  final class Slot {
    let number: Int
    var input = 0
    var output = 0
    /// Whether a stage is at work in it.
    let isBusy = Atomic(false)
    /// Whether a prediction was begun and not ended; one that is stopped before `run` is abandoned.
    var isInFlight = false

    init(_ number: Int) { self.number = number }
  }

  /// What the network has seen so far.
  struct Log {
    var madeSlots = 0
    var encoded: [Int] = []
    var slotsUsed: Set<Int> = []
    var inFlight = 0
    var mostInFlight = 0
    var collisions = 0
  }

  private struct State {
    var log = Log()
    var isOpen: Bool
    var passes = 0
  }

  private let condition = NSCondition()
  private nonisolated(unsafe) var state: State
  private let failing: [Int: Stage]

  /// Creates a network; the stated inputs fail in the stated stages.
  init(isOpen: Bool = true, failing: [Int: Stage] = [:]) {
    state = State(isOpen: isOpen)
    self.failing = failing
  }

  /// What the network has seen so far, in memory of its own: see ``Locked``.
  var log: Log {
    withLock { state in
      var log = state.log
      log.encoded = log.encoded.map { $0 }
      log.slotsUsed = Set(log.slotsUsed.map { $0 })
      return log
    }
  }

  /// Lets everybody through from now on.
  func open() { change { $0.isOpen = true } }

  /// Lets one prediction through.
  func letOneThrough() { change { $0.passes += 1 } }

  private func change(_ body: (inout State) -> Void) {
    withLock { body(&$0) }
    condition.broadcast()
  }

  private func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    condition.lock()
    defer { condition.unlock() }
    return body(&state)
  }

  func makeSlot() -> Slot {
    withLock { state in
      state.log.madeSlots += 1
      return Slot(state.log.madeSlots)
    }
  }

  func encode(_ input: Int, into slot: Slot) throws {
    try stage(.encode, slot) {
      withLock { state in
        state.log.encoded.append(input)
        state.log.slotsUsed.insert(slot.number)
        if !slot.isInFlight { state.log.inFlight += 1 }
        state.log.mostInFlight = max(state.log.mostInFlight, state.log.inFlight)
      }
      slot.isInFlight = true
      slot.input = input
    }
  }

  func run(_ slot: Slot) throws {
    try stage(.run, slot) {
      condition.lock()
      while !pass() { condition.wait() }
      condition.unlock()
      slot.output = -slot.input
    }
  }

  func fetch(from slot: Slot) throws -> Int {
    var output = 0
    try stage(.fetch, slot) { output = slot.output }
    leave(slot)
    return output
  }

  /// Runs a stage, watches that it has the slot to itself, and fails on demand.
  private func stage(_ stage: Stage, _ slot: Slot, _ body: () -> Void) throws {
    if slot.isBusy.exchange(true, ordering: .sequentiallyConsistent) {
      withLock { $0.log.collisions += 1 }
    }
    body()
    slot.isBusy.store(false, ordering: .sequentiallyConsistent)
    guard failing[slot.input] == stage else { return }
    leave(slot)
    throw Failure(input: slot.input)
  }

  private func leave(_ slot: Slot) {
    withLock { $0.log.inFlight -= 1 }
    slot.isInFlight = false
  }

  /// Only under the lock.
  private func pass() -> Bool {
    if state.isOpen { return true }
    guard state.passes > 0 else { return false }
    state.passes -= 1
    return true
  }
}

/// A prediction in a task of its own.
func predicting(
  _ input: Int, with runner: Runner<GateNetwork>, deadline: Deadline? = nil
) -> Task<Int, any Error> {
  Task { try await runner.predict(input, deadline: deadline) }
}

/// Waits for something that must come true, and fails the test when it does not in ten seconds.
func eventually(
  _ what: String, at place: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async throws {
  for _ in 0..<10_000 {
    if condition() { return }
    try await Task.sleep(for: .milliseconds(1))
  }
  Issue.record("it did not come true that \(what)", sourceLocation: place)
}

/// A value behind a lock that ThreadSanitizer understands.
///
/// It is looked at under the lock too and never copied out: the next who appends to an array takes its memory over
/// once the copy is gone, and ThreadSanitizer does not see that counting references has put the two in order.
final class Locked<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  /// Runs `body` with the value to itself.
  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }

  /// Looks at the value.
  func read<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
    try withLock { value in try body(value) }
  }
}

extension Locked where Value: BitwiseCopyable {
  /// A copy of the value.
  var current: Value { read { $0 } }
}
