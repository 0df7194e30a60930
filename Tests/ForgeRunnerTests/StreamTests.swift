import ForgeRunner
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct StreamTests {
  /// Collects what a stream gives, so that a test can watch it.
  private func collecting(
    _ stream: PredictionStream<Runner<GateNetwork>.Output>, into list: Locked<[Int]>
  ) -> Task<Void, any Error> {
    Task {
      for try await result in stream { list.withLock { $0.append(result.prediction) } }
    }
  }

  @Test(arguments: [1, 2, 3, 8], [0, 1, 5]) func orderIsPreserved(
    count: Int, waiting: Int
  ) async throws {
    let network = GateNetwork()
    let runner = try Runner(network, inflightBuffers: count)
    var results: [Int] = []
    var indices: [Int] = []
    let stream = try runner.predictions(of: 0..<503, waiting: waiting)
    for try await result in stream {
      results.append(result.prediction)
      indices.append(result.index)
    }
    #expect(results == (0..<503).map { -$0 })
    #expect(indices == Array(0..<503))
    #expect(stream.dropped == 0)
    #expect(network.log.mostInFlight <= count)
    #expect(network.log.collisions == 0)
    await runner.drain()
    #expect(runner.isAtRest)
  }

  @Test func asynchronousInputs() async throws {
    let runner = try Runner(GateNetwork(), inflightBuffers: 3)
    let (inputs, continuation) = AsyncStream.makeStream(of: Int.self)
    Task {
      for input in 0..<200 {
        continuation.yield(input)
        if input % 7 == 0 { await Task.yield() }
      }
      continuation.finish()
    }
    var results: [Int] = []
    for try await result in try runner.predictions(of: inputs) { results.append(result.prediction) }
    #expect(results == (0..<200).map { -$0 })
  }

  @Test func emptyInputs() async throws {
    let runner = try Runner(GateNetwork(), inflightBuffers: 3)
    for try await _ in try runner.predictions(of: [Int]()) { Issue.record("there is no input") }
    #expect(try await runner.predictBatch([]) == [])
  }

  @Test func negativeWaitingLimit() throws {
    let runner = try Runner(GateNetwork(), inflightBuffers: 1)
    let error = #expect(throws: RunnerError.self) {
      try runner.predictions(of: [1], waiting: -1)
    }
    #expect(
      error?.description == """
        waiting must be 0 or more
          received  waiting: -1
          needs     at least 0
        """)
  }

  /// Exactly which inputs are predicted when they arrive while all slots are busy.
  @Test(
    arguments: [
      (.dropOldest, 1, 1, [1, 10], 8), (.dropNewest, 1, 1, [1, 2], 8),
      (.dropOldest, 1, 0, [1], 9), (.dropNewest, 1, 0, [1], 9),
      (.dropOldest, 2, 3, [1, 2, 8, 9, 10], 5), (.dropNewest, 2, 3, [1, 2, 3, 4, 5], 5),
      (.dropOldest, 3, 20, Array(1...10), 0), (.block, 2, 1, Array(1...10), 0),
    ] as [(StreamPolicy, Int, Int, [Int], Int)])
  func dropPolicies(
    policy: StreamPolicy, count: Int, waiting: Int, predicted: [Int], dropped: Int
  ) async throws {
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: count)
    let (inputs, continuation) = AsyncStream.makeStream(of: Int.self)
    let stream = try runner.predictions(of: inputs, policy: policy, waiting: waiting)
    let results = Locked<[Int]>([])
    let consumer = collecting(stream, into: results)
    for input in 1...count { continuation.yield(input) }
    try await eventually("the slots are taken") { network.log.inFlight == count }
    for input in count + 1...10 { continuation.yield(input) }
    continuation.finish()
    try await eventually("the others are dropped") { stream.dropped == dropped }
    network.open()
    try await consumer.value
    #expect(results.read { list in list.map { $0 } } == predicted.map { -$0 })
    #expect(stream.dropped == dropped)
    #expect(runner.statistics.dropped == dropped)
    #expect(runner.statistics.completed == predicted.count)
  }

  /// Back-pressure bounds how far the producer runs ahead of an idle consumer.
  @Test(arguments: [1, 2, 4]) func backPressureBoundsProducer(count: Int) async throws {
    struct Counting: AsyncSequence, AsyncIteratorProtocol, Sendable {
      let counter: Counter
      func next() async -> Int? { counter.next() }
      func makeAsyncIterator() -> Counting { self }
    }
    let produced = Counter()
    let runner = try Runner(GateNetwork(), inflightBuffers: count)
    let stream = try runner.predictions(of: Counting(counter: produced), waiting: 2)
    var iterator = stream.makeAsyncIterator()
    #expect(produced.current == 0)
    #expect(try await iterator.next()?.prediction == -1)
    // Finished results, those that run, those that wait.
    let most = 1 + count + (count - 1) + 2
    try await Task.sleep(for: .milliseconds(50))
    #expect(produced.current <= most + 1)
    await runner.drain()
    for expected in 2...100 { #expect(try await iterator.next()?.prediction == -expected) }
    #expect(produced.current <= most + 101)
  }

  /// An error appears at its place in the order and ends the stream.
  @Test(arguments: GateNetwork.Stage.allCases, [1, 3])
  func networkErrorEndsStreamInOrder(stage: GateNetwork.Stage, count: Int) async throws {
    let network = GateNetwork(failing: [20: stage])
    let runner = try Runner(network, inflightBuffers: count)
    var results: [Int] = []
    var iterator = try runner.predictions(of: 0..<1000).makeAsyncIterator()
    await #expect(throws: GateNetwork.Failure(input: 20)) {
      while let result = try await iterator.next() { results.append(result.prediction) }
    }
    #expect(results == (0..<20).map { -$0 })
    #expect(try await iterator.next() == nil)
    await runner.drain()
    #expect(runner.isAtRest)
    #expect(network.log.encoded.count < 40)
  }

  @Test func throwingInputs() async throws {
    struct Broken: Error, Equatable {}
    let runner = try Runner(GateNetwork(), inflightBuffers: 2)
    let inputs = AsyncThrowingStream<Int, any Error> { continuation in
      for input in 0..<10 { continuation.yield(input) }
      continuation.finish(throwing: Broken())
    }
    var results: [Int] = []
    await #expect(throws: Broken()) {
      for try await result in try runner.predictions(of: inputs) {
        results.append(result.prediction)
      }
    }
    #expect(results == (0..<10).map { -$0 })
  }

  /// The remaining work is canceled, and the slots are free again.
  @Test func throwingConsumerCancelsRemainingInputs() async throws {
    struct Enough: Error, Equatable {}
    let network = GateNetwork()
    let runner = try Runner(network, inflightBuffers: 3)
    let (inputs, continuation) = AsyncStream.makeStream(of: Int.self)
    for input in 0..<1000 { continuation.yield(input) }
    var seen = 0
    await #expect(throws: Enough()) {
      for try await _ in try runner.predictions(of: inputs) {
        seen += 1
        if seen == 10 { throw Enough() }
      }
    }
    await runner.drain()
    #expect(runner.isAtRest)
    #expect(network.log.encoded.count < 30)
    #expect(try await runner.predict(1) == -1)
  }

  @Test func cancelledConsumer() async throws {
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: 2)
    let results = Locked<[Int]>([])
    let consumer = collecting(try runner.predictions(of: 0..<100), into: results)
    try await eventually("the slots are taken") { network.log.inFlight == 2 }
    consumer.cancel()
    let error = await #expect(throws: RunnerError.self) { try await consumer.value }
    #expect(error?.kind == .cancelled)
    #expect(results.read { $0.isEmpty })
    network.open()
    await runner.drain()
    #expect(runner.isAtRest)
    #expect(network.log.encoded.count == 2)
  }

  @Test func concurrentStreams() async throws {
    let network = GateNetwork()
    let runner = try Runner(network, inflightBuffers: 2)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let inputs = (0..<200).map { number * 1000 + $0 }
          let results = try await runner.predictBatch(inputs)
          #expect(results == inputs.map { -$0 })
        }
      }
      try await group.waitForAll()
    }
    #expect(network.log.mostInFlight <= 2)
    #expect(runner.statistics.completed == 1600)
  }

  @Test func closedRunner() async throws {
    let runner = try Runner(GateNetwork(), inflightBuffers: 2)
    await runner.shutDown()
    let error = await #expect(throws: RunnerError.self) { try await runner.predictBatch(0..<1000) }
    #expect(error?.kind == .closed)
  }
}
