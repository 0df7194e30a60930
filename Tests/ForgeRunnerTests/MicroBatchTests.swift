import ForgeRunner
import Testing

/// Micro-batches on a test clock.
@Suite(.timeLimit(.minutes(20))) struct MicroBatchTests {
  private func runner(
    _ network: SteppedNetwork, batch: Int, clock: TestClock, window: Duration = .milliseconds(2)
  ) throws -> Runner<SteppedNetwork> {
    try Runner(network, inflightBuffers: 1, batch: batch, within: window, clock: clock)
  }

  private func predicting(
    _ input: Int, with runner: Runner<SteppedNetwork>, deadline: Deadline? = nil
  ) -> Task<Int, any Error> {
    Task { try await runner.predict(input, deadline: deadline) }
  }

  private func predicting(
    _ inputs: ClosedRange<Int>, with runner: Runner<SteppedNetwork>, waitingBefore: Int = 0
  ) async throws -> [Task<Int, any Error>] {
    var tasks: [Task<Int, any Error>] = []
    for input in inputs {
      tasks.append(predicting(input, with: runner))
      let count = waitingBefore + tasks.count
      try await eventually("\(input) waits") { runner.waitingPredictions == count }
    }
    return tasks
  }

  @Test func fullBatchRunsImmediately() async throws {
    let network = SteppedNetwork(steps: 1, allowed: 1)
    let clock = TestClock()
    let runner = try runner(network, batch: 4, clock: clock)
    #expect(runner.batch == 4)
    var tasks = try await predicting(1...3, with: runner)
    #expect(network.log.stepsBegun == 0)
    tasks.append(predicting(4, with: runner))
    for (input, task) in zip(1..., tasks) { #expect(try await task.value == -input) }
    #expect(network.log.finished == [[1, 2, 3, 4]])
    #expect(runner.statistics.completed == 4)
    #expect(runner.statistics.mostInFlight == 4)
  }

  /// A partial batch starts exactly when its first input has waited for the window.
  @Test func partialBatchRunsAfterWindow() async throws {
    let network = SteppedNetwork(steps: 1, allowed: 10)
    let clock = TestClock()
    let runner = try runner(network, batch: 8, clock: clock)
    var tasks = try await predicting(1...2, with: runner)
    try await eventually("the window is watched") { clock.sleeperCount == 1 }
    clock.advance(by: .nanoseconds(1_999_999))
    tasks += try await predicting(3...3, with: runner, waitingBefore: 2)
    #expect(network.log.stepsBegun == 0)
    clock.advance(by: .nanoseconds(1))
    for (input, task) in zip(1..., tasks) { #expect(try await task.value == -input) }
    #expect(network.log.finished == [[1, 2, 3]])
    // The next one has a window of its own.
    let next = try await predicting(4...4, with: runner)
    try await eventually("its window is watched") { clock.sleeperCount == 1 }
    clock.advance(by: .milliseconds(2))
    #expect(try await next[0].value == -4)
    #expect(network.log.finished == [[1, 2, 3], [4]])
  }

  /// A window of 0 takes the inputs that are available.
  @Test func zeroWindowTakesAvailableInputs() async throws {
    let network = SteppedNetwork(steps: 1)
    let runner = try runner(network, batch: 3, clock: TestClock(), window: .zero)
    let first = predicting(1, with: runner)
    try await eventually("the first runs") { network.log.running == 1 }
    let others = try await predicting(2...6, with: runner)
    network.allow(10)
    #expect(try await first.value == -1)
    for (input, task) in zip(2..., others) { #expect(try await task.value == -input) }
    #expect(network.log.finished == [[1], [2, 3, 4], [5, 6]])
  }

  /// An example that cannot be encoded fails alone.
  @Test func invalidExampleFailsAlone() async throws {
    let network = SteppedNetwork(steps: 1, allowed: 1, failing: [2])
    let runner = try runner(network, batch: 3, clock: TestClock())
    let tasks = try await predicting(1...2, with: runner) + [predicting(3, with: runner)]
    #expect(try await tasks[0].value == -1)
    await #expect(throws: SteppedNetwork.Unreadable(input: 2)) { try await tasks[1].value }
    #expect(try await tasks[2].value == -3)
    #expect(network.log.finished == [[1, 3]])
    #expect(runner.statistics.failed == 1)
  }

  /// A batch stops when all its predictions are canceled.
  @Test func batchStopsWhenAllAreCancelled() async throws {
    let network = SteppedNetwork(steps: 3)
    let runner = try runner(network, batch: 2, clock: TestClock())
    let tasks = try await predicting(1...1, with: runner) + [predicting(2, with: runner)]
    try await eventually("it runs") { network.log.running == 1 }
    tasks[0].cancel()
    await #expect(throws: RunnerError.self) { try await tasks[0].value }
    network.allow(1)
    try await eventually("it goes on for the other") { network.log.stepsBegun == 2 }
    tasks[1].cancel()
    await #expect(throws: RunnerError.self) { try await tasks[1].value }
    network.allow(1)
    try await eventually("the slot is free") { runner.isAtRest }
    #expect(network.log.stopped == 1)
    #expect(network.log.finished == [])
    #expect(runner.statistics.cancelled == 2)
  }

  @Test func shutDownDoesNotWaitForWindow() async throws {
    let network = SteppedNetwork(steps: 1, allowed: 1)
    let runner = try runner(network, batch: 8, clock: TestClock(), window: .seconds(3600))
    let tasks = try await predicting(1...3, with: runner)
    await runner.shutDown()
    for (input, task) in zip(1..., tasks) { #expect(try await task.value == -input) }
  }

  @Test func batchesOnSystemClock() async throws {
    let network = SteppedNetwork(steps: 1, allowed: .max)
    let runner = try Runner(
      network, inflightBuffers: 2, batch: 8, within: .microseconds(200))
    let inputs = Array(1...2003)
    #expect(try await runner.predictBatch(inputs) == inputs.map { -$0 })
    #expect(network.log.finished.allSatisfy { (1...8).contains($0.count) })
    #expect(runner.isAtRest)
  }

  @Test func invalidBatchArguments() {
    let network = SteppedNetwork(steps: 1)
    let count = #expect(throws: RunnerError.self) {
      try Runner(network, batch: 0, within: .zero)
    }
    #expect(count?.description.hasPrefix("batch must be positive") == true)
    let window = #expect(throws: RunnerError.self) {
      try Runner(network, batch: 2, within: .seconds(-1))
    }
    #expect(window?.description.hasPrefix("the window of a batch must not be negative") == true)
  }
}
