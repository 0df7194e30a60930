import CForgeKernels
import Foundation
import Testing

/// Numbers of all sizes, both signs, and those that are special.
private let sweep: [Float] = {
  var random = SeededGenerator(seed: 61)
  var numbers: [Float] = [
    0, -0.0, 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, .nan, -.nan, .infinity, -.infinity,
    .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 100, -100, 1e20, -1e20, 8_388_607.5,
  ]
  for i in 0..<1000 { numbers.append(Float(i - 500) / 64) }
  for _ in 0..<1500 { numbers.append(random.value() * 2) }
  for _ in 0..<1000 { numbers.append(random.value() * 120) }
  for _ in 0..<2000 { numbers.append(Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))) }
  return numbers
}()

/// The nearer of the two numbers of 16 bits around a Float, the even one of two.
private func nearestBFloat16(_ x: Double) -> Double {
  guard x.isFinite else { return x }
  let below = Float(abs(x)).bitPattern & 0xffff_0000
  let (low, high) = (Float(bitPattern: below), Float(bitPattern: below + 0x1_0000))
  // Beyond the largest number comes what would be the next power of two.
  let distances = (abs(x) - Double(low), (high.isFinite ? Double(high) : 0x1p128) - abs(x))
  let isLow =
    distances.0 < distances.1 || (distances.0 == distances.1 && below & 0x1_0000 == 0)
  return (x.sign == .minus ? -1 : 1) * Double(isLow ? low : high)
}

/// A function with its numbers, and what it should give.
private struct Function: Sendable {
  let code: forge_unary_function
  var a: Float = 0
  var b: Float = 0
  /// The error allowed, relative to the result.
  var tolerance = 5e-7
  let value: @Sendable (Double) -> Double

  static let exact: [Function] = [
    Function(code: FORGE_UNARY_ABSOLUTE) { abs($0) },
    Function(code: FORGE_UNARY_NEGATE) { -$0 },
    Function(code: FORGE_UNARY_SIGN) { $0 > 0 ? 1 : $0 < 0 ? -1 : $0 },
    Function(code: FORGE_UNARY_RECIPROCAL) { 1 / $0 },
    Function(code: FORGE_UNARY_SQUARE_ROOT) { sqrt($0) },
    Function(code: FORGE_UNARY_RECIPROCAL_SQUARE_ROOT) { 1 / sqrt($0) },
    Function(code: FORGE_UNARY_SQUARE) { $0 * $0 },
    Function(code: FORGE_UNARY_FLOOR) { floor($0) },
    Function(code: FORGE_UNARY_CEILING) { ceil($0) },
    Function(code: FORGE_UNARY_ROUND) { $0.rounded(.toNearestOrEven) },
    Function(code: FORGE_UNARY_TRUNCATE) { trunc($0) },
    Function(code: FORGE_UNARY_LOGICAL_NOT) { $0 == 0 ? 1 : 0 },
    Function(code: FORGE_UNARY_IS_NONZERO) { $0 == 0 ? 0 : 1 },
    Function(code: FORGE_UNARY_IS_NAN) { $0.isNaN ? 1 : 0 },
    Function(code: FORGE_UNARY_ROUND_TO_HALF) { Double(Float16($0)) },
    Function(code: FORGE_UNARY_ROUND_TO_BFLOAT16) { nearestBFloat16($0) },
    Function(code: FORGE_UNARY_IS_INFINITE, a: 1, b: 1) { $0.isInfinite ? 1 : 0 },
    Function(code: FORGE_UNARY_IS_INFINITE, a: 1, b: 0) { $0 == .infinity ? 1 : 0 },
    Function(code: FORGE_UNARY_IS_INFINITE, a: 0, b: 1) { $0 == -.infinity ? 1 : 0 },
    Function(code: FORGE_UNARY_THRESHOLDED_RELU, a: 0.75) { $0 <= 0.75 ? 0 : $0 },
    Function(code: FORGE_UNARY_SHRINK, a: 0.25, b: 0.5) {
      $0 < -0.5 ? $0 + 0.25 : $0 > 0.5 ? $0 - 0.25 : $0.isNaN ? $0 : 0
    },
  ]

  static let elementary: [Function] = [
    Function(code: FORGE_UNARY_EXPONENTIAL) { exp($0) },
    Function(code: FORGE_UNARY_LOGARITHM) { log($0) },
    Function(code: FORGE_UNARY_ERROR_FUNCTION) { erf($0) },
    Function(code: FORGE_UNARY_SINE) { sin($0) },
    Function(code: FORGE_UNARY_COSINE) { cos($0) },
    Function(code: FORGE_UNARY_TANGENT) { tan($0) },
    Function(code: FORGE_UNARY_ARCSINE) { asin($0) },
    Function(code: FORGE_UNARY_ARCCOSINE) { acos($0) },
    Function(code: FORGE_UNARY_ARCTANGENT) { atan($0) },
    Function(code: FORGE_UNARY_HYPERBOLIC_SINE) { sinh($0) },
    Function(code: FORGE_UNARY_HYPERBOLIC_COSINE) { cosh($0) },
    Function(code: FORGE_UNARY_HYPERBOLIC_ARCSINE) { asinh($0) },
    Function(code: FORGE_UNARY_HYPERBOLIC_ARCCOSINE) { acosh($0) },
    Function(code: FORGE_UNARY_HYPERBOLIC_ARCTANGENT) { atanh($0) },
    Function(code: FORGE_UNARY_SOFTSIGN) {
      $0.isInfinite ? ($0 > 0 ? 1 : -1) : $0 / (1 + abs($0))
    },
    Function(code: FORGE_UNARY_SCALED_ELU, a: 1.5, b: 0.75) {
      0.75 * ($0 > 0 ? $0 : 1.5 * expm1($0))
    },
    Function(code: FORGE_UNARY_CELU, a: 0.625) { $0 > 0 ? $0 : 0.625 * expm1($0 / 0.625) },
    Function(code: FORGE_UNARY_SCALED_TANH, a: 1.75, b: 0.625) { 1.75 * tanh(0.625 * $0) },
    // A rounded exponent x is off by 6e-8 x.
    Function(code: FORGE_UNARY_SWISH, a: 1.625, tolerance: 1e-5) { $0 / (1 + exp(-1.625 * $0)) },
    Function(code: FORGE_UNARY_PARAMETRIC_SOFTPLUS, a: 1.25, b: 1.875, tolerance: 1e-5) {
      let x = 1.875 * $0
      return 1.25 * (x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)))
    },
  ]
}

@Suite struct UnaryTests {
  private func arguments(_ function: Function, count: Int) -> forge_unary_plain_arguments {
    var arguments = forge_unary_plain_arguments()
    arguments.out.base = 1
    arguments.count = Int64(count)
    arguments.function = Int32(function.code.rawValue)
    (arguments.a, arguments.b) = (function.a, function.b)
    return arguments
  }

  @Test("all numbers, into another tensor and in place", arguments: Level.available)
  func values(level: Level) {
    let kernels = level.kernels
    for function in Function.exact + Function.elementary {
      var expected = Expected()
      for x in sweep {
        let value = function.value(Double(x))
        // An exponential beyond the largest float takes a tiny swish to 0.
        expected.append(value, tolerance: abs(value) * function.tolerance + 1e-36)
      }
      for inPlace in [false, true] {
        let input = Buffer(sweep + [7])
        let out = inPlace ? input : Buffer(count: sweep.count + 1)
        let behind = out.bits[sweep.count]
        var arguments = arguments(function, count: sweep.count)
        run(
          kernels.unary_plain, arguments, bases: [input, out],
          tiles: 0..<forge_unary_plain_tiles(&arguments))
        let wrong = difference((0..<sweep.count).map { out.pointer[$0] }, expected) {
          "f(\(sweep[$0]))"
        }
        #expect(wrong == nil, "function \(function.code.rawValue), in place: \(inPlace)")
        #expect(out.bits[sweep.count] == behind)
      }
    }
  }

  @Test("every function is tested")
  func completeness() {
    let tested = Set((Function.exact + Function.elementary).map(\.code.rawValue))
    #expect(tested == Set(0...FORGE_UNARY_PARAMETRIC_SOFTPLUS.rawValue))
  }

  @Test("tiles are independent", arguments: Level.available)
  func tiles(level: Level) {
    let kernels = level.kernels
    var random = SeededGenerator(seed: 62)
    for count in [1, 1023, 1025, 3000] {
      let (numbers, result) = (Buffer(random.values(count)), Buffer(count: count))
      let function = Function(code: FORGE_UNARY_ERROR_FUNCTION) { $0 }
      expectIndependentTiles(
        Call(
          kernels.unary_plain, arguments(function, count: count), bases: [numbers, result],
          out: result, tiles: forge_unary_plain_tiles), "\(count) numbers")
    }
  }
}
