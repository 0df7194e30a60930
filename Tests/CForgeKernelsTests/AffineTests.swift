import CForgeKernels
import Testing

@Suite struct AffineTests {
  /// A call and what it gives; its output is the input itself where `inPlace`.
  private func prepare(
    _ channels: Int, activation: Activation, inPlace: Bool, on level: Level
  ) -> (Prepared, Expected) {
    var random = SeededGenerator(seed: UInt64(channels))
    let image = Image(3, 5, channels, random: &random)
    let scale = random.values(channels)
    let bias = random.values(channels)
    var expected = Expected()
    for (i, x) in image.values.enumerated() {
      let product = Double(x) * Double(scale[i % channels])
      let value = product + Double(bias[i % channels])
      let magnitude = abs(product) + abs(Double(bias[i % channels]))
      expected.append(
        activation.reference(value),
        tolerance: activation.tolerance(value, error: tolerance(terms: 1, magnitude: magnitude)))
    }
    let input = Blocked(image, images: 2)
    let out = inPlace ? input : Blocked(3, 5, channels, halo: Halo(left: 1, right: 1), images: 2)
    let zeros = [Float](repeating: 0, count: (16 - channels % 16) % 16)
    let constants = [Buffer(scale + zeros), Buffer(bias + zeros)]
    let arguments = forge_affine_arguments(
      in: input.view(base: 0), out: out.view(base: 1), scale: constants[0].pointer,
      bias: constants[1].pointer, activation: activation.c)
    let call = Call(
      level.kernels.affine, arguments, bases: [input.buffer, out.buffer] + constants, image: 1,
      out: out.buffer, tiles: forge_affine_tiles)
    return (Prepared(out: out, call: call), expected)
  }

  @Test("channel counts", arguments: ConvolutionTests.channels, [false, true])
  func channels(count: Int, inPlace: Bool) {
    for activation in [Activation.linear, .relu] {
      for level in Level.available {
        let (prepared, expected) = prepare(
          count, activation: activation, inPlace: inPlace, on: level)
        let before = prepared.out.buffer.bits
        prepared.call.runAll()
        expect(
          prepared.out, image: 1, equals: expected, before: before,
          "\(level), \(count) channels, \(activation)")
      }
    }
  }

  @Test("activations", arguments: Activation.all)
  func activations(activation: Activation) {
    for level in Level.available {
      let (prepared, expected) = prepare(21, activation: activation, inPlace: false, on: level)
      let before = prepared.out.buffer.bits
      prepared.call.runAll()
      expect(
        prepared.out, image: 1, equals: expected, before: before, "\(level), \(activation)")
    }
  }

  @Test("tiles are independent")
  func tiles() {
    for level in Level.available {
      let swish = Activation(kind: FORGE_SWISH, a: 1)
      let (prepared, _) = prepare(33, activation: swish, inPlace: false, on: level)
      expectIndependentTiles(prepared.call, "\(level)")
    }
  }
}
