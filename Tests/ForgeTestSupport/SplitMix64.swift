@_exported import ForgeShapes
import Foundation

extension SplitMix64 {
  /// A number from `range`, all about equally likely, and never 0.
  package mutating func value(in range: ClosedRange<Float>) -> Float {
    while true {
      let unit = Double(next() >> 11) * 0x1p-53
      let span = Double(range.upperBound) - Double(range.lowerBound)
      let value = Float(Double(range.lowerBound) + unit * span)
      if value != 0 || span == 0 { return value }
    }
  }
}

/// Random numbers from a range, never 0, which are the same for the same seed.
public func seededValues(
  count: Int, seed: UInt64, range: ClosedRange<Float> = -1...1
) -> [Float] {
  var generator = SplitMix64(seed: seed)
  return (0..<count).map { _ in generator.value(in: range) }
}

/// Seeded values of the normal distribution of mean 0 and variance 1, by the sum of twelve uniform ones.
public func normalValues(count: Int, seed: UInt64) -> [Float] {
  var generator = SplitMix64(seed: seed)
  return (0..<count).map { _ in
    (0..<12).reduce(Float(-6)) { sum, _ in sum + generator.value(in: 0...1) }
  }
}

/// Seeded scales from 10^−decades to 10^decades, their logarithms uniform.
public func channelScales(count: Int, decades: Float, seed: UInt64) -> [Float] {
  seededValues(count: count, seed: seed, range: -decades...decades).map { pow(10, $0) }
}
