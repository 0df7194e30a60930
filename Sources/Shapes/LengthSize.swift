/// A whole number that follows the length of a sequence: a polynomial `c₀ + c₁·L + c₂·L² + …`.
///
/// The sizes of tensors that depend on an input of changing length are such numbers.
package struct LengthSize: Hashable, Sendable, CustomStringConvertible, Encodable {
  /// The coefficients, that of the constant first, without zeros at the end.
  package let coefficients: [Int]

  private init(_ coefficients: [Int]) {
    self.coefficients = Array(
      coefficients.prefix((coefficients.lastIndex { $0 != 0 } ?? -1) + 1))
  }

  /// The same number for all lengths.
  package init(_ constant: Int) { self.init([constant]) }

  /// The number `constant + slope · L`.
  package init(_ constant: Int, times slope: Int) { self.init([constant, slope]) }

  /// The length itself.
  package static let length = LengthSize([0, 1])

  /// The lengths at which numbers are computed: the longest ones give the polynomial, the others
  /// check it.
  package static func samples(upTo maximum: Int) -> [Int] {
    [maximum, maximum - 1, maximum - 2, (maximum + 1) / 2, maximum / 3, 3, 2, 1]
  }

  /// The polynomial of degree two at most through values at all lengths that are given.
  ///
  /// It is `nil` if there is none with whole coefficients, or if a value is out of reach.
  ///
  /// - Parameter values: lengths and values; the first three lengths are neighbors, the longest
  ///   first.
  package init?(through values: [(length: Int, value: Int)]) {
    guard values.count > 3, values.allSatisfy({ (0...(1 << 40)).contains($0.value) }),
      (1...(1 << 20)).contains(values[0].length)
    else { return nil }
    let (last, length) = (values[0].value, values[0].length)
    let curve = last - 2 * values[1].value + values[2].value
    guard curve.isMultiple(of: 2), abs(curve) < 1 << 20 else { return nil }
    let slope = last - values[1].value - curve / 2 * (2 * length - 1)
    guard abs(slope) < 1 << 41 else { return nil }
    self.init([last - slope * length - curve / 2 * length * length, slope, curve / 2])
    for (length, value) in values where self[length] != value { return nil }
  }

  /// The number where it is the same for all lengths.
  package var constant: Int? {
    coefficients.count > 1 ? nil : coefficients.first ?? 0
  }

  /// The number for a length; `nil` where it is out of the bounds of `Int`.
  package subscript(length: Int) -> Int? {
    var result = 0
    for coefficient in coefficients.reversed() {
      let (product, high) = result.multipliedReportingOverflow(by: length)
      let (sum, higher) = product.addingReportingOverflow(coefficient)
      guard !high, !higher else { return nil }
      result = sum
    }
    return result
  }

  /// The sum; `nil` if it overflows.
  package func adding(_ other: LengthSize) -> LengthSize? {
    var result: [Int] = []
    for power in 0..<max(coefficients.count, other.coefficients.count) {
      let (sum, overflows) = self[power: power].addingReportingOverflow(other[power: power])
      guard !overflows else { return nil }
      result.append(sum)
    }
    return LengthSize(result)
  }

  /// The product; `nil` if it overflows or its degree is above 4.
  package func multiplied(by other: LengthSize) -> LengthSize? {
    guard coefficients.count + other.coefficients.count <= 6 else { return nil }
    var result = Array(repeating: 0, count: 6)
    for (power, factor) in coefficients.enumerated() {
      for (otherPower, coefficient) in other.coefficients.enumerated() {
        let (product, high) = factor.multipliedReportingOverflow(by: coefficient)
        let (sum, higher) = result[power + otherPower].addingReportingOverflow(product)
        guard !high, !higher else { return nil }
        result[power + otherPower] = sum
      }
    }
    return LengthSize(result)
  }

  /// The quotient, if the division leaves nothing for any length; else `nil`.
  package func dividedExactly(by other: LengthSize) -> LengthSize? {
    guard let top = other.coefficients.last else { return nil }
    var rest = self
    var quotient = Array(repeating: 0, count: max(coefficients.count, 1))
    while let head = rest.coefficients.last {
      let power = rest.coefficients.count - other.coefficients.count
      let (factor, overflows) = head.dividedReportingOverflow(by: top)
      guard power >= 0, !overflows, factor != .min,
        factor.multipliedReportingOverflow(by: top) == (head, false)
      else { return nil }
      quotient[power] = factor
      let term = LengthSize(Array(repeating: 0, count: power) + [-factor])
      guard let product = other.multiplied(by: term), let next = rest.adding(product),
        next.coefficients.count < rest.coefficients.count
      else { return nil }
      rest = next
    }
    return LengthSize(quotient)
  }

  /// The quotient and the remainder of a division by a positive number, if the remainder is the
  /// same for all lengths from 1 to `maximum` and the number is never negative; else `nil`.
  package func divided(
    by divisor: LengthSize, upTo maximum: Int
  ) -> (quotient: LengthSize, rest: Int)? {
    guard let divisor = divisor.constant, divisor > 0, coefficients.count <= 2,
      (self[1] ?? -1) >= 0, (self[maximum] ?? -1) >= 0,
      coefficients.dropFirst().allSatisfy({ $0.isMultiple(of: divisor) })
    else { return nil }
    // The constant may be negative: its remainder is that of the number.
    let (constant, rest) = self[power: 0].quotientAndRemainder(dividingBy: divisor)
    let borrowed = rest < 0
    return (
      LengthSize(borrowed ? constant - 1 : constant, times: self[power: 1] / divisor),
      borrowed ? rest + divisor : rest
    )
  }

  /// The sign of the number if it is the same for all lengths from 1 to `maximum`, else `nil`.
  package func sign(upTo maximum: Int) -> Int? {
    guard coefficients.count <= 2, let first = self[1], let last = self[maximum] else {
      return nil
    }
    return first.signum() == last.signum() ? first.signum() : nil
  }

  private subscript(power power: Int) -> Int {
    coefficients.indices.contains(power) ? coefficients[power] : 0
  }

  package var description: String {
    let terms = coefficients.enumerated().filter { $0.element != 0 }.map { power, coefficient in
      let name = power == 0 ? "" : power == 1 ? "length" : "length^\(power)"
      return power == 0 ? "\(coefficient)" : coefficient == 1 ? name : "\(coefficient)·\(name)"
    }
    return terms.isEmpty ? "0" : terms.joined(separator: " + ")
  }

  /// Sizes as messages write them: `[1, length, 6]`.
  package static func text(_ sizes: [LengthSize]) -> String {
    "[" + sizes.map(\.description).joined(separator: ", ") + "]"
  }

  /// The product of sizes; `nil` if it overflows or its degree is above 4.
  package static func product(of sizes: [LengthSize]) -> LengthSize? {
    var result = LengthSize(1)
    for size in sizes {
      guard let next = result.multiplied(by: size) else { return nil }
      result = next
    }
    return result
  }
}
