import ForgeRunner
import Testing

/// Turns at something that one task at a time may use.
@Suite struct TurnQueueTests {
  /// A number that nothing but turns protects, so that ThreadSanitizer checks them.
  private final class Counter: @unchecked Sendable {
    var value = 0
  }

  /// Who had a turn, protected by the turns alone.
  private final class Order: @unchecked Sendable {
    var tasks: [Int] = []
  }

  /// Tasks that take turns; some are canceled, some have a deadline.
  @Test func oneTaskAtATime() async throws {
    let runner = try Runner(GateNetwork(), inflightBuffers: 1)
    let turns = TurnQueue()
    let counter = Counter()
    let successes = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<300 {
        group.addTask {
          let deadline: Deadline? = index % 5 == 0 ? .after(.microseconds(10 * index)) : nil
          let task = Task {
            try await runner.begin(turns, until: runner.moment(of: deadline))
            let before = counter.value
            await Task.yield()
            counter.value = before + 1
            turns.end()
          }
          if index % 3 == 0 { task.cancel() }
          return (try? await task.value) != nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    await turns.begin()
    #expect(counter.value == successes)
    #expect(successes >= 160)
    let statistics = runner.statistics
    #expect(statistics.cancelled + statistics.deadlineExceeded == 300 - successes)
  }

  @Test func deadlinesEndTheWait() async throws {
    let clock = TestClock()
    let runner = try Runner(GateNetwork(), inflightBuffers: 1, clock: clock)
    let turns = TurnQueue()
    await turns.begin()
    let end = runner.moment(of: .after(.seconds(3)))
    let late = Task { try await runner.begin(turns, until: end) }
    try await eventually("the task waits") { clock.sleeperCount > 0 }
    clock.advance(by: .seconds(3))
    do {
      try await late.value
      Issue.record("it has a turn")
    } catch let error as RunnerError {
      #expect(error.kind == .deadlineExceeded)
    }
    turns.end()
    // A turn that is free is taken, even if the deadline has passed; its prediction is late then.
    try await runner.begin(turns, until: end)
  }

  /// The first that waits is the first that has a turn.
  @Test func turnsAreTakenInOrder() async throws {
    let clock = TestClock()
    let runner = try Runner(GateNetwork(), inflightBuffers: 1, clock: clock)
    let turns = TurnQueue()
    await turns.begin()
    let end = runner.moment(of: .after(.seconds(3)))
    let order = Order()
    var tasks: [Task<Void, any Error>] = []
    for index in 0..<9 {
      tasks.append(
        Task {
          try await runner.begin(turns, until: end)
          order.tasks.append(index)
          turns.end()
        })
      try await eventually("task \(index) waits") { clock.sleeperCount == index + 1 }
    }
    turns.end()
    for task in tasks { try await task.value }
    await turns.begin()
    #expect(order.tasks == Array(0..<9))
  }

  /// A canceled task still has the turns that cannot be canceled.
  @Test func cancelledTasksFinishTheirTurn() async throws {
    let turns = TurnQueue()
    await turns.begin()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await turns.begin()
      return true
    }
    turns.end()
    #expect(await task.value)
  }
}
