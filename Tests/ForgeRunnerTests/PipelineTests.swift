import Dispatch
import ForgeRunner
import Testing

@Suite(.timeLimit(.minutes(20))) struct PipelineTests {
  struct Unprepared: Error, Equatable {}
  struct Unread: Error, Equatable {}

  private func pipeline(
    _ runner: Runner<GateNetwork>
  ) -> Pipeline<GateNetwork, String, String> {
    runner.pipeline { (text: String) in
      guard let number = Int(text) else { throw Unprepared() }
      return number
    } readOut: { result in
      if result.prediction == -13 { throw Unread() }
      return "\(result.index): \(result.prediction)"
    }
  }

  @Test func singlePredictions() async throws {
    let runner = try Runner(GateNetwork(), inflightBuffers: 1)
    let pipeline = pipeline(runner)
    #expect(try await pipeline.predict("5") == "0: -5")
    await #expect(throws: Unprepared()) { try await pipeline.predict("five") }
    await #expect(throws: Unread()) { try await pipeline.predict("13") }
    let error = await #expect(throws: RunnerError.self) {
      try await pipeline.predict("five", deadline: .after(.zero))
    }
    // Before the preparation, which would have thrown something else.
    #expect(error?.kind == .deadlineExceeded)
    #expect(runner.isAtRest)
  }

  @Test func callbackPredictions() async throws {
    let runner = try Runner(GateNetwork(), inflightBuffers: 1)
    let pipeline = pipeline(runner)
    let answers = Locked<[String]>([])
    for source in ["5", "x", "13"] {
      pipeline.predict(source, queue: .global()) { result in
        answers.withLock { $0.append((try? result.get()) ?? "error") }
      }
    }
    try await eventually("all are answered") { answers.read { $0.count } == 3 }
    #expect(answers.read { $0.sorted() } == ["0: -5", "error", "error"])
  }

  @Test func batchPreservesOrder() async throws {
    let runner = try Runner(GateNetwork(), inflightBuffers: 2)
    let sources = (20..<220).map { "\($0)" }
    let results = try await pipeline(runner).predictBatch(sources)
    #expect(results == (20..<220).map { "\($0 - 20): -\($0)" })
  }

  @Test(arguments: ["x", "13"]) func errorEndsStream(source: String) async throws {
    let runner = try Runner(GateNetwork(), inflightBuffers: 2)
    var results: [String] = []
    do {
      for try await result in try pipeline(runner).predictions(of: ["1", "2", source] + sources) {
        results.append(result)
      }
      Issue.record("it did not throw")
    } catch {
      #expect(error is Unprepared == (source == "x"))
    }
    #expect(results == ["0: -1", "1: -2"])
    await runner.drain()
    #expect(runner.isAtRest)
  }

  private var sources: [String] { (20..<500).map { "\($0)" } }

  /// While one input runs, the next is prepared and the previous result is read.
  @Test func stagesOverlap() async throws {
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: 1)
    let prepared = Locked<[Int]>([])
    let isReading = Locked(false)
    let gate = AsyncStream.makeStream(of: Void.self)
    let pipeline = runner.pipeline { (input: Int) in
      prepared.withLock { $0.append(input) }
      return input
    } readOut: { result in
      if result.prediction == -1 {
        isReading.withLock { $0 = true }
        for await _ in gate.stream { break }
      }
      return result.prediction
    }
    let consumer = Task {
      var results: [Int] = []
      for try await result in try pipeline.predictions(of: 1...5) { results.append(result) }
      return results
    }
    try await eventually("the first runs") { network.log.encoded.count == 1 }
    try await eventually("others are prepared") { prepared.read { $0.count } == 3 }
    network.letOneThrough()
    // The order of those that are prepared at once is open; the first read out is the gate's.
    try await eventually("one runs behind the first") { network.log.encoded.count == 2 }
    network.open()
    try await eventually("the first is read out") { isReading.current }
    gate.continuation.yield()
    #expect(try await consumer.value == [-1, -2, -3, -4, -5])
  }
}
