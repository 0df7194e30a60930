import ForgeShapes

typealias SeededGenerator = SplitMix64

extension SplitMix64 {
  /// A number from -1 to 1, never 0.
  mutating func value() -> Float {
    let magnitude = Float(next() >> 40 | 1) / Float(1 << 24)
    return next() & 1 == 0 ? magnitude : -magnitude
  }

  mutating func values(_ count: Int) -> [Float] { (0..<count).map { _ in value() } }
}
