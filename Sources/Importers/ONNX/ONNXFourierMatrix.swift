import Forge
import ForgeSystem

/// The numbers of a discrete Fourier transform: `e^(∓2πikn / N)`.
struct ONNXFourierMatrix {
  /// N, above 0.
  let length: Int
  /// The frequencies k, from 0.
  let bins: Int
  /// Whether the exponent is positive.
  let isInverse: Bool

  /// - Throws: ``NodeFailure`` for a length that is not above 0.
  init(length: Int, bins: Int, isInverse: Bool) throws {
    guard length > 0 else { throw NodeFailure.invalid("a transform of length \(length)") }
    (self.length, self.bins, self.isInverse) = (length, bins, isInverse)
  }

  /// The real and the imaginary part of a number.
  ///
  /// The angle is found modulo a whole turn first, so that it is as exact for large numbers.
  private func number(_ bin: Int, _ index: Int) -> (real: Double, imaginary: Double) {
    let (turns, _) = bin.multipliedReportingOverflow(by: index)
    let angle = 2 * Double.pi * Double(turns % length) / Double(length)
    return (cos(angle), isInverse ? sin(angle) : -sin(angle))
  }

  /// The matrix `[rows · parts][bins · 2]` that takes a signal of real numbers, or of complex ones
  /// if `parts` is 2, to complex numbers.
  ///
  /// - Throws: ``NodeFailure`` for a matrix that is larger than any model needs.
  func complex(rows: Int, parts: Int) throws -> HostTensor {
    let sizes = [rows * parts, bins.multipliedSaturated(by: 2)]
    try ONNXCall.checkConstant(sizes)
    let held = try ImportBudget.hold(sizes[0] * sizes[1], width: MemoryLayout<Float>.size)
    var values: [Float] = []
    values.reserveCapacity(sizes[0] * sizes[1])
    for index in 0..<rows {
      for part in 0..<parts {
        for bin in 0..<bins {
          let number = number(bin, index)
          let pair =
            part == 0 ? (number.real, number.imaginary) : (-number.imaginary, number.real)
          values.append(Float(pair.0))
          values.append(Float(pair.1))
        }
      }
    }
    var matrix = HostTensor(floats: values, sizes: sizes)
    matrix.held = held
    return matrix
  }

  /// The weights `[bins · 2][1][length]` of a convolution that takes frames of a real signal, times
  /// a window, to complex numbers.
  ///
  /// - Throws: ``NodeFailure`` for weights that are more than any model needs.
  func filters(window: [Float]?) throws -> HostTensor {
    let sizes = [bins.multipliedSaturated(by: 2), 1, length]
    try ONNXCall.checkConstant(sizes)
    let held = try ImportBudget.hold(sizes[0] * length, width: MemoryLayout<Float>.size)
    let values = (0..<sizes[0]).flatMap { row in
      (0..<length).map { index -> Float in
        let number = number(row / 2, index)
        let part = row % 2 == 0 ? number.real : number.imaginary
        return Float(part * Double(window?[index] ?? 1))
      }
    }
    var filters = HostTensor(floats: values, sizes: sizes)
    filters.held = held
    return filters
  }
}
