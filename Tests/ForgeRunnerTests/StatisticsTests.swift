import ForgeRunner
import Testing

@Suite(.timeLimit(.minutes(20))) struct StatisticsTests {
  @Test func initialStatistics() throws {
    let statistics = try Runner(GateNetwork(), inflightBuffers: 1).statistics
    #expect(statistics.completed == 0)
    #expect(statistics.latency.count == 0)
    #expect(statistics.latency.p99 == .zero)
    #expect(statistics.throughput == 0)
  }

  /// Known times on a test clock.
  @Test func stageTimes() async throws {
    let clock = TestClock()
    let network = GateNetwork(isOpen: false, failing: [3: .run])
    let runner = try Runner(network, inflightBuffers: 1, clock: clock)
    for input in 1...3 {
      let task = predicting(input, with: runner)
      try await eventually("it runs") { network.log.inFlight == 1 }
      clock.advance(by: .milliseconds(input * 10))
      network.letOneThrough()
      _ = try? await task.value
      await runner.drain()
      clock.advance(by: .seconds(5))
    }
    let statistics = runner.statistics
    #expect(statistics.completed == 2)
    #expect(statistics.failed == 1)
    #expect(statistics.running.count == 2)
    #expect(statistics.running.maximum == .milliseconds(20))
    #expect(statistics.running.mean == .milliseconds(15))
    #expect(statistics.latency == statistics.running)
    #expect(statistics.waiting.maximum == .zero)
    #expect((10.0...10.4).contains(statistics.running.p50 / .milliseconds(1)))
    #expect(statistics.running.p99 == .milliseconds(20))
    // 10 + 20 + 30 ms, without the pauses.
    #expect(statistics.active == .milliseconds(60))
    #expect(abs(statistics.throughput - 2 / 0.06) < 1e-6)
    let median = (statistics.running.p50 / .milliseconds(1) * 10).rounded() / 10
    #expect(
      "\(statistics)" == """
        2 completed, 1 failed, 0 canceled, 0 late, 0 dropped, 0 running, 0 waiting, 33.3/s
        latency \(median) ms p50, 20.0 ms p90, 20.0 ms p99, 20.0 ms most; waiting 0.0 ms, \
        running 15.0 ms
        """)
    runner.resetStatistics()
    #expect(runner.statistics.completed == 0)
    #expect(runner.statistics.active == .zero)
  }

  @Test func sensibleSizing() {
    #expect(
      RunnerSizing.sensible(for: .latency, cores: 6)
        == RunnerSizing(inflightBuffers: 2, threads: 6))
    #expect(
      RunnerSizing.sensible(for: .throughput, cores: 6)
        == RunnerSizing(inflightBuffers: 7, threads: 1))
    for goal in RunnerSizing.Goal.allCases {
      for cores in [.min, -1, 0, 1, 2, 1000, .max] as [Int] {
        let sizing = RunnerSizing.sensible(for: goal, cores: cores)
        #expect((1...64).contains(sizing.inflightBuffers))
        #expect(sizing.threads >= 1)
      }
    }
    #expect(RunnerSizing.usableCores >= 1)
    #expect(RunnerSizing.allowedCores(inStatus: "Name:\tx\nCpus_allowed:\tff,00000003\n") == 10)
    #expect(RunnerSizing.allowedCores(inStatus: "Cpus_allowed_list:\t0-3\n") == nil)
    #expect(RunnerSizing.allowedCores(inStatus: "Cpus_allowed:\t0\n") == nil)
  }
}
