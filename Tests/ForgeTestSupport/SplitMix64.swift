/// A small random generator whose numbers are the same on every run and machine.
///
/// The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator; equal seeds give equal numbers.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// A number from `range`, all about equally likely, and never 0.
  public mutating func value(in range: ClosedRange<Float>) -> Float {
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
