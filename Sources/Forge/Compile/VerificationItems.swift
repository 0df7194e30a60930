/// The items of an output: the entries of its first axis longer than 1, unless that is the last
/// one.
struct VerificationItems {
  /// The number of items; each has as many values as every other.
  let count: Int
  private let length: Int

  /// Divides the `count` values of an output of some sizes.
  init(sizes: [Int], count: Int) {
    let axis = sizes.firstIndex { $0 > 1 } ?? sizes.count
    self.count = axis < sizes.count - 1 ? sizes[axis] : 1
    length = count / self.count
  }

  /// The differences of the plan's values from those of a reference.
  ///
  /// - Parameters:
  ///   - actual: the values of the plan.
  ///   - expected: the values of the reference.
  ///   - skipsOverflow: whether values that are not finite in the reference are left out whatever
  ///     the plan has, because another order of operations overflows elsewhere.
  /// - Returns: the differences of the items, in order.
  func compare(
    _ actual: UnsafeMutableBufferPointer<Float>, _ expected: [Double], skipsOverflow: Bool = false
  ) -> [ItemDifference] {
    compare(expected) { index in
      let (value, truth) = (actual[index], expected[index])
      // Random inputs may lie outside of a function's domain, such as that of a logarithm.
      guard truth.isFinite || !(skipsOverflow || Self.isSame(value, truth)) else { return nil }
      return Double(value) - truth
    }
  }

  /// The differences of the finite values of two references.
  func compare(_ actual: [Double], _ expected: [Double]) -> [ItemDifference] {
    compare(expected) { index in
      let difference = actual[index] - expected[index]
      return difference.isFinite ? difference : nil
    }
  }

  private func compare(
    _ expected: [Double], _ difference: (Int) -> Double?
  ) -> [ItemDifference] {
    (0..<count).map { item in
      var (squares, norm, maximum) = (0.0, 0.0, 0.0)
      for index in (item * length)..<((item + 1) * length) {
        guard let difference = difference(index) else { continue }
        squares += difference * difference
        norm += expected[index] * expected[index]
        if !(abs(difference) <= maximum) { maximum = abs(difference) }
      }
      return ItemDifference(
        difference: squares.squareRoot(), norm: norm.squareRoot(), maximum: maximum)
    }
  }

  /// Whether a number that is not finite is what the reference has.
  private static func isSame(_ actual: Float, _ truth: Double) -> Bool {
    truth.isNaN ? actual.isNaN : Double(actual) == truth
  }
}

/// How one item of an output differs from the reference.
struct ItemDifference {
  /// ‖actual − expected‖₂.
  var difference = 0.0
  /// ‖expected‖₂.
  var norm = 0.0
  /// The largest difference of one value.
  var maximum = 0.0
}
