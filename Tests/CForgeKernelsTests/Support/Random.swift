/// SplitMix64: the same numbers for the same seed, everywhere.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// A number from -1 to 1, never 0.
  mutating func value() -> Float {
    let magnitude = Float(next() >> 40 | 1) / Float(1 << 24)
    return next() & 1 == 0 ? magnitude : -magnitude
  }

  mutating func values(_ count: Int) -> [Float] { (0..<count).map { _ in value() } }
}
