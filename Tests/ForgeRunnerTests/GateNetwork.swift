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
    let isBusy = Atomic(false)

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

  /// What the network has seen so far.
  var log: Log { withLock { $0.log } }

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
    let isCollision = slot.isBusy.exchange(true, ordering: .sequentiallyConsistent)
    withLock { state in
      state.log.encoded.append(input)
      state.log.slotsUsed.insert(slot.number)
      state.log.inFlight += 1
      state.log.mostInFlight = max(state.log.mostInFlight, state.log.inFlight)
      if isCollision { state.log.collisions += 1 }
    }
    slot.input = input
    try fail(input, in: .encode, slot)
  }

  func run(_ slot: Slot) throws {
    condition.lock()
    while !pass() { condition.wait() }
    condition.unlock()
    slot.output = -slot.input
    try fail(slot.input, in: .run, slot)
  }

  /// Only under the lock.
  private func pass() -> Bool {
    if state.isOpen { return true }
    guard state.passes > 0 else { return false }
    state.passes -= 1
    return true
  }

  func fetch(from slot: Slot) throws -> Int {
    let output = slot.output
    try fail(slot.input, in: .fetch, slot)
    leave(slot)
    return output
  }

  private func fail(_ input: Int, in stage: Stage, _ slot: Slot) throws {
    guard failing[input] == stage else { return }
    leave(slot)
    throw Failure(input: input)
  }

  private func leave(_ slot: Slot) {
    withLock { $0.log.inFlight -= 1 }
    slot.isBusy.store(false, ordering: .sequentiallyConsistent)
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

  /// A copy of the value.
  var current: Value { withLock { $0 } }
}
