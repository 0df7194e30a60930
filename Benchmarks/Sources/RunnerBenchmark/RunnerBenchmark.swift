import Dispatch
import Forge
import ForgeModels
import Foundation

/// Times the Runner: its own cost per prediction, its latency from idle, and the throughput of MobileNet.
///
/// `Benchmarks/run RunnerBenchmark [PREDICTIONS [SECONDS]]`
@main
struct RunnerBenchmark {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst().map { Double($0) ?? -1 }
    guard arguments.allSatisfy({ $0 > 0 && $0 < 1e9 }) else {
      FileHandle.standardError.write(Data("PREDICTIONS and SECONDS are positive numbers\n".utf8))
      exit(64)
    }
    let count = Int(arguments.first ?? 100_000)
    try await ownCost(count: max(count, 64))
    try await fromIdle()
    try await throughput(seconds: arguments.dropFirst().first ?? 2)
  }

  private static let clock = ContinuousClock()

  private static func microseconds(_ duration: Duration, per count: Int) -> String {
    String(format: "%.2f µs", duration / .microseconds(1) / Double(count))
  }

  /// A network that does nothing, all slots busy, the best of five rounds.
  private static func ownCost(count: Int) async throws {
    print("own cost per prediction, \(count) predictions of a network that does nothing")
    let queue = DispatchQueue(label: "benchmark")
    for slots in 1...4 {
      let runner = try Runner(NothingNetwork(), inflightBuffers: slots)
      var best = (callback: Duration.seconds(1000), async: Duration.seconds(1000))
      var bare = Duration.seconds(1000)
      for _ in 0..<5 {
        bare = min(bare, callbacks(count) { leave in queue.async(execute: leave) })
        best.callback = min(
          best.callback,
          callbacks(count) { leave in runner.predict(1, queue: queue) { _ in leave() } })
        best.async = min(best.async, try await tasks(count, runner))
      }
      print(
        "  \(slots) slots: callback \(microseconds(best.callback, per: count))",
        "async \(microseconds(best.async, per: count))",
        "bare dispatch \(microseconds(bare, per: count))", separator: "  ")
    }
  }

  private static func callbacks(
    _ count: Int, _ ask: (@escaping @Sendable () -> Void) -> Void
  ) -> Duration {
    let group = DispatchGroup()
    return clock.measure {
      for _ in 0..<count {
        group.enter()
        ask { group.leave() }
      }
      group.wait()
    }
  }

  /// From 64 tasks.
  private static func tasks(_ count: Int, _ runner: Runner<NothingNetwork>) async throws -> Duration
  {
    try await clock.measure {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<64 {
          group.addTask {
            for _ in stride(from: task, to: count, by: 64) { _ = try await runner.predict(1) }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// One prediction at a time, each after a pause in which everything sleeps.
  private static func fromIdle() async throws {
    let runner = try Runner(NothingNetwork(), inflightBuffers: 3)
    let queue = DispatchQueue(label: "benchmark")
    var async: [Double] = []
    var callback: [Double] = []
    for _ in 0..<200 {
      try await Task.sleep(for: .milliseconds(5))
      var start = clock.now
      _ = try await runner.predict(1)
      async.append((clock.now - start) / .microseconds(1))
      try await Task.sleep(for: .milliseconds(5))
      start = clock.now
      let end = await withCheckedContinuation { continuation in
        runner.predict(1, queue: queue) { _ in continuation.resume(returning: clock.now) }
      }
      callback.append((end - start) / .microseconds(1))
    }
    print(
      String(
        format: "one prediction from idle, median: callback %.0f µs, async %.0f µs",
        callback.sorted()[100], async.sorted()[100]))
  }

  /// Predictions per second of MobileNet v1, 224×224, with and without preparing pictures.
  private static func throughput(seconds: Double) async throws {
    print("MobileNet v1 224×224, predictions per second (p99 latency)")
    let network = try Model.mobileNetV1().compile(parameters: RandomParameters(seed: 1))
    let bytes = (0..<224 * 224 * 3).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let values = bytes.map { Float($0) / 127.5 - 1 }
    for threads in 1...2 {
      for slots in 1...4 {
        let runner = try Runner(network, inflightBuffers: slots, threads: threads)
        let pipeline = runner.pipeline { (bytes: [UInt8]) in
          bytes.map { Float($0) / 127.5 - 1 }
        } readOut: { result in
          result.prediction.top(k: 5)
        }
        _ = try await runner.predictBatch(Array(repeating: values, count: 8))
        let plain = try await rate(seconds, runner) {
          for try await _ in try runner.predictions(of: Repeated(element: values, for: seconds)) {}
        }
        let prepared = try await rate(seconds, runner) {
          for try await _ in try pipeline.predictions(of: Repeated(element: bytes, for: seconds)) {}
        }
        print(
          "  slots: \(slots)  threads of each: \(threads)  \(plain)  with preparation: \(prepared)")
      }
    }
  }

  private static func rate<Network>(
    _ seconds: Double, _ runner: Runner<Network>, _ body: () async throws -> Void
  ) async throws -> String {
    runner.resetStatistics()
    let time = try await clock.measure(body)
    let statistics = runner.statistics
    return String(
      format: "%.0f/s (%.1f ms)", Double(statistics.completed) / (time / .seconds(1)),
      statistics.latency.p99 / .milliseconds(1))
  }
}

/// The same element again and again for some time.
struct Repeated<Element: Sendable>: Sequence, IteratorProtocol, Sendable {
  let element: Element
  let end: ContinuousClock.Instant

  init(element: Element, for seconds: Double) {
    self.element = element
    end = .now + .seconds(seconds)
  }

  func next() -> Element? { ContinuousClock.now < end ? element : nil }
}
