import ForgeMetrics
import ForgeRunner
import MetricsTestKit
import Testing

@Suite struct RunnerMetricsTests {
  struct Negation: NeuralNetwork {
    struct Odd: Error {}

    func makeSlot() -> [Int] { [] }
    func encode(_ input: Int, into slot: [Int]) throws { if input < 0 { throw Odd() } }
    func run(_ slot: [Int]) {}
    func fetch(from slot: [Int]) -> Int { 1 }
  }

  @Test func countersAndGauges() async throws {
    let runner = try Runner(Negation(), inflightBuffers: 1)
    let system = TestMetrics()
    let metrics = RunnerMetrics(
      label: "net", dimensions: [("model", "negation")], factory: system)
    for input in [1, 2, -1, 3] { _ = try? await runner.predict(input) }
    await runner.drain()
    metrics.report(runner.statistics)
    _ = try await runner.predict(4)
    await runner.drain()
    metrics.report(runner.statistics)

    let dimensions = [("model", "negation")]
    let completed = try system.expectCounter("net.completed", dimensions)
    #expect(completed.values.reduce(0, +) == 4)
    let failed = try system.expectCounter("net.failed", dimensions)
    #expect(failed.values.reduce(0, +) == 1)
    let latency = try system.expectGauge("net.latency_max", dimensions)
    #expect(latency.lastValue == runner.statistics.latency.maximum / .seconds(1))
    #expect(try system.expectGauge("net.in_flight", dimensions).lastValue == 0)
    // After a reset it counts from 0.
    runner.resetStatistics()
    _ = try await runner.predict(5)
    await runner.drain()
    metrics.report(runner.statistics)
    #expect(completed.values.reduce(0, +) == 5)
  }
}
