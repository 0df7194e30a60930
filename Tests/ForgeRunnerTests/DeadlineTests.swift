import ForgeRunner
import Testing

/// Deadlines on a test clock.
@Suite(.timeLimit(.minutes(1))) struct DeadlineTests {
  private func expectExceeded(
    _ task: Task<Int, any Error>, at place: SourceLocation = #_sourceLocation
  ) async {
    let error = await #expect(throws: RunnerError.self, sourceLocation: place) {
      try await task.value
    }
    #expect(error?.kind == .deadlineExceeded, sourceLocation: place)
    #expect(error?.description == "the deadline passed before the prediction was finished")
  }

  @Test(arguments: [.zero, .seconds(-1), .seconds(Int64.min)] as [Duration])
  func pastDeadlineFailsBeforeStart(left: Duration) async throws {
    let network = GateNetwork()
    let runner = try Runner(network, inflightBuffers: 1, clock: TestClock())
    await expectExceeded(predicting(1, with: runner, deadline: .after(left)))
    await expectExceeded(predicting(1, with: runner, deadline: .at(.now - .seconds(1))))
    #expect(network.log.encoded == [])
    #expect(runner.statistics.deadlineExceeded == 2)
  }

  @Test(arguments: [.seconds(100), .seconds(Int64.max)] as [Duration])
  func futureDeadlineAllowsPrediction(left: Duration) async throws {
    let clock = TestClock()
    let runner = try Runner(GateNetwork(), inflightBuffers: 1, clock: clock)
    #expect(try await runner.predict(1, deadline: .after(left)) == -1)
    #expect(try await runner.predict(2, deadline: .at(.now + .seconds(100))) == -2)
    // The timers are gone with their predictions.
    try await eventually("nobody sleeps") { clock.sleeperCount == 0 }
  }

  @Test func deadlineEndsWaitingPrediction() async throws {
    let clock = TestClock()
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: 1, clock: clock)
    let first = predicting(1, with: runner)
    try await eventually("the first runs") { network.log.inFlight == 1 }
    let second = predicting(2, with: runner, deadline: .after(.milliseconds(20)))
    let third = predicting(3, with: runner, deadline: .after(.milliseconds(21)))
    try await eventually("both wait") { runner.waitingPredictions == 2 && clock.sleeperCount == 2 }
    clock.advance(by: .milliseconds(20))
    await expectExceeded(second)
    #expect(runner.waitingPredictions == 1)
    network.open()
    #expect(try await first.value == -1)
    #expect(try await third.value == -3)
    #expect(network.log.encoded == [1, 3])
  }

  /// A late timer does not start a prediction whose deadline has passed.
  @Test func deadlineStopsBetweenSteps() async throws {
    let clock = TestClock()
    let network = SteppedNetwork(steps: 4, allowed: 2)
    let runner = try Runner(network, inflightBuffers: 1, clock: clock)
    let task = Task { try await runner.predict(1, deadline: .after(.milliseconds(5))) }
    try await eventually("step 2 has begun") { network.log.stepsBegun == 3 }
    try await eventually("the timer waits") { clock.sleeperCount == 1 }
    clock.advance(by: .milliseconds(5))
    await expectExceeded(task)
    #expect(runner.freeSlots == 0)
    network.allow(1)
    try await eventually("the slot is free") { runner.isAtRest }
    #expect(network.log.stepsBegun == 3)
    #expect(network.log.stopped == 1)
  }

  /// With the system clock.
  @Test func deadlineOnSystemClock() async throws {
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: 1)
    let first = predicting(1, with: runner, deadline: .after(.milliseconds(10)))
    let second = predicting(2, with: runner, deadline: .at(.now + .milliseconds(10)))
    await expectExceeded(first)
    await expectExceeded(second)
    network.open()
    await runner.drain()
    #expect(runner.isAtRest)
    #expect(try await runner.predict(3, deadline: .after(.seconds(60))) == -3)
  }
}
