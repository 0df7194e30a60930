import ForgeOperations
import Testing

/// Nearest elements of a resampling by sizes, against inequalities between whole numbers.
@Suite struct ExactResamplingTests {
  /// A coordinate as a fraction of whole numbers: half pixels are doubled away.
  private struct Fraction {
    var top, bottom: Int

    /// Whether the coordinate is at most a quarter of a number.
    func isAtMost(quarters: Int) -> Bool { 4 * top <= quarters * bottom }
    /// Whether it is below a quarter of a number.
    func isBelow(quarters: Int) -> Bool { 4 * top < quarters * bottom }
  }

  private static let roundings: [NearestRounding] = [
    .roundPreferFloor, .roundPreferCeiling, .floor, .ceiling,
  ]
  private static let modes: [ResampleCoordinates] = [
    .halfPixel, .halfPixelSymmetric, .pytorchHalfPixel, .alignCorners, .asymmetric,
    .tensorflowHalfPixelNearest,
  ]

  /// The coordinate of index `i` of `m` elements, of `n`; the scale is `p` / `q`.
  private func place(
    _ mode: ResampleCoordinates, _ i: Int, _ n: Int, _ m: Int, _ p: Int, _ q: Int
  ) -> Fraction {
    switch mode {
    case .halfPixel: return Fraction(top: (2 * i + 1) * q - p, bottom: 2 * p)
    case .pytorchHalfPixel:
      return m == 1 ? Fraction(top: 0, bottom: 1) : place(.halfPixel, i, n, m, p, q)
    case .halfPixelSymmetric:
      // n/2 − m·q/(2·p) more than half pixels, which is 0 where the product is whole.
      let half = place(.halfPixel, i, n, m, p, q)
      return Fraction(top: half.top + n * p - m * q, bottom: half.bottom)
    case .alignCorners:
      return m == 1 || n * p <= q
        ? Fraction(top: 0, bottom: 1) : Fraction(top: i * (n - 1) * q, bottom: n * p - q)
    case .asymmetric: return Fraction(top: i * q, bottom: p)
    default: return Fraction(top: (2 * i + 1) * q, bottom: 2 * p)
    }
  }

  /// The element, found by trying: the first whose upper bound is not below the coordinate.
  private func nearest(_ place: Fraction, _ rounding: NearestRounding, of n: Int) -> Int {
    for index in 0..<(n - 1) {
      switch rounding {
      case .floor: if place.isBelow(quarters: 4 * (index + 1)) { return index }
      case .ceiling: if place.isAtMost(quarters: 4 * index) { return index }
      case .roundPreferFloor: if place.isAtMost(quarters: 4 * index + 2) { return index }
      case .roundPreferCeiling: if place.isBelow(quarters: 4 * index + 2) { return index }
      }
    }
    return n - 1
  }

  private func check(_ n: Int, _ m: Int, ratio: (p: Int, q: Int)?) throws {
    let (p, q) = ratio ?? (m, n)
    let input = try ReferenceTensor(sizes: [n], floats: (0..<n).map { Float($0) })
    for mode in Self.modes {
      for rounding in Self.roundings {
        let resampling = Resampling(
          sizes: [m], ratios: [ratio.map { SizeRatio($0.p, to: $0.q) }],
          filter: .around(.nearest(rounding), mode))
        let found = try Primitive.resample(resampling).reference(on: [input]).values
        // Nothing is resampled where nothing changes.
        let expected =
          n == m && p == q
          ? (0..<n).map { Double($0) }
          : (0..<m).map { Double(nearest(place(mode, $0, n, m, p, q), rounding, of: n)) }
        #expect(found == expected, "\(n) to \(m), \(mode), \(rounding), \(p)/\(q)")
      }
    }
  }

  @Test(arguments: 1...33)
  func sizes(of n: Int) throws {
    for m in 1...49 { try check(n, m, ratio: nil) }
  }

  /// The scale of another axis, as where the proportions are kept.
  @Test func otherScales() throws {
    for n in 1...12 {
      for (p, q) in [(3, 5), (7, 10), (5, 3), (2, 3), (13, 7), (1, 2)] {
        let m = (2 * p * n + q) / (2 * q)
        if m >= 1 { try check(n, m, ratio: (p, q)) }
        #expect(SizeRatio(p, to: q).rounded(times: n) == m)
      }
    }
  }

  /// Sizes whose products need more than 64 bits.
  @Test func largeSizes() {
    let n = 1 << 40
    let ratio = SizeRatio(n - 1, to: n)
    #expect(ratio.rounded(times: n) == n - 1)
    #expect(ratio.isBelow(SizeRatio(n, to: n)) && !ratio.isBelow(ratio))
  }
}
