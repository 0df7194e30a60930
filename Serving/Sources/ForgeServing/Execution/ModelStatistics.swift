import Foundation
import Synchronization

/// What a version of a model has done since it was loaded.
package final class ModelStatistics: Sendable {
  /// A number of events and the time that they took.
  package struct Tally: Sendable {
    package var count = 0
    var nanoseconds: Int64 = 0

    mutating func add(_ duration: Duration) {
      count += 1
      nanoseconds += duration.wholeNanoseconds
    }
  }

  /// The times of one request.
  struct Times: Sendable {
    var queue = Duration.zero
    var input = Duration.zero
    var run = Duration.zero
    var output = Duration.zero
    var total: Duration { queue + input + run + output }
  }

  /// The numbers at a moment.
  package struct Values: Sendable {
    package var success = Tally()
    package var fail = Tally()
    var queue = Tally()
    var input = Tally()
    var run = Tally()
    var output = Tally()
    /// The failed requests by the kind of their error.
    package var failures: [ServingError.Kind: Int] = [:]
    /// The examples that were predicted.
    package var examples = 0
    /// The requests that were run, by the number of their examples.
    var batches: [Int: Tally] = [:]
    /// The moment of the last request, in milliseconds since 1970.
    var last: Int64 = 0
    /// The requests whose latency is at most 2^n microseconds, by n.
    var histogram = Array(repeating: 0, count: 28)
  }

  private let values = Mutex(Values())
  private let pendingRequests = Atomic<Int>(0)

  /// The numbers so far.
  package var current: Values { values.withLock { $0 } }

  /// The requests that wait or run.
  package var pending: Int { pendingRequests.load(ordering: .relaxed) }

  /// Counts a request that begins; returns how many there are with it.
  package func began() -> Int {
    pendingRequests.add(1, ordering: .relaxed).newValue
  }

  /// Counts a request that ends.
  package func ended() { pendingRequests.subtract(1, ordering: .relaxed) }

  /// Counts a request that was answered.
  func succeeded(_ times: Times, examples: Int) {
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    values.withLock { values in
      values.success.add(times.total)
      values.queue.add(times.queue)
      values.input.add(times.input)
      values.run.add(times.run)
      values.output.add(times.output)
      values.examples += examples
      // Sizes of batches come from clients; those beyond a bound are counted together.
      values.batches[min(examples, 1024), default: Tally()].add(times.run)
      values.last = now
      let microseconds = UInt64(max(times.total.wholeNanoseconds / 1000, 1))
      let place = microseconds == 1 ? 0 : 64 - (microseconds - 1).leadingZeroBitCount
      values.histogram[min(place, values.histogram.count - 1)] += 1
    }
  }

  /// Counts a request that failed.
  func failed(_ error: ServingError, after duration: Duration) {
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    values.withLock { values in
      values.fail.add(duration)
      values.failures[error.kind, default: 0] += 1
      values.last = now
    }
  }
}

extension Duration {
  /// The whole nanoseconds, at most those that `Int64` holds.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : product + attoseconds / 1_000_000_000
  }
}
