import CForgeKernels
import Foundation
import Testing

/// Numbers of all sizes, both signs, and those that are special.
private let sweep: [Float] = {
  var random = SeededGenerator(seed: 71)
  var numbers: [Float] = [
    0, -0.0, 1, -1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .leastNormalMagnitude,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 0.5, -0.5, 1.5, -2.5, 100, -100,
  ]
  for i in 0..<4000 { numbers.append(Float(i - 2000) / 250) }
  for _ in 0..<2000 { numbers.append(random.value() * 90) }
  for _ in 0..<4000 { numbers.append(Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))) }
  return numbers
}()

@Suite struct UnaryTests {
  /// A function with its meaning and what rounding may do to it, in units of 2⁻²⁴ of the result.
  struct Function: CustomStringConvertible, Sendable {
    var kind: forge_unary_function
    var a: Float = 0
    var b: Float = 0
    var units = 1.0
    var value: @Sendable (Double) -> Double
    var description: String { "function \(kind.rawValue)" }

    static let all = [
      Function(kind: FORGE_UNARY_ABSOLUTE) { abs($0) },
      Function(kind: FORGE_UNARY_NEGATE) { -$0 },
      Function(kind: FORGE_UNARY_SIGN) { $0 > 0 ? 1 : $0 < 0 ? -1 : $0 },
      Function(kind: FORGE_UNARY_RECIPROCAL) { 1 / $0 },
      Function(kind: FORGE_UNARY_SQUARE_ROOT) { $0.squareRoot() },
      Function(kind: FORGE_UNARY_RECIPROCAL_SQUARE_ROOT, units: 3) { 1 / $0.squareRoot() },
      Function(kind: FORGE_UNARY_SQUARE) { $0 * $0 },
      Function(kind: FORGE_UNARY_EXPONENTIAL, units: 6) { exp($0) },
      Function(kind: FORGE_UNARY_LOGARITHM, units: 3) { log($0) },
      Function(kind: FORGE_UNARY_FLOOR) { $0.rounded(.down) },
      Function(kind: FORGE_UNARY_CEILING) { $0.rounded(.up) },
      Function(kind: FORGE_UNARY_ROUND) { $0.rounded(.toNearestOrEven) },
      Function(kind: FORGE_UNARY_TRUNCATE) { $0.rounded(.towardZero) },
      Function(kind: FORGE_UNARY_ERROR_FUNCTION, units: 6) { erf($0) },
      Function(kind: FORGE_UNARY_LOGICAL_NOT) { $0 == 0 ? 1 : 0 },
      Function(kind: FORGE_UNARY_IS_NONZERO) { $0 == 0 ? 0 : 1 },
      Function(kind: FORGE_UNARY_IS_NAN) { $0.isNaN ? 1 : 0 },
      Function(kind: FORGE_UNARY_IS_INFINITE, a: 0, b: 1) { $0 == -.infinity ? 1 : 0 },
      Function(kind: FORGE_UNARY_THRESHOLDED_RELU, a: 0.75) { $0 <= 0.75 ? 0 : $0 },
      Function(kind: FORGE_UNARY_SCALED_ELU, a: 1.5, b: 0.75, units: 8) {
        $0 > 0 ? 0.75 * $0 : 0.75 * (1.5 * expm1($0))
      },
      Function(kind: FORGE_UNARY_SCALED_TANH, a: 1.75, b: 0.5, units: 8) {
        1.75 * tanh(0.5 * $0)
      },
      Function(kind: FORGE_UNARY_PARAMETRIC_SOFTPLUS, a: 0.5, b: 2, units: 10) {
        0.5 * (max(2 * $0, 0) + log1p(exp(-abs(2 * $0))))
      },
    ]
  }

  @Test("into another tensor and in place", arguments: Function.all)
  func functions(function: Function) {
    for count in [1, 15, 16, 17, 1023, 1025, sweep.count] {
      let numbers = Array(sweep.suffix(count))
      var expected = Expected()
      for x in numbers {
        let value = function.value(Double(x))
        // Results below 2⁻¹²⁶ are rounded to multiples of 2⁻¹⁴⁹.
        expected.append(
          value, tolerance: max(function.units * 0x1p-24 * abs(value), 0x1p-149))
      }
      for level in Level.available {
        for inPlace in [false, true] {
          let input = Buffer(numbers + [7])
          let out = inPlace ? input : Buffer(count: count + 1)
          let behind = out.bits[count]
          var arguments = forge_unary_plain_arguments()
          arguments.out.base = 1
          arguments.count = Int64(count)
          arguments.function = Int32(function.kind.rawValue)
          (arguments.a, arguments.b) = (function.a, function.b)
          let tiles = forge_unary_plain_tiles(&arguments)
          #expect(tiles == Int64((count + 1023) / 1024))
          run(level.kernels.unary_plain, arguments, bases: [input, out], tiles: 0..<tiles)
          let wrong = difference((0..<count).map { out.pointer[$0] }, expected) {
            "\($0), of \(numbers[$0])"
          }
          if let wrong { Issue.record("\(level), \(function), \(count): \(wrong)") }
          #expect(out.bits[count] == behind)
        }
      }
    }
  }

  @Test("tiles are independent", arguments: Level.available)
  func tiles(level: Level) {
    var random = SeededGenerator(seed: 72)
    let out = Buffer(count: 3000)
    var arguments = forge_unary_plain_arguments()
    arguments.out.base = 1
    arguments.count = 3000
    for kind in [FORGE_UNARY_ERROR_FUNCTION, FORGE_UNARY_SINE] {
      arguments.function = Int32(kind.rawValue)
      expectIndependentTiles(
        Call(
          level.kernels.unary_plain, arguments, bases: [Buffer(random.values(3000)), out],
          out: out, tiles: forge_unary_plain_tiles), "\(level)")
    }
  }
}
