import ForgeOperations
import ForgeSystem

/// The numbers that samples leave in a tensor, as their range and, in a second pass, a histogram.
package struct ObservedRange {
  /// The least and the greatest number; 0 is always within.
  package private(set) var least: Float = 0
  package private(set) var greatest: Float = 0
  /// Whether all numbers were finite.
  package private(set) var isFinite = true
  /// How many numbers lie in each equal part of the range.
  package private(set) var histogram: [Int] = []

  private static let parts = 2048
  /// The fewest numbers for each part that show a distribution.
  private static let fewest = 16.0

  /// Of no numbers yet.
  package init() {}

  /// Widens the range.
  package mutating func widen(by values: [Float]) {
    for value in values {
      guard value.isFinite else {
        isFinite = false
        continue
      }
      least = min(least, value)
      greatest = max(greatest, value)
    }
  }

  /// Counts numbers within the range, which must be complete.
  package mutating func count(_ values: [Float]) {
    if histogram.isEmpty { histogram = Array(repeating: 0, count: Self.parts) }
    let width = Double(greatest) - Double(least)
    guard width > 0 else { return }
    for value in values where value.isFinite {
      let place = Int((Double(value) - Double(least)) / width * Double(Self.parts))
      histogram[min(max(place, 0), Self.parts - 1)] += 1
    }
  }

  /// The integers for the range that a method takes.
  package func quantization(_ method: CalibrationMethod) -> Quantization {
    let (least, greatest) = range(method)
    let width = (Double(greatest) - Double(least)) / 255
    let scale = Float(width)
    // A tensor of zeros, or of numbers so small that their integers would have no scale.
    guard scale.isNormal else {
      return Quantization(scale: 1, zeroPoint: 0, storage: .uint8)
    }
    let zeroPoint = (-Double(least) / Double(scale)).rounded(.toNearestOrEven)
    return Quantization(
      scale: scale, zeroPoint: Int(min(max(zeroPoint, 0), 255)), storage: .uint8)
  }

  private func range(_ method: CalibrationMethod) -> (least: Float, greatest: Float) {
    switch method {
    case .minimumAndMaximum: (least, greatest)
    case .percentile(let share): percentile(share)
    case .entropy: leastDivergence()
    }
  }

  /// The number where a part of the histogram begins.
  private func edge(_ part: Int) -> Float {
    let width = Double(greatest) - Double(least)
    return Float(Double(least) + width * Double(part) / Double(Self.parts))
  }

  private func percentile(_ share: Double) -> (Float, Float) {
    let total = histogram.reduce(0, +)
    let most = Double(total) * (100 - share) / 200
    var (low, below) = (0, 0.0)
    while low < histogram.count, below + Double(histogram[low]) <= most {
      below += Double(histogram[low])
      low += 1
    }
    var (high, above) = (histogram.count, 0.0)
    while high > low, above + Double(histogram[high - 1]) <= most {
      above += Double(histogram[high - 1])
      high -= 1
    }
    // The range still holds 0.
    return (min(max(edge(low), least), 0), max(min(edge(high), greatest), 0))
  }

  /// The range cut off at the magnitude whose levels diverge the least.
  private func leastDivergence() -> (Float, Float) {
    let magnitudes = magnitudeHistogram
    let largest = max(-Double(least), Double(greatest))
    guard largest > 0, let best = Self.leastDivergence(of: magnitudes) else {
      return (least, greatest)
    }
    let threshold = Float(largest * Double(best) / Double(magnitudes.count))
    return (max(least, -threshold), min(greatest, threshold))
  }

  /// How many numbers have a magnitude in each equal part up to the largest.
  private var magnitudeHistogram: [Double] {
    var counts = Array(repeating: 0.0, count: Self.parts)
    let largest = max(-Double(least), Double(greatest))
    guard largest > 0 else { return counts }
    let width = (Double(greatest) - Double(least)) / Double(Self.parts)
    for (part, count) in histogram.enumerated() {
      let middle = abs(Double(least) + width * (Double(part) + 0.5))
      counts[min(Int(middle / largest * Double(Self.parts)), Self.parts - 1)] += Double(count)
    }
    return counts
  }

  /// The number of parts up to the best threshold; `nil` if there are too few numbers to tell.
  package static func leastDivergence(of counts: [Double], levels: Int = 128) -> Int? {
    let total = counts.reduce(0, +)
    guard total >= fewest * Double(counts.count), counts.count >= levels else { return nil }
    var best: (parts: Int, divergence: Double)?
    var beyond = total - counts[..<levels].reduce(0, +)
    for parts in levels...counts.count {
      if parts > levels { beyond -= counts[parts - 1] }
      let found = divergence(counts[..<parts], beyond: beyond, levels: levels)
      if best.map({ found < $0.divergence }) ?? true { best = (parts, found) }
    }
    return best?.parts
  }

  /// The divergence of counts from the same counts spread evenly within each of some levels; the
  /// numbers beyond the last part count as in it.
  private static func divergence(
    _ counts: ArraySlice<Double>, beyond: Double, levels: Int
  ) -> Double {
    let total = counts.reduce(0, +)
    guard total > 0 else { return .infinity }
    var sum = 0.0
    for level in 0..<levels {
      let start = level * counts.count / levels
      let end = (level + 1) * counts.count / levels
      let part = counts[start..<end]
      let filled = Double(part.count { $0 > 0 })
      guard filled > 0 else { continue }
      let spread = part.reduce(0, +) / filled / total
      for (index, count) in part.enumerated() where count > 0 {
        let isLast = start + index == counts.count - 1
        let share = (count + (isLast ? beyond : 0)) / (total + beyond)
        sum += share * log(share / spread)
      }
    }
    // The last part stands for everything beyond, even where it holds no number itself.
    if beyond > 0, counts.last == 0 { return .infinity }
    return sum
  }
}
