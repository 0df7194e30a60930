import ForgeRunner
import Foundation

/// A network of several steps, at each of which a test can hold it; it stops between them as it is
/// told to.
final class SteppedNetwork: BatchNetwork {
  /// The memory of one prediction.
  final class Slot {
    var inputs: [Int]

    init(batch: Int) { inputs = Array(repeating: 0, count: batch) }
  }

  /// What the network has seen so far.
  struct Log {
    /// The number of steps begun, over all predictions.
    var stepsBegun = 0
    /// The examples of each run that came to its end.
    var finished: [[Int]] = []
    /// The number of runs that were stopped.
    var stopped = 0
    var running = 0
  }

  let steps: Int
  private let failing: Set<Int>
  private let condition = NSCondition()
  private nonisolated(unsafe) var state = Log()
  private nonisolated(unsafe) var allowed: Int

  /// Creates a network; `allowed` steps pass without being let through.
  init(steps: Int, allowed: Int = 0, failing: Set<Int> = []) {
    self.steps = steps
    self.allowed = allowed
    self.failing = failing
  }

  /// Thrown for inputs that cannot be encoded.
  struct Unreadable: Error, Equatable {
    let input: Int
  }

  /// What the network has seen so far, in memory of its own: see ``Locked``.
  var log: Log {
    condition.lock()
    defer { condition.unlock() }
    var log = state
    log.finished = log.finished.map { $0 }
    return log
  }

  /// Lets so many more steps pass.
  func allow(_ count: Int) {
    condition.lock()
    allowed += count
    condition.unlock()
    condition.broadcast()
  }

  func makeSlot() -> Slot { Slot(batch: 1) }
  func makeSlot(batch: Int) -> Slot { Slot(batch: batch) }

  func encode(_ input: Int, into slot: Slot) throws { try encode(input, into: slot, at: 0) }

  func encode(_ input: Int, into slot: Slot, at index: Int) throws {
    if failing.contains(input) { throw Unreadable(input: input) }
    slot.inputs[index] = input
  }

  func run(_ slot: Slot) throws { try run(slot, batch: 1, until: .never) }

  func run(_ slot: Slot, until stop: borrowing StopSignal) throws {
    try run(slot, batch: 1, until: stop)
  }

  func run(_ slot: Slot, batch: Int, until stop: borrowing StopSignal) throws {
    change { $0.running += 1 }
    defer { change { $0.running -= 1 } }
    for _ in 0..<steps {
      do {
        try stop.check()
      } catch {
        change { $0.stopped += 1 }
        throw error
      }
      condition.lock()
      state.stepsBegun += 1
      while allowed == 0 { condition.wait() }
      allowed -= 1
      condition.unlock()
    }
    change { $0.finished.append(Array(slot.inputs.prefix(batch))) }
  }

  private func change(_ body: (inout Log) -> Void) {
    condition.lock()
    body(&state)
    condition.unlock()
  }

  func fetch(from slot: Slot) -> Int { fetch(from: slot, at: 0) }
  func fetch(from slot: Slot, at index: Int) -> Int { -slot.inputs[index] }
}
