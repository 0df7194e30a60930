import ForgeRunner
import ForgeShapes
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(20))) struct RunnerTests {
  @Test func sequentialPredictions() async throws {
    let network = GateNetwork()
    let runner = try Runner(network)
    #expect(
      runner.inflightBuffers == RunnerSizing.sensible(for: .throughput).inflightBuffers)
    #expect(runner.network === network)
    for input in 1...5 { #expect(try await runner.predict(input) == -input) }
    #expect(network.log.encoded == [1, 2, 3, 4, 5])
    #expect(runner.isAtRest)
  }

  @Test(arguments: [1, 2, 3, 8]) func slotsAreCreatedOnce(count: Int) async throws {
    let network = GateNetwork()
    let runner = try Runner(network, inflightBuffers: count)
    #expect(network.log.madeSlots == count)
    #expect(runner.freeSlots == count)
    for input in 1...20 { _ = try await runner.predict(input) }
    #expect(network.log.madeSlots == count)
  }

  @Test(arguments: [0, -1, .min] as [Int]) func invalidSlotCounts(count: Int) throws {
    let network = GateNetwork()
    let error = try #require(throws: RunnerError.self) {
      try Runner(network, inflightBuffers: count)
    }
    #expect(error.kind == .invalidCount)
    #expect(
      "\(error)" == """
        inflightBuffers must be positive
          received  inflightBuffers: \(count)
          needs     at least 1
        """)
    #expect(network.log.madeSlots == 0)
  }

  /// Memory for 10⁹ slots does not exist; a rejected request allocates nothing.
  @Test(arguments: [1025, 1_000_000_000, .max] as [Int]) func excessiveSlotCounts(count: Int) throws
  {
    let network = GateNetwork()
    let error = try #require(throws: RunnerError.self) {
      try Runner(network, inflightBuffers: count)
    }
    #expect(error.kind == .invalidCount)
    #expect(
      "\(error)" == """
        inflightBuffers is too large
          received  inflightBuffers: \(count)
          needs     at most 1024
        """)
    #expect(network.log.madeSlots == 0)
    #expect(Runner<GateNetwork>.maximumInflightBuffers == 1024)
  }

  @Test func slotCreationFailure() {
    struct Full: Error, Equatable {}
    struct Stingy: NeuralNetwork {
      let made = Counter()
      func makeSlot() throws -> Int {
        guard made.next() <= 2 else { throw Full() }
        return 0
      }
      func encode(_ input: Int, into slot: Int) {}
      func run(_ slot: Int) {}
      func fetch(from slot: Int) -> Int { slot }
    }
    #expect(throws: Full()) { try Runner(Stingy(), inflightBuffers: 3) }
    #expect(throws: Never.self) { try Runner(Stingy(), inflightBuffers: 2) }
  }

  @Test(arguments: [1, 2, 3]) func inflightPredictionsAreBounded(count: Int) async throws {
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: count)
    let tasks = (1...10).map { predicting($0, with: runner) }
    // As many as there are slots do run at once, and the others wait.
    try await eventually("all slots are used") { network.log.inFlight == count }
    try await eventually("the others wait") { runner.waitingPredictions == 10 - count }
    #expect(runner.freeSlots == 0)
    #expect(network.log.inFlight == count)
    #expect(!runner.isAtRest)
    for _ in 1...10 { network.letOneThrough() }
    var results: Set<Int> = []
    for task in tasks { results.insert(try await task.value) }
    #expect(results == Set(-10 ... -1))
    #expect(network.log.mostInFlight == count)
    #expect(network.log.collisions == 0)
    #expect(network.log.slotsUsed == Set(1...count))
    #expect(runner.isAtRest)
  }

  @Test func waitersAreServedInOrder() async throws {
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: 1)
    var tasks = [predicting(0, with: runner)]
    try await eventually("the first runs") { network.log.inFlight == 1 }
    for input in 1...20 {
      tasks.append(predicting(input, with: runner))
      try await eventually("\(input) waits") { runner.waitingPredictions == input }
    }
    network.open()
    for task in tasks { _ = try await task.value }
    #expect(network.log.encoded == Array(0...20))
  }

  @Test(arguments: GateNetwork.Stage.allCases)
  func failedStageReleasesSlot(stage: GateNetwork.Stage) async throws {
    let network = GateNetwork(failing: [2: stage, 3: stage])
    let runner = try Runner(network, inflightBuffers: 1)
    #expect(try await runner.predict(1) == -1)
    for input in [2, 3] {
      await #expect(throws: GateNetwork.Failure(input: input)) {
        try await runner.predict(input)
      }
      #expect(runner.freeSlots == 1)
    }
    #expect(try await runner.predict(4) == -4)
    #expect(runner.isAtRest)
  }

  @Test func failedStageAdmitsNextPrediction() async throws {
    let network = GateNetwork(isOpen: false, failing: [1: .run])
    let runner = try Runner(network, inflightBuffers: 1)
    let first = predicting(1, with: runner)
    try await eventually("the first runs") { network.log.inFlight == 1 }
    let second = predicting(2, with: runner)
    try await eventually("the second waits") { runner.waitingPredictions == 1 }
    network.open()
    await #expect(throws: GateNetwork.Failure(input: 1)) { try await first.value }
    #expect(try await second.value == -2)
  }

  /// 10,000 predictions from 64 tasks.
  @Test func concurrentTasks() async throws {
    let network = GateNetwork()
    let runner = try Runner(network, inflightBuffers: 3)
    let results = try await withThrowingTaskGroup(of: [Int].self) { group in
      for task in 0..<64 {
        group.addTask {
          var mine: [Int] = []
          for input in stride(from: task, to: 10_000, by: 64) {
            let output = try await runner.predict(input)
            #expect(output == -input)
            mine.append(output)
          }
          return mine
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(results.sorted(by: >) == (0..<10_000).map { -$0 })
    #expect(network.log.encoded.count == 10_000)
    #expect(network.log.mostInFlight <= 3)
    #expect(network.log.collisions == 0)
    #expect(runner.isAtRest)
  }

  /// Many predictions wait, and half of them are canceled.
  @Test func concurrentWaitersWithCancellation() async throws {
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: 1)
    let first = predicting(0, with: runner)
    try await eventually("the first runs") { network.log.inFlight == 1 }
    let count = 20_000
    let tasks = (1...count).map { input in Task { try await runner.predict(input) } }
    try await eventually("all wait") { runner.waitingPredictions == count }
    var random = SplitMix64(seed: 20_000)
    for task in tasks where Bool.random(using: &random) { task.cancel() }
    network.open()
    _ = try await first.value
    var served = 0
    for task in tasks where (try? await task.value) != nil { served += 1 }
    #expect(network.log.encoded.count == served + 1)
    #expect(runner.isAtRest)
  }

  @Test func runnerIsReleased() async throws {
    weak var network: GateNetwork?
    weak var runner: Runner<GateNetwork>?
    do {
      let made = GateNetwork()
      let running = try Runner(made, inflightBuffers: 2)
      (network, runner) = (made, running)
      _ = try await running.predict(1)
    }
    #expect(runner == nil)
    // Its threads end a little later.
    try await eventually("the network is gone") { network == nil }
  }

  @Test func pendingPredictionsRetainRunner() async throws {
    let network = GateNetwork(isOpen: false)
    weak var runner: Runner<GateNetwork>?
    var tasks: [Task<Int, any Error>] = []
    do {
      let running = try Runner(network, inflightBuffers: 1)
      runner = running
      tasks = (1...3).map { predicting($0, with: running) }
      try await eventually("two wait") { running.waitingPredictions == 2 }
    }
    #expect(runner != nil)
    network.open()
    for task in tasks { _ = try await task.value }
    #expect(Set(network.log.encoded) == [1, 2, 3])
    tasks = []
    try await eventually("the runner is gone") { runner == nil }
  }
}

/// A number that counts up.
final class Counter: Sendable {
  private let value = Atomic(0)

  /// One more than the last time.
  func next() -> Int { value.add(1, ordering: .relaxed).newValue }

  /// The number.
  var current: Int { value.load(ordering: .relaxed) }
}
