import ForgeRunner
import ForgeShapes
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(20))) struct CancellationTests {
  private func expectCancelled(
    _ task: Task<Int, any Error>, at place: SourceLocation = #_sourceLocation
  ) async {
    let error = await #expect(throws: RunnerError.self, sourceLocation: place) {
      try await task.value
    }
    #expect(error?.kind == .cancelled, sourceLocation: place)
    #expect(error?.description == "the prediction was canceled before it was finished")
  }

  @Test func cancellationBeforeStart() async throws {
    let network = GateNetwork()
    let runner = try Runner(network, inflightBuffers: 1)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await runner.predict(1)
    }
    await expectCancelled(task)
    #expect(network.log.encoded == [])
    #expect(runner.isAtRest)
  }

  @Test func cancellationWhileWaiting() async throws {
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: 1)
    let first = predicting(1, with: runner)
    try await eventually("the first runs") { network.log.inFlight == 1 }
    let second = predicting(2, with: runner)
    try await eventually("the second waits") { runner.waitingPredictions == 1 }
    let third = predicting(3, with: runner)
    try await eventually("the third waits") { runner.waitingPredictions == 2 }
    second.cancel()
    // At once, with the slot still taken.
    await expectCancelled(second)
    #expect(runner.waitingPredictions == 1)
    #expect(runner.freeSlots == 0)
    network.open()
    #expect(try await first.value == -1)
    #expect(try await third.value == -3)
    #expect(network.log.encoded == [1, 3])
    #expect(runner.isAtRest)
  }

  /// Any waiting prediction may be canceled; the others keep their order.
  @Test(arguments: [[1], [5], [1, 2], [4, 5], [2, 4], [5, 3, 1], [1, 2, 3, 4, 5]])
  func cancellationPreservesWaitingOrder(cancelled: [Int]) async throws {
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: 1)
    var tasks = [predicting(0, with: runner)]
    try await eventually("the first runs") { network.log.inFlight == 1 }
    for input in 1...5 {
      tasks.append(predicting(input, with: runner))
      try await eventually("\(input) waits") { runner.waitingPredictions == input }
    }
    for input in cancelled {
      tasks[input].cancel()
      await expectCancelled(tasks[input])
    }
    tasks.append(predicting(6, with: runner))
    try await eventually("6 waits") { runner.waitingPredictions == 6 - cancelled.count }
    network.open()
    for (input, task) in tasks.enumerated() where !cancelled.contains(input) {
      #expect(try await task.value == -input)
    }
    #expect(network.log.encoded == (0...6).filter { !cancelled.contains($0) })
    #expect(runner.isAtRest)
  }

  /// Cancellation ends a prediction at any moment while it starts to wait.
  @Test func cancellationAtAnyMoment() async throws {
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: 1)
    let first = predicting(1, with: runner)
    try await eventually("the first runs") { network.log.inFlight == 1 }
    var random = SplitMix64(seed: 7)
    for _ in 0..<5000 {
      let hasBegun = Atomic(false)
      let turns = random.next() % 64
      let task = Task {
        hasBegun.store(true, ordering: .releasing)
        return try await runner.predict(2)
      }
      while !hasBegun.load(ordering: .acquiring) { await Task.yield() }
      for _ in 0..<turns { _ = hasBegun.load(ordering: .sequentiallyConsistent) }
      task.cancel()
      await expectCancelled(task)
    }
    network.open()
    #expect(try await first.value == -1)
    #expect(network.log.encoded == [1])
    #expect(runner.isAtRest)
  }

  /// At every step of a plan: the caller resumes while the step runs, the slot is free at the
  /// step's end, and no further step starts.
  @Test(arguments: 0..<5) func cancellationStopsRunningPrediction(step: Int) async throws {
    let network = SteppedNetwork(steps: 5, allowed: step)
    let runner = try Runner(network, inflightBuffers: 1)
    let task = Task { try await runner.predict(1) }
    try await eventually("step \(step) has begun") { network.log.stepsBegun == step + 1 }
    task.cancel()
    await expectCancelled(task)
    #expect(runner.freeSlots == 0)
    #expect(network.log.running == 1)
    network.allow(1)
    try await eventually("the slot is free") { runner.freeSlots == 1 }
    // Cancelled in its last step, there is no boundary left to stop at.
    #expect(network.log.stepsBegun == step + 1)
    #expect(network.log.stopped == (step < 4 ? 1 : 0))
    network.allow(5)
    #expect(try await runner.predict(2) == -2)
    #expect(runner.statistics.cancelled == 1)
    #expect(runner.statistics.completed == 1)
    #expect(runner.isAtRest)
  }

  /// A network that never checks for cancellation finishes, and its result is dropped.
  @Test func cancellationWithoutStepsDropsResult() async throws {
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: 1)
    let task = predicting(1, with: runner)
    try await eventually("it runs") { network.log.inFlight == 1 }
    task.cancel()
    await expectCancelled(task)
    network.open()
    try await eventually("the slot is free") { runner.isAtRest }
    #expect(try await runner.predict(2) == -2)
  }

  @Test func failedTaskGroupCancelsSiblings() async throws {
    let network = GateNetwork(failing: [1: .encode])
    let runner = try Runner(network, inflightBuffers: 1)
    await #expect(throws: GateNetwork.Failure(input: 1)) {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<100 { group.addTask { try await runner.predict(1) } }
        try await group.waitForAll()
      }
    }
    await runner.drain()
    #expect(runner.isAtRest)
    #expect(try await runner.predict(2) == -2)
  }

  /// Predictions start, fail and are canceled at random: no slot is lost or used twice.
  @Test(arguments: [1, 2, 3, 8]) func randomCancellationLosesNoSlot(count: Int) async throws {
    var random = SplitMix64(seed: UInt64(count))
    for _ in 0..<10 {
      let total = 300
      var failing: [Int: GateNetwork.Stage] = [:]
      for input in 0..<total where random.next() % 10 == 0 {
        failing[input] = GateNetwork.Stage.allCases.randomElement(using: &random)
      }
      let network = GateNetwork(failing: failing)
      let runner = try Runner(network, inflightBuffers: count)
      var tasks: [Task<Int, any Error>] = []
      for input in 0..<total {
        let delay = random.next() % 4
        tasks.append(
          Task {
            for _ in 0..<delay { await Task.yield() }
            return try await runner.predict(input)
          })
        // Some are canceled at once, some while they wait, some when they are over.
        switch random.next() % 6 {
        case 0: tasks[input].cancel()
        case 1: tasks[Int(random.next() % UInt64(input + 1))].cancel()
        case 2: await Task.yield()
        default: break
        }
      }
      var counts = (done: 0, failed: 0, cancelled: 0)
      for (input, task) in tasks.enumerated() {
        if random.next() % 5 == 0 { task.cancel() }
        do {
          #expect(try await task.value == -input)
          counts.done += 1
        } catch let error as GateNetwork.Failure {
          #expect(error.input == input)
          counts.failed += 1
        } catch {
          #expect((error as? RunnerError)?.kind == .cancelled)
          counts.cancelled += 1
        }
      }
      await runner.drain()
      #expect(counts.done + counts.failed + counts.cancelled == total)
      #expect(network.log.mostInFlight <= count)
      #expect(network.log.collisions == 0)
      #expect(runner.freeSlots == count)
      #expect(runner.isAtRest)
      let statistics = runner.statistics
      #expect(statistics.completed == counts.done)
      #expect(statistics.failed == counts.failed)
      #expect(statistics.cancelled == counts.cancelled)
      #expect(statistics.inFlight == 0)
      #expect(statistics.mostInFlight <= count)
    }
  }
}
