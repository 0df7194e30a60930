/// A scale of a resampled axis as a quotient of two whole numbers, usually of two sizes.
package struct SizeRatio: Hashable, Sendable, Encodable {
  /// The size after a resampling.
  package let output: Int
  /// The size before it.
  package let input: Int

  /// Creates a scale of `output` / `input`; both are above 0.
  package init(_ output: Int, to input: Int) {
    (self.output, self.input) = (max(output, 1), max(input, 1))
  }

  /// The scale as a floating-point number.
  package var value: Double { Double(output) / Double(input) }

  /// Whether the scale is below another one.
  package func isBelow(_ other: SizeRatio) -> Bool {
    Int128(output) * Int128(other.input) < Int128(other.output) * Int128(input)
  }

  /// The ratio times a whole number, rounded to the nearest whole number, up if two are.
  package func rounded(times size: Int) -> Int {
    let quotient = ExactPlace(Int128(output) * Int128(size), over: Int128(input))
    return Int(clamping: quotient.rounded(.roundPreferCeiling))
  }
}

/// A coordinate of a resampled axis as a fraction, so that no rounding moves it past a neighbor.
///
/// Sizes are below 2⁴¹, so all numerators and denominators fit 128 bits.
struct ExactPlace {
  private let numerator: Int128
  private let denominator: Int128

  init(_ numerator: Int128, over denominator: Int128) {
    (self.numerator, self.denominator) = (numerator, denominator)
  }

  /// The coordinate of an index.
  ///
  /// `s` = p / q is the ratio; see ``ResampleCoordinates``. `nil` where the coordinates are stated
  /// as floating-point numbers.
  init?(
    _ coordinates: ResampleCoordinates, _ index: Int, ratio: SizeRatio, input: Int, output: Int
  ) {
    let (i, n, m) = (Int128(index), Int128(input), Int128(output))
    let (p, q) = (Int128(ratio.output), Int128(ratio.input))
    switch coordinates {
    case .halfPixel: self.init((2 * i + 1) * q - p, over: 2 * p)
    case .halfPixelSymmetric: self.init(n * p - m * q + (2 * i + 1) * q - p, over: 2 * p)
    case .pytorchHalfPixel:
      self.init(m > 1 ? (2 * i + 1) * q - p : 0, over: 2 * p)
    case .alignCorners:
      let hasLength = m > 1 && p * n > q
      self.init(hasLength ? i * (n - 1) * q : 0, over: hasLength ? p * n - q : 1)
    case .asymmetric: self.init(i * q, over: p)
    case .tensorflowHalfPixelNearest: self.init((2 * i + 1) * q, over: 2 * p)
    case .part: return nil
    }
  }

  /// The whole number at the coordinate.
  func rounded(_ rounding: NearestRounding) -> Int128 {
    switch rounding {
    case .floor: Self.floor(numerator, over: denominator)
    case .ceiling: -Self.floor(-numerator, over: denominator)
    case .roundPreferFloor: -Self.floor(denominator - 2 * numerator, over: 2 * denominator)
    case .roundPreferCeiling: Self.floor(2 * numerator + denominator, over: 2 * denominator)
    }
  }

  private static func floor(_ numerator: Int128, over denominator: Int128) -> Int128 {
    let (quotient, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
    return rest < 0 ? quotient - 1 : quotient
  }
}
