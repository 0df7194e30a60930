/// Weights as 8-bit integers: `w(o, i) = (integers(o, i) − zeros(o)) · scales(o)`.
package struct QuantizedWeights: Sendable {
  /// The integers, those of an output after another.
  package let integers: [Int8]
  /// The integer that stands for 0 in the weights of each output; `nil` if each of them is 0.
  package let zeros: [Int32]?

  /// The greatest difference between two numbers of 8 bits.
  private static let width: Int32 = 255

  /// Finds the integers of weights; `nil` unless every weight is a whole number times the scale of
  /// its output, and those of an output fit in 8 bits when one of them stands for 0.
  ///
  /// - Parameters:
  ///   - weights: the weights, those of an output after another.
  ///   - scales: what the integer 1 stands for in the weights of each output; above 0.
  package init?(_ weights: UnsafeBufferPointer<Float>, scales: [Float]) {
    let rowLength = weights.count / max(scales.count, 1)
    guard rowLength > 0, rowLength * scales.count == weights.count else { return nil }
    var zeros: [Int32] = []
    var isExact = true
    integers = [Int8](unsafeUninitializedCapacity: weights.count) { integers, count in
      for (row, scale) in scales.enumerated() where isExact {
        let places = row * rowLength..<(row + 1) * rowLength
        var (least, greatest): (Int32, Int32) = (0, 0)
        var others = 0 as UInt32
        for index in places {
          let integer = Self.quotient(weights[index], scale)
          others |= Float(integer) * scale == weights[index] ? 0 : 1
          least = min(least, integer)
          greatest = max(greatest, integer)
          integers[index] = Int8(truncatingIfNeeded: integer)
        }
        if others != 0 { isExact = false }
        let zero: Int32 = least >= -128 && greatest <= 127 ? 0 : -128 - least
        zeros.append(zero)
        guard zero != 0 else { continue }
        if greatest - least > Self.width { isExact = false }
        for index in places {
          integers[index] = Int8(truncatingIfNeeded: Self.quotient(weights[index], scale) + zero)
        }
      }
      count = isExact ? weights.count : 0
    }
    guard isExact else { return nil }
    self.zeros = zeros.allSatisfy { $0 == 0 } ? nil : zeros
  }

  /// A weight over its scale as a whole number; another number if it is out of range or NaN.
  private static func quotient(_ weight: Float, _ scale: Float) -> Int32 {
    let quotient = max(-256, min(256, weight / scale))
    // The sum has no room for fractions, so it is rounded as it should be, without a call.
    return Int32(bitPattern: (quotient + wholeNumbers).bitPattern &- wholeNumbers.bitPattern)
  }

  /// From this number to twice it, the bits of a Float32 count in ones.
  private static let wholeNumbers: Float = 0x1.8p23

  /// The greatest magnitude of an integer less its zero point.
  package var magnitude: Int { zeros == nil ? 128 : Int(Self.width) }

  /// The integers less their zero points.
  func differences() -> [Double] {
    guard let zeros else { return integers.map { Double($0) } }
    let rowLength = integers.count / zeros.count
    return integers.enumerated().map { Double($1) - Double(zeros[$0 / rowLength]) }
  }
}
