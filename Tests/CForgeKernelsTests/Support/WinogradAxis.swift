/// The matrices of Winograd's minimal filtering F(n, r) along one axis, by their definition.
///
/// With M(x) the product of x − p over all points: row i of B holds the coefficients of M(x) / (x − pᵢ),
/// the last those of M(x); row i of G is 1, pᵢ, pᵢ² … over the product of pᵢ − pⱼ; column i of A is
/// 1, pᵢ, pᵢ² …; the point at infinity takes the last of each.
struct WinogradAxis {
  /// [alpha][alpha], [alpha][r], [n][alpha].
  private(set) var input: [[Double]]
  private(set) var filter: [[Double]]
  private(set) var output: [[Double]]

  var alpha: Int { input.count }

  /// Whether infinity is one of the points.
  var hasInfinity: Bool { alpha != 7 }

  /// The points of an axis of alpha products, but infinity, which one of 7 products lacks.
  static let points: [Int: [Double]] = [
    4: [0, 1, -1],
    5: [0, 1, -1, 2],
    6: [0, 0.625, -0.625, 1.5, -1.5],
    7: [0, 0.5, -0.5, 1.125, -1.125, 3, -3],
    8: [0, 1, -1, 0.5, -0.5, 2, -2],
    10: [0, 0.5, -0.5, 0.75, -0.75, 1.25, -1.25, 2, -2],
    12: [0, 1, -1, 0.375, -0.375, 0.75, -0.75, 1.5, -1.5, 2.5, -2.5],
  ]

  /// An axis of `n` outputs and `r` taps; with one tap there is nothing to transform.
  init(_ n: Int, _ r: Int) {
    guard r > 1, let points = Self.points[n + r - 1] else {
      (input, filter, output) = ([[1]], [[1]], [[1]])
      return
    }
    let hasInfinity = points.count < n + r - 1
    input = points.indices.map { i in
      Self.product(points.enumerated().filter { $0.offset != i }.map(\.element))
        + (hasInfinity ? [0] : [])
    }
    if hasInfinity { input.append(Self.product(points)) }
    filter = points.indices.map { i in
      let scale = points.indices.filter { $0 != i }.reduce(1) { $0 * (points[i] - points[$1]) }
      return (0..<r).map { Self.power(points[i], $0) / scale }
    }
    if hasInfinity { filter.append((0..<r).map { $0 == r - 1 ? 1 : 0 }) }
    output = (0..<n).map { i in
      points.map { Self.power($0, i) } + (hasInfinity ? [i == n - 1 ? 1 : 0] : [])
    }
  }

  /// The coefficients of the product of x − p, the lowest power first.
  static func product(_ points: [Double]) -> [Double] {
    points.reduce([1]) { made, p in
      zip([0] + made, made + [0]).map { $0 - p * $1 }
    }
  }

  private static func power(_ x: Double, _ exponent: Int) -> Double {
    (0..<exponent).reduce(1) { power, _ in power * x }
  }
}

/// The product of two matrices.
func multiply(_ a: [[Double]], _ b: [[Double]]) -> [[Double]] {
  a.map { row in
    (b.first ?? []).indices.map { column in
      zip(row, b).reduce(0) { $0 + $1.0 * $1.1[column] }
    }
  }
}

func transpose(_ a: [[Double]]) -> [[Double]] {
  (a.first ?? []).indices.map { column in a.map { $0[column] } }
}

/// The absolute value of every number.
func magnitudes(_ a: [[Double]]) -> [[Double]] { a.map { $0.map(abs) } }

/// left · m · rightᵀ: a transform along both axes.
func transform(_ left: [[Double]], _ m: [[Double]], _ right: [[Double]]) -> [[Double]] {
  multiply(multiply(left, m), transpose(right))
}
