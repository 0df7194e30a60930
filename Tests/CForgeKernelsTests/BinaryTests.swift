import CForgeKernels
import Foundation
import Testing

/// The operators of the vector kernels.
let binaryOperators = [
  FORGE_ADD, FORGE_SUBTRACT, FORGE_MULTIPLY, FORGE_MAXIMUM, FORGE_MINIMUM, FORGE_PRELU,
  FORGE_DIVIDE, FORGE_EQUAL, FORGE_NOT_EQUAL, FORGE_LESS, FORGE_LESS_OR_EQUAL, FORGE_GREATER,
  FORGE_GREATER_OR_EQUAL, FORGE_AND, FORGE_OR, FORGE_XOR,
]

/// Those of combine_plain.
let furtherOperators = [FORGE_POWER, FORGE_REMAINDER_OF_DIVIDEND, FORGE_REMAINDER_OF_DIVISOR]

/// a op b by its definition.
func combine(_ a: Double, _ b: Double, _ operation: forge_binary_operator) -> Double {
  switch operation {
  case FORGE_ADD: return a + b
  case FORGE_SUBTRACT: return a - b
  case FORGE_MULTIPLY: return a * b
  case FORGE_MAXIMUM: return a.isNaN || b.isNaN ? .nan : max(a, b)
  case FORGE_MINIMUM: return a.isNaN || b.isNaN ? .nan : min(a, b)
  case FORGE_DIVIDE: return a / b
  case FORGE_EQUAL: return a == b ? 1 : 0
  case FORGE_NOT_EQUAL: return a != b ? 1 : 0
  case FORGE_LESS: return a < b ? 1 : 0
  case FORGE_LESS_OR_EQUAL: return a <= b ? 1 : 0
  case FORGE_GREATER: return a > b ? 1 : 0
  case FORGE_GREATER_OR_EQUAL: return a >= b ? 1 : 0
  case FORGE_AND: return a != 0 && b != 0 ? 1 : 0
  case FORGE_OR: return a != 0 || b != 0 ? 1 : 0
  case FORGE_XOR: return (a != 0) != (b != 0) ? 1 : 0
  case FORGE_POWER: return pow(a, b)
  case FORGE_REMAINDER_OF_DIVIDEND: return fmod(a, b)
  case FORGE_REMAINDER_OF_DIVISOR:
    let rest = fmod(a, b)
    return rest < 0 && b > 0 || rest > 0 && b < 0 ? rest + b : rest
  default: return a < 0 ? a * b : a
  }
}

/// How far a op b may be off: one rounding, of a power two.
func combineTolerance(_ a: Double, _ b: Double, _ operation: forge_binary_operator) -> Double {
  let value = combine(a, b, operation)
  return value.isFinite ? (operation == FORGE_POWER ? 1.2e-7 : 6e-8) * abs(value) : 0
}

/// Where `out` goes, in a test.
enum Placement: CaseIterable { case apart, overA, overB }

@Suite struct BinaryTests {
  private func prepare(
    _ a: Image, _ b: Image, to size: (height: Int, width: Int, channels: Int),
    operation: forge_binary_operator, activation: Activation = .linear,
    placement: Placement = .apart, on level: Level
  ) -> (Prepared, Expected) {
    var expected = Expected()
    for y in 0..<size.height {
      for x in 0..<size.width {
        for c in 0..<size.channels {
          func at(_ image: Image) -> Double {
            Double(
              image[
                image.height == 1 ? 0 : y, image.width == 1 ? 0 : x,
                image.channels == 1 ? 0 : c])
          }
          let value = combine(at(a), at(b), operation)
          expected.append(
            activation.reference(value),
            tolerance: activation.tolerance(
              value, error: combineTolerance(at(a), at(b), operation)))
        }
      }
    }
    let left = Blocked(a, images: 2)
    let right = Blocked(b, images: 2)
    let apart = Blocked(
      size.height, size.width, size.channels, halo: Halo(top: 1, right: 1), images: 2)
    let out = placement == .apart ? apart : placement == .overA ? left : right
    let arguments = forge_binary_arguments(
      a: left.view(base: 0), b: right.view(base: 1), out: out.view(base: 2),
      operation: Int32(operation.rawValue), activation: activation.c)
    let call = Call(
      level.kernels.binary, arguments, bases: [left.buffer, right.buffer, out.buffer], image: 1,
      out: out.buffer, tiles: forge_binary_tiles)
    return (Prepared(out: out, call: call), expected)
  }

  private func check(
    _ a: Image, _ b: Image, to size: (height: Int, width: Int, channels: Int),
    operation: forge_binary_operator, activation: Activation = .linear,
    placement: Placement = .apart
  ) {
    for level in Level.available {
      let (prepared, expected) = prepare(
        a, b, to: size, operation: operation, activation: activation, placement: placement,
        on: level)
      let before = prepared.out.buffer.bits
      prepared.call.runAll()
      expect(
        prepared.out, image: 1, equals: expected, before: before,
        "\(level), operation \(operation.rawValue), \(activation), \(placement), "
          + "\(a.height)×\(a.width)×\(a.channels) with \(b.height)×\(b.width)×\(b.channels)")
    }
  }

  @Test("channel counts, out of place and in place", arguments: ConvolutionTests.channels)
  func channels(count: Int) {
    var random = SeededGenerator(seed: 21)
    for operation in binaryOperators {
      let a = Image(3, 5, count, random: &random)
      let b = Image(3, 5, count, random: &random)
      for placement in Placement.allCases {
        check(a, b, to: (3, 5, count), operation: operation, placement: placement)
      }
    }
  }

  @Test("broadcasting of every combination of axes, on either side", arguments: 0..<64)
  func broadcasting(axes: Int) {
    var random = SeededGenerator(seed: 22)
    func size(_ full: Int, bit: Int) -> Int { axes >> bit & 1 == 0 ? full : 1 }
    for channels in [17, 40] {
      let a = Image(size(3, bit: 0), size(5, bit: 1), size(channels, bit: 2), random: &random)
      let b = Image(size(3, bit: 3), size(5, bit: 4), size(channels, bit: 5), random: &random)
      let out = (
        max(a.height, b.height), max(a.width, b.width), max(a.channels, b.channels)
      )
      for operation in binaryOperators { check(a, b, to: out, operation: operation) }
    }
  }

  @Test("both operands broadcast")
  func bothSpread() {
    var random = SeededGenerator(seed: 23)
    let a = Image(1, 1, 1, random: &random)
    let b = Image(1, 5, 1, random: &random)
    for operation in binaryOperators { check(a, b, to: (3, 5, 19), operation: operation) }
  }

  @Test("activations", arguments: Activation.all)
  func activations(activation: Activation) {
    var random = SeededGenerator(seed: 24)
    let a = Image(2, 7, 21, random: &random)
    let b = Image(2, 7, 21, random: &random)
    for operation in [FORGE_ADD, FORGE_MULTIPLY] {
      check(a, b, to: (2, 7, 21), operation: operation, activation: activation)
    }
  }

  @Test("NaN and infinities")
  func specialValues() {
    let special: [Float] = [.nan, .infinity, -.infinity, 0, -0.0, 1, -2]
    var a = Image(1, 49, 3, values: [Float](repeating: 0, count: 147))
    var b = a
    for i in 0..<49 {
      for c in 0..<3 {
        a[0, i, c] = special[i / 7]
        b[0, i, c] = special[i % 7]
      }
    }
    for operation in binaryOperators { check(a, b, to: (1, 49, 3), operation: operation) }
  }

  @Test("tiles are independent")
  func tiles() {
    var random = SeededGenerator(seed: 25)
    let a = Image(4, 5, 37, random: &random)
    let b = Image(4, 1, 37, random: &random)
    for level in Level.available {
      let (prepared, _) = prepare(
        a, b, to: (4, 5, 37), operation: FORGE_MULTIPLY,
        activation: Activation(kind: FORGE_SIGMOID), on: level)
      expectIndependentTiles(prepared.call, "\(level)")
    }
  }
}
