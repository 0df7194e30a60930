import ForgeSystem

/// The angles by which positions are encoded.
enum PositionRule {
  /// The cosine and sine of `position · base^(−2 · pair / channels)`.
  static func turn(
    _ position: Int, pair: Int, of channels: Int, base: Float
  ) -> (cosine: Float, sine: Float) {
    let angle = Double(position) * pow(Double(base), -2 * Double(pair) / Double(channels))
    return (Float(cos(angle)), Float(sin(angle)))
  }
}
