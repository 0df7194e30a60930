import ForgeRunner
import Testing

/// Deadlines on a test clock.
@Suite(.timeLimit(.minutes(20))) struct DeadlineTests {
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
    #expect(clock.sleeperCount <= 1)
  }

  /// One task sleeps for all deadlines, however many predictions there were.
  @Test func oneTaskSleepsForAll() async throws {
    let clock = TestClock()
    let runner = try Runner(GateNetwork(), inflightBuffers: 2, clock: clock)
    for number in 0..<2000 {
      let value = try await runner.predict(
        number, deadline: .after(.seconds(3600 - number % 7)))
      #expect(value == -number)
      if number % 100 == 0 { clock.advance(by: .seconds(1)) }
    }
    // Deadlines that are earlier than those before wake another task.
    #expect(clock.sleepCount < 40)
    #expect(clock.sleeperCount <= 1)
    clock.advance(by: .seconds(7200))
    #expect(try await runner.predict(1, deadline: .after(.seconds(1))) == -1)
    #expect(runner.statistics.deadlineExceeded == 0)
  }

  /// A runner that is gone keeps no task asleep, however far away its deadline was.
  @Test func nobodySleepsForReleasedRunner() async throws {
    let clock = TestClock()
    var runner: Runner? = try Runner(GateNetwork(), inflightBuffers: 2, clock: clock)
    #expect(try await runner?.predict(1, deadline: .after(.seconds(3600))) == -1)
    try await eventually("a task sleeps") { clock.sleeperCount == 1 }
    runner = nil
    try await eventually("none sleeps") { clock.sleeperCount == 0 }
  }

  /// Waiting predictions end at their own deadlines, in whatever order these were stated.
  @Test func eachDeadlineIsKept() async throws {
    let clock = TestClock()
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: 1, clock: clock)
    let first = predicting(0, with: runner)
    try await eventually("the first runs") { network.log.inFlight == 1 }
    let moments = (1...60).map { $0 * 37 % 61 }
    var waiting: [(Int, Task<Int, any Error>)] = []
    for (index, moment) in moments.enumerated() {
      waiting.append(
        (moment, predicting(index + 1, with: runner, deadline: .after(.seconds(moment)))))
      try await eventually("it waits") { runner.waitingPredictions == index + 1 }
    }
    for (index, (_, task)) in waiting.enumerated() where index % 3 == 0 { task.cancel() }
    try await eventually("a third is canceled") { runner.waitingPredictions == 40 }
    try await eventually("a task sleeps") { clock.sleeperCount == 1 }
    for moment in 1...30 {
      let due = waiting.enumerated().filter { $0.offset % 3 != 0 && $0.element.0 == moment }
      let left = runner.waitingPredictions
      clock.advance(by: .seconds(1))
      for (_, (_, task)) in due { await expectExceeded(task) }
      try await eventually("they are answered") {
        runner.waitingPredictions == left - due.count && clock.sleeperCount == 1
      }
    }
    network.open()
    #expect(try await first.value == 0)
    for (index, (moment, task)) in waiting.enumerated() where index % 3 != 0 && moment > 30 {
      #expect(try await task.value == -(index + 1))
    }
  }

  @Test func deadlineEndsWaitingPrediction() async throws {
    let clock = TestClock()
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: 1, clock: clock)
    let first = predicting(1, with: runner)
    try await eventually("the first runs") { network.log.inFlight == 1 }
    let second = predicting(2, with: runner, deadline: .after(.milliseconds(20)))
    let third = predicting(3, with: runner, deadline: .after(.milliseconds(21)))
    try await eventually("both wait") { runner.waitingPredictions == 2 && clock.sleeperCount == 1 }
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
