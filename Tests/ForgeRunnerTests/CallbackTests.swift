import Dispatch
import ForgeRunner
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct CallbackTests {
  /// The callback form of the 2017 interface.
  @Test func callbackRunsOnMainQueue() async throws {
    let runner = try Runner(GateNetwork(), inflightBuffers: 3)
    let seen = Locked<(prediction: Int, isMain: Bool)?>(nil)
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    runner.predict(7, queue: .main) { result in
      let prediction = (try? result.get().prediction) ?? 0
      seen.withLock { $0 = (prediction, DispatchQueue.getSpecific(key: key) == true) }
    }
    try await eventually("it has called back") { seen.current != nil }
    #expect(seen.current?.prediction == -7)
    #expect(seen.current?.isMain == true)
  }

  @Test func callbackRunsOnChosenQueue() async throws {
    let runner = try Runner(GateNetwork(), inflightBuffers: 2)
    let queue = DispatchQueue(label: "test.callbacks")
    let key = DispatchSpecificKey<Int>()
    queue.setSpecific(key: key, value: 5)
    let results = Locked<[Int]>([])
    for input in 0..<500 {
      runner.predict(input, queue: queue) { result in
        let value = DispatchQueue.getSpecific(key: key) == 5 ? try? result.get().prediction : nil
        results.withLock { $0.append(value ?? .min) }
      }
    }
    try await eventually("all have called back") { results.read { $0.count } == 500 }
    #expect(results.read { $0.sorted(by: >) } == (0..<500).map { -$0 })
    #expect(runner.isAtRest)
  }

  /// The call returns while every slot is busy, and results report their waiting time.
  @Test func predictReturnsImmediately() async throws {
    let clock = TestClock()
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: 1, clock: clock)
    let results = Locked<[PredictionResult<Int, Void>]>([])
    let queue = DispatchQueue(label: "test.callbacks")
    for input in 1...3 {
      runner.predict(input, queue: queue) { result in
        results.withLock { list in _ = (try? result.get()).map { list.append($0) } }
      }
      try await eventually("\(input) is there") {
        network.log.inFlight == 1 && runner.waitingPredictions == input - 1
      }
      clock.advance(by: .milliseconds(1))
    }
    // The first has been in flight for 3 ms, the others have waited for 2 and 1.
    for count in 1...3 {
      network.letOneThrough()
      try await eventually("\(count) are finished") { results.read { $0.count } == count }
      let next = min(count + 1, 3)
      try await eventually("the next runs") { network.log.encoded.count == next }
      clock.advance(by: .milliseconds(10))
    }
    #expect(results.read { $0.map(\.prediction) } == [-1, -2, -3])
    #expect(
      results.read { $0.map(\.latency) } == [
        .milliseconds(3), .milliseconds(12), .milliseconds(21),
      ])
    #expect(
      results.read { $0.map(\.waited) } == [.zero, .milliseconds(2), .milliseconds(11)])
    #expect(results.read { $0.map(\.index) } == [0, 0, 0])
  }

  @Test func callbacksReportErrorsAndCancellation() async throws {
    let network = GateNetwork(isOpen: false, failing: [1: .run])
    let runner = try Runner(network, inflightBuffers: 1)
    let queue = DispatchQueue(label: "test.callbacks")
    let answers = Locked<[Int: [Result<Int, any Error>]]>([:])
    let requests = (1...4).map { input in
      runner.predict(input, queue: queue) { result in
        answers.withLock { $0[input, default: []].append(result.map(\.prediction)) }
      }
    }
    try await eventually("the first runs") { network.log.inFlight == 1 }
    requests[1].cancel()
    try await eventually("the second is answered") { answers.read { $0[2] != nil } }
    #expect(throws: RunnerError.self) { try answers.read { try $0[2]?.first?.get() } }
    network.open()
    try await eventually("all are answered") { answers.read { $0.count } == 4 }
    #expect(throws: GateNetwork.Failure(input: 1)) { try answers.read { try $0[1]?.first?.get() } }
    #expect(try answers.read { try $0[3]?.first?.get() } == -3)
    // Too late for anything.
    for request in requests { request.cancel() }
    await runner.drain()
    #expect(answers.read { $0.values.allSatisfy { $0.count == 1 } })
    #expect(network.log.encoded == [1, 3, 4])
    #expect(runner.isAtRest)
  }

  /// A runner released with work in flight answers all of it first.
  @Test(arguments: [1, 3]) func callbacksOutliveRunner(count: Int) async throws {
    weak var runner: Runner<GateNetwork>?
    weak var network: GateNetwork?
    let answers = Locked<[Int]>([])
    do {
      let gate = GateNetwork(isOpen: false)
      let made = try Runner(gate, inflightBuffers: count)
      (runner, network) = (made, gate)
      for input in 1...10 {
        made.predict(input, queue: .global()) { result in
          answers.withLock { $0.append((try? result.get().prediction) ?? 0) }
        }
      }
      try await eventually("the slots are taken") { gate.log.inFlight == count }
    }
    #expect(runner == nil)
    #expect(answers.read { $0.isEmpty })
    network?.open()
    try await eventually("all are answered") { answers.read { $0.count } == 10 }
    #expect(answers.read { $0.sorted(by: >) } == (-10 ... -1).reversed())
    try await eventually("the network is gone") { network == nil }
  }

  /// A runner's last owner may be one of its own callbacks.
  @Test func callbackMayReleaseRunner() async throws {
    final class Owner: @unchecked Sendable {
      var runner: Runner<GateNetwork>?
    }
    weak var network: GateNetwork?
    let isDone = Locked(false)
    do {
      let gate = GateNetwork()
      network = gate
      let owner = Owner()
      owner.runner = try Runner(gate, inflightBuffers: 1)
      owner.runner?.predictDirectly(1) { _ in
        owner.runner = nil
        isDone.withLock { $0 = true }
      }
    }
    try await eventually("it is answered") { isDone.current }
    try await eventually("the network is gone") { network == nil }
  }
}

@Suite(.timeLimit(.minutes(20))) struct EndTests {
  @Test func shutDownAnswersPendingPredictions() async throws {
    let network = GateNetwork(isOpen: false)
    let runner = try Runner(network, inflightBuffers: 2)
    let tasks = (1...10).map { predicting($0, with: runner) }
    try await eventually("all are there") { runner.waitingPredictions == 8 }
    let isOver = Locked(false)
    let end = Task {
      await runner.shutDown()
      isOver.withLock { $0 = true }
    }
    // Sooner or later it takes no more; those from before are still there.
    var refusal: RunnerError?
    while refusal == nil {
      do {
        _ = try await runner.predict(99, deadline: .after(.milliseconds(1)))
      } catch let error as RunnerError where error.kind == .closed {
        refusal = error
      } catch {
        #expect((error as? RunnerError)?.kind == .deadlineExceeded)
      }
    }
    #expect(refusal?.description == "the runner is closed and accepts no more predictions")
    #expect(!isOver.current)
    network.open()
    await end.value
    for (input, task) in zip(1..., tasks) { #expect(try await task.value == -input) }
    #expect(Set(network.log.encoded) == Set(1...10))
    #expect(runner.isAtRest)
    await runner.shutDown()
  }

  @Test func drainOfIdleRunnerReturns() async throws {
    let runner = try Runner(GateNetwork(), inflightBuffers: 2)
    await runner.drain()
    #expect(try await runner.predict(1) == -1)
    await runner.drain()
    await runner.drain()
    #expect(try await runner.predict(2) == -2)
  }

  @Test func drainWaitsForAllPredictions() async throws {
    let network = GateNetwork()
    let runner = try Runner(network, inflightBuffers: 2)
    let answered = Counter()
    for input in 0..<2000 {
      runner.predictDirectly(input) { _ in _ = answered.next() }
      if input % 100 == 99 {
        await runner.drain()
        #expect(answered.current == input + 1)
      }
    }
  }

  /// A child process has no threads: it gets an error instead of waiting forever.
  ///
  /// ThreadSanitizer does not survive a fork of a process with threads.
  @Test(.enabled(if: getenv("TSAN_OPTIONS") == nil, "ThreadSanitizer does not survive a fork"))
  func forkedChildGetsError() async throws {
    let runner = try Runner(GateNetwork(), inflightBuffers: 1)
    #expect(try await runner.predict(1) == -1)
    let isRefused = Locked(false)
    // Another test's thread may hold a lock of the Swift runtime at the very moment of the fork, which
    // the child then never gets; so it has five seconds and further tries.
    var status: Int32 = 0
    for _ in 0..<5 where status != 17 << 8 {
      let child = try fork()
      if child == 0 {
        alarm(5)
        runner.predictDirectly(2) { answer in
          guard case .failure(let error) = answer else { return }
          isRefused.withLock { $0 = (error as? RunnerError)?.kind == .forked }
        }
        runner.resetStatistics()
        _exit(isRefused.current ? 17 : 1)
      }
      waitpid(child, &status, 0)
    }
    #expect(status == 17 << 8)
    #expect(try await runner.predict(3) == -3)
  }

  /// Swift hides it, because little may be called in the child.
  private func fork() throws -> pid_t {
    typealias Fork = @convention(c) () -> pid_t
    let symbol = try #require(dlsym(dlopen(nil, RTLD_NOW), "fork"))
    return unsafeBitCast(symbol, to: Fork.self)()
  }
}
