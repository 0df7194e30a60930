import Testing

/// How far an array of numbers is from the expected one.
public struct Closeness: Sendable {
  /// `√Σ(actual − expected)² / √Σ expected²`, over the places where both are finite.
  public private(set) var relativeL2 = 0.0
  /// The largest difference at one place, divided by the largest magnitude expected.
  public private(set) var maximum = 0.0
  /// The place of the largest difference, or of the first number that is NaN or infinite in one
  /// array and something else in the other.
  public private(set) var worstIndex = 0
  /// Whether the arrays have the same count, and NaN and infinities at the same places.
  public private(set) var sameKind = true

  /// Compares two arrays.
  ///
  /// NaN agrees with NaN, and an infinity with the same infinity. Where every expected number is 0
  /// the differences are not divided.
  public init(_ actual: [Float], _ expected: [Float]) {
    guard actual.count == expected.count else {
      sameKind = false
      return
    }
    var squares = 0.0
    var expectedSquares = 0.0
    var largest = 0.0
    var worst = -1.0
    for (index, (a, e)) in zip(actual, expected).enumerated() {
      guard a.isFinite, e.isFinite else {
        if sameKind && !(a == e || (a.isNaN && e.isNaN)) {
          sameKind = false
          worstIndex = index
        }
        continue
      }
      let difference = abs(Double(a) - Double(e))
      squares += difference * difference
      expectedSquares += Double(e) * Double(e)
      largest = max(largest, abs(Double(e)))
      if difference > worst {
        worst = difference
        if sameKind { worstIndex = index }
      }
    }
    let length = expectedSquares.squareRoot()
    relativeL2 = squares.squareRoot() / (length > 0 ? length : 1)
    maximum = max(worst, 0) / (largest > 0 ? largest : 1)
  }
}

/// Expects numbers to be close to others; a failure tells the worst place and both numbers there.
///
/// - Parameters:
///   - actual: what was computed.
///   - expected: what is right.
///   - relativeL2: the largest ``Closeness/relativeL2`` that passes.
///   - maximum: the largest ``Closeness/maximum`` that passes.
///   - comment: what the numbers are.
///   - sourceLocation: the place of the expectation; leave it out.
public func expectClose(
  _ actual: [Float], _ expected: [Float], relativeL2: Double, maximum: Double = .infinity,
  _ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation
) {
  let start = comment.isEmpty ? "" : "\(comment): "
  guard actual.count == expected.count else {
    Issue.record(
      "\(start)\(actual.count) values instead of \(expected.count)",
      sourceLocation: sourceLocation)
    return
  }
  let closeness = Closeness(actual, expected)
  // Written so that an error of NaN does not pass.
  if closeness.sameKind, closeness.relativeL2 <= relativeL2, closeness.maximum <= maximum { return }
  let index = closeness.worstIndex
  Issue.record(
    """
    \(start)relative L2 error \(closeness.relativeL2) (at most \(relativeL2)), largest \
    \(closeness.maximum) (at most \(maximum)); worst at index \(index) of \(actual.count): \
    \(actual[index]) instead of \(expected[index])
    """, sourceLocation: sourceLocation)
}
