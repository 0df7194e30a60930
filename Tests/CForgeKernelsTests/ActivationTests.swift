import CForgeKernels
import Testing

/// Numbers of all sizes, both signs, and those that are special.
private let sweep: [Float] = {
  var random = SeededGenerator(seed: 11)
  var numbers: [Float] = [
    0, -0.0, 1, -1, .nan, -.nan, .infinity, -.infinity, .leastNonzeroMagnitude,
    -.leastNonzeroMagnitude, .leastNormalMagnitude, -.leastNormalMagnitude,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 200, -200, 100, -100, 1e20, -1e20,
  ]
  // Thick where functions bend, up to where they are flat.
  for i in 0..<8000 { numbers.append(Float(i - 4000) / 128) }
  for _ in 0..<6000 { numbers.append(random.value() * 16) }
  for _ in 0..<6000 { numbers.append(random.value() * 120) }
  // All exponents.
  for _ in 0..<8000 { numbers.append(Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))) }
  return numbers
}()

extension Activation {
  fileprivate func expected(_ inputs: [Float]) -> Expected {
    var expected = Expected()
    for x in inputs { expected.append(value(Double(x)), tolerance: tolerance(Double(x))) }
    return expected
  }

  /// The documented result, -inf and inf among the inputs.
  private func value(_ x: Double) -> Double {
    switch (kind, x) {
    case (FORGE_HARD_SWISH, -.infinity), (FORGE_SWISH, -.infinity), (FORGE_MISH, -.infinity),
      (FORGE_GELU, -.infinity), (FORGE_GELU_TANH, -.infinity):
      return .nan
    default: return reference(x)
    }
  }
}

@Suite struct ActivationTests {
  @Test("blocked, into another tensor and in place", arguments: Activation.all)
  func blocked(activation: Activation) {
    let columns = (sweep.count + 20) / 21
    let padded = sweep + [Float](repeating: 0, count: columns * 21 - sweep.count)
    let image = Image(1, columns, 21, values: padded)
    let expected = activation.expected(padded)
    for level in Level.available {
      let input = Blocked(image, images: 2)
      let other = Blocked(1, columns, 21, halo: Halo(top: 1, left: 2, right: 1), images: 2)
      for out in [other, input] {
        let before = out.buffer.bits
        run(
          level.kernels.activation,
          forge_activation_arguments(
            in: input.view(base: 0), out: out.view(base: 1), activation: activation.c),
          bases: [input.buffer, out.buffer], image: 1, tiles: 0..<2)
        expect(out, image: 1, equals: expected, before: before, "\(level), \(activation)")
      }
    }
  }

  @Test("plain, into another tensor and in place", arguments: Activation.all)
  func plain(activation: Activation) {
    for count in [1, 15, 16, 17, 1023, 1024, 1025, 2049, sweep.count] {
      let numbers = Array(sweep.suffix(count))
      let expected = activation.expected(numbers)
      for level in Level.available {
        for inPlace in [false, true] {
          let input = Buffer(numbers + [7])
          let out = inPlace ? input : Buffer(count: count + 1)
          let behind = out.bits[count]
          var arguments = forge_activation_plain_arguments()
          arguments.in.base = 0
          arguments.out.base = 1
          arguments.count = Int64(count)
          arguments.activation = activation.c
          let tiles = forge_activation_plain_tiles(&arguments)
          #expect(tiles == Int64((count + 1023) / 1024))
          run(
            level.kernels.activation_plain, arguments, bases: [input, out], tiles: 0..<tiles)
          let wrong = difference((0..<count).map { out.pointer[$0] }, expected) {
            "\($0), activation of \(numbers[$0])"
          }
          if let wrong { Issue.record("\(level), \(activation), \(count): \(wrong)") }
          #expect(out.bits[count] == behind)
        }
      }
    }
  }

  @Test("special values", arguments: Level.available)
  func specialValues(level: Level) {
    func f(_ kind: forge_activation_kind, _ x: Float, a: Float = 1, b: Float = 1) -> Float {
      let input = Buffer([x])
      let out = Buffer(count: 1)
      var arguments = forge_activation_plain_arguments()
      arguments.out.base = 1
      arguments.count = 1
      arguments.activation = Activation(kind: kind, a: a, b: b).c
      run(level.kernels.activation_plain, arguments, bases: [input, out], tiles: 0..<1)
      return out.pointer[0]
    }
    #expect(f(FORGE_SIGMOID, -200) == 0)
    #expect(f(FORGE_SIGMOID, 200) == 1)
    #expect(f(FORGE_SIGMOID, 0) == 0.5)
    #expect(f(FORGE_TANH, 0) == 0)
    #expect(f(FORGE_TANH, -0.0).sign == .minus)
    #expect(f(FORGE_TANH, 30) == 1)
    #expect(f(FORGE_TANH, -30) == -1)
    #expect(f(FORGE_SOFTPLUS, 100) == 100)
    #expect(f(FORGE_SOFTPLUS, -200) == 0)
    #expect(f(FORGE_SOFTPLUS, .infinity) == .infinity)
    #expect(f(FORGE_ELU, -.infinity) == -1)
    #expect(f(FORGE_ELU, -100, a: 1.5) == -1.5)
    #expect(f(FORGE_SWISH, -200) == 0)
    #expect(f(FORGE_MISH, -200) == 0)
    #expect(f(FORGE_GELU, -200) == 0)
    #expect(f(FORGE_GELU, 200) == 200)
    #expect(f(FORGE_GELU_TANH, -200) == 0)
    #expect(f(FORGE_HARD_SWISH, -200) == 0)
    for kind in [FORGE_SWISH, FORGE_MISH, FORGE_GELU, FORGE_GELU_TANH, FORGE_HARD_SWISH] {
      #expect(f(kind, .infinity) == .infinity)
      #expect(f(kind, -.infinity).isNaN, "as documented in scalar/activation.c")
    }
    #expect(f(FORGE_CLAMP, -0.0, a: 0, b: .infinity) == 0)
    #expect(f(FORGE_CLAMP, .infinity, a: 0, b: 6) == 6)
  }

  @Test("tiles are independent")
  func tiles() {
    var random = SeededGenerator(seed: 12)
    let image = Image(5, 7, 37, random: &random)
    for level in Level.available {
      let input = Blocked(image)
      let out = Blocked(5, 7, 37)
      let blocked = forge_activation_arguments(
        in: input.view(base: 0), out: out.view(base: 1),
        activation: Activation(kind: FORGE_MISH).c)
      expectIndependentTiles(
        Call(
          level.kernels.activation, blocked, bases: [input.buffer, out.buffer], out: out.buffer,
          tiles: forge_activation_tiles), "\(level)")

      let numbers = Buffer(random.values(3000))
      let result = Buffer(count: 3000)
      var plain = forge_activation_plain_arguments()
      plain.out.base = 1
      plain.count = 3000
      plain.activation = Activation(kind: FORGE_GELU).c
      expectIndependentTiles(
        Call(
          level.kernels.activation_plain, plain, bases: [numbers, result], out: result,
          tiles: forge_activation_plain_tiles), "\(level), plain")
    }
  }
}
