/// A histogram of times with 32 buckets per power of two.
struct Histogram: Sendable {
  private static let bits = 5
  private static let parts = 1 << bits

  private var counts = [UInt64](repeating: 0, count: (64 - bits) * parts)
  private(set) var count: UInt64 = 0
  private(set) var sum = 0.0
  private(set) var maximum: Nanoseconds = 0

  /// Counts a time; a negative one, from a clock that was set back, counts as 0.
  mutating func add(_ time: Nanoseconds) {
    let time = max(time, 0)
    counts[Self.bucket(UInt64(time))] += 1
    count += 1
    sum += Double(time)
    maximum = max(maximum, time)
  }

  /// The percentile for a fraction of all times, at most 1/32 too large.
  func percentile(_ share: Double) -> Nanoseconds {
    guard count > 0 else { return 0 }
    let rank = max((Double(count) * share).rounded(.up), 1)
    var seen: UInt64 = 0
    for (bucket, number) in counts.enumerated() where number > 0 {
      seen += number
      if Double(seen) >= rank { return min(Self.upperBound(bucket), maximum) }
    }
    return maximum
  }

  static func bucket(_ time: UInt64) -> Int {
    guard time >= UInt64(parts) else { return Int(time) }
    let exponent = 63 - time.leadingZeroBitCount
    let part = Int(time >> UInt64(exponent - bits)) & (parts - 1)
    return (exponent - bits + 1) * parts + part
  }

  /// The largest time of a bucket.
  static func upperBound(_ bucket: Int) -> Nanoseconds {
    guard bucket >= parts else { return Nanoseconds(bucket) }
    let shift = bucket / parts - 1
    let first = UInt64(parts + bucket % parts) << UInt64(shift)
    return Nanoseconds(clamping: first + (1 << UInt64(shift)) - 1)
  }
}
