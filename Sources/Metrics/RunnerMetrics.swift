import ForgeRunner
import Metrics
import Synchronization

/// Reports the statistics of a `Runner` to swift-metrics.
///
/// ```swift
/// let metrics = RunnerMetrics(label: "forge.runner", dimensions: [("model", "mobilenet")])
/// let reporting = Task {
///   while !Task.isCancelled {
///     metrics.report(runner.statistics)
///     try await Task.sleep(for: .seconds(5))
///   }
/// }
/// ```
/// Counters: `completed`, `failed`, `cancelled`, `deadline_exceeded`, `dropped`. Gauges:
/// `in_flight`, `waiting`, `throughput` (results per second), and in seconds `latency_p50`,
/// `latency_p90`, `latency_p99`, `latency_max`, `waiting_p99`, `running_p99`, `reading_out_p99`.
///
/// Any task may report; one at a time should, as each report has the changes since the one before.
public final class RunnerMetrics: Sendable {
  private let label: String
  private let dimensions: [(String, String)]
  private let factory: any MetricsFactory
  private let last = Mutex<RunnerStatistics?>(nil)

  /// Creates a reporter.
  ///
  /// - Parameters:
  ///   - label: the prefix of the names.
  ///   - dimensions: the labels that distinguish this runner from others.
  ///   - factory: the metrics system; by default that of the program.
  public init(
    label: String = "forge.runner", dimensions: [(String, String)] = [],
    factory: any MetricsFactory = MetricsSystem.factory
  ) {
    self.label = label
    self.dimensions = dimensions
    self.factory = factory
  }

  /// Reports the changes since the last report, and the current state.
  ///
  /// - Parameter statistics: the runner's statistics; after a reset they count from 0.
  public func report(_ statistics: RunnerStatistics) {
    let before = last.withLock { last in
      let before = last
      last = statistics
      return before
    }
    let last = before.flatMap { $0.completed > statistics.completed ? nil : $0 }
    count("completed", statistics.completed, last?.completed)
    count("failed", statistics.failed, last?.failed)
    count("cancelled", statistics.cancelled, last?.cancelled)
    count("deadline_exceeded", statistics.deadlineExceeded, last?.deadlineExceeded)
    count("dropped", statistics.dropped, last?.dropped)
    set("in_flight", Double(statistics.inFlight))
    set("waiting", Double(statistics.waitingNow))
    set("throughput", statistics.throughput)
    set("latency_p50", statistics.latency.p50 / .seconds(1))
    set("latency_p90", statistics.latency.p90 / .seconds(1))
    set("latency_p99", statistics.latency.p99 / .seconds(1))
    set("latency_max", statistics.latency.maximum / .seconds(1))
    set("waiting_p99", statistics.waiting.p99 / .seconds(1))
    set("running_p99", statistics.running.p99 / .seconds(1))
    set("reading_out_p99", statistics.readingOut.p99 / .seconds(1))
  }

  private func count(_ name: String, _ now: Int, _ before: Int?) {
    let change = max(now - (before ?? 0), 0)
    Counter(label: "\(label).\(name)", dimensions: dimensions, factory: factory)
      .increment(by: change)
  }

  private func set(_ name: String, _ value: Double) {
    Gauge(label: "\(label).\(name)", dimensions: dimensions, factory: factory).record(value)
  }
}
