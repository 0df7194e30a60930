/// A histogram of times with 32 buckets per power of two.
struct Histogram: Sendable {
  private static let bits = 5
  private static let parts = 1 << bits

  private var counts = [Int](repeating: 0, count: (64 - bits) * parts)
  private var count = 0
  private var sum: Int128 = 0
  private var maximum: Nanoseconds = 0

  /// Counts a time; negative times, from a clock that was set back, count as 0.
  mutating func add(_ time: Nanoseconds) {
    let time = max(time, 0)
    counts[Self.bucket(time)] += 1
    count += 1
    sum += Int128(time)
    maximum = max(maximum, time)
  }

  /// The distribution of the times.
  var times: RunnerStatistics.Times {
    RunnerStatistics.Times(
      count: count, mean: .nanoseconds(Nanoseconds(clamping: sum / Int128(max(count, 1)))),
      p50: percentile(0.5), p90: percentile(0.9), p99: percentile(0.99),
      maximum: .nanoseconds(maximum))
  }

  /// The percentile for a fraction of all times; at most 1/32 too large.
  private func percentile(_ share: Double) -> Duration {
    let rank = (Double(count) * share).rounded(.up)
    var seen = 0
    for (bucket, number) in counts.enumerated() where number > 0 {
      seen += number
      if Double(seen) >= rank { return .nanoseconds(min(Self.upperBound(bucket), maximum)) }
    }
    return .nanoseconds(maximum)
  }

  private static func bucket(_ time: Nanoseconds) -> Int {
    guard time >= parts else { return Int(time) }
    let shift = 63 - time.leadingZeroBitCount - bits
    return (shift + 1) * parts + (Int(time >> shift) & (parts - 1))
  }

  /// The maximum time of a bucket.
  private static func upperBound(_ bucket: Int) -> Nanoseconds {
    guard bucket >= parts else { return Nanoseconds(bucket) }
    let shift = bucket / parts - 1
    return (Nanoseconds(parts + bucket % parts) << shift) + ((1 << shift) - 1)
  }
}
