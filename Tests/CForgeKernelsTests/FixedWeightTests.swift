import CForgeKernels
import Testing

/// Packing of 24-bit weights, and which weights are rejected.
@Suite struct FixedWeightTests {
  /// Packs `[outputs][taps][inputs]`; gives whether they are exact enough, and the weights that the form stands for.
  private func pack(
    _ weights: [Float], outputs: Int, taps: Int = 1, accuracy: Double, powers: Bool = false,
    threads: Int32 = 1
  ) -> (fits: Bool, bits: [UInt32], scales: [Float], values: [Float]) {
    let inputs = weights.count / outputs / taps
    let test = ConvolutionCase(inputs: inputs, outputs: outputs, kernel: (taps, 1))
    let reduced = ReducedWeights(.fixed, weights, test, powers: powers)
    let columns = (outputs + 63) / 64 * 64
    var packed = [UInt32](repeating: 0, count: columns * taps * ((inputs + 15) / 16) * 12)
    var scales = [Float](repeating: 0, count: columns)
    let fits = forge_pack_fixed(
      weights, &packed, &scales, Int64(outputs), Int64(taps), Int64(inputs), accuracy,
      powers ? 1 : 0, threads)
    return (fits != 0, packed, scales, reduced.values)
  }

  /// The error of an output's weights: the root of its mean square.
  private func error(_ values: ArraySlice<Float>, _ weights: ArraySlice<Float>) -> Double {
    let squares = zip(values, weights).reduce(0.0) { sum, pair in
      sum + (Double(pair.0) - Double(pair.1)) * (Double(pair.0) - Double(pair.1))
    }
    return (squares / Double(weights.count)).squareRoot()
  }

  @Test(
    "errors stay within the documented bound",
    arguments: [(1, 1), (31, 3), (32, 1), (33, 2), (77, 1)])
  func exactness(outputs: Int, taps: Int) {
    for inputs in [1, 2, 15, 16, 17, 130] {
      var random = SeededGenerator(seed: UInt64(inputs))
      let weights = (0..<outputs * taps * inputs).map { _ in random.value() }
      // Of few outputs an input's weights may all be small.
      let packed = pack(weights, outputs: outputs, taps: taps, accuracy: outputs < 30 ? 1 : 1e-6)
      #expect(packed.fits)
      for output in 0..<outputs {
        let row = output * taps * inputs..<(output + 1) * taps * inputs
        let most = weights[row].map(abs).max() ?? 0
        for i in row {
          #expect(abs(Double(packed.values[i]) - Double(weights[i])) <= Double(most) * 0x1p-23)
        }
        guard row.count >= 100 else { continue }
        #expect(error(packed.values[row], weights[row]) < 0.42 * Double(most) * 0x1p-23)
      }
    }
  }

  /// Weights from 1 to 2, except zeros, have a median of 1.
  @Test(
    "one large weight determines the error, zeros are ignored", arguments: [Float(2), 60, 1000])
  func outlier(most: Float) {
    var random = SeededGenerator(seed: 4)
    var weights = (0..<40 * 512).map { _ in 1 + abs(random.value()) }
    for i in stride(from: 0, to: weights.count, by: 3) { weights[i] = 0 }
    weights[17 * 512 + 100] = -most
    let accuracy = 0.3 * Double(most) / 8_388_606
    #expect(pack(weights, outputs: 40, accuracy: accuracy * 1.001).fits)
    #expect(!pack(weights, outputs: 40, accuracy: accuracy * 0.999).fits)
  }

  /// An input with small weights may have large values.
  @Test("an input with small weights determines the error", arguments: [Float(0.01), 1e-4, 0])
  func smallInput(size: Float) {
    var random = SeededGenerator(seed: 6)
    var weights = (0..<64 * 600).map { _ in 1 + abs(random.value()) }
    for output in 0..<64 { weights[output * 600 + 555] *= size }
    // Units are of about 2 in 2²³, the input's weights from `size` to twice as much.
    let accuracy = 0.3 * 2 / 8_388_606 / Double(size) / 1.5
    #expect(!pack(weights, outputs: 64, accuracy: size > 0 ? accuracy * 0.9 : 1e9).fits)
    if size > 0 { #expect(pack(weights, outputs: 64, accuracy: accuracy * 1.1).fits) }
  }

  @Test(
    "unrepresentable weights are rejected",
    arguments: [Float.nan, -.nan, .infinity, -.infinity, 0x1p-120, .leastNonzeroMagnitude])
  func refused(value: Float) {
    var weights = [Float](repeating: value.isFinite ? 0 : 0.25, count: 3 * 20)
    weights[25] = value
    #expect(!pack(weights, outputs: 3, accuracy: 1e-3).fits)
  }

  @Test("largest numbers, and an output of zeros")
  func extremes() {
    let most: Float = 0x1p126
    let packed = pack([most, -most, -most, most / 3] + [0, 0, 0, 0], outputs: 2, accuracy: 1e-6)
    #expect(packed.fits)
    #expect(!pack([1.1 * most, most], outputs: 1, accuracy: 1).fits)
    #expect(packed.values[4...].allSatisfy { $0 == 0 })
    #expect(packed.scales[1] == 0)
    #expect(packed.values[0..<4].allSatisfy { $0.isFinite })
  }

  @Test("several threads give the same bits")
  func threads() {
    var random = SeededGenerator(seed: 5)
    let weights = (0..<300 * 900).map { _ in random.value() }
    let one = pack(weights, outputs: 300, accuracy: 1e-6)
    let three = pack(weights, outputs: 300, accuracy: 1e-6, threads: 3)
    #expect(one.bits == three.bits && one.scales == three.scales && one.fits && three.fits)
  }

  @Test("powers of two at most double the error", arguments: [(1, 1), (33, 2), (77, 3)])
  func powers(outputs: Int, taps: Int) {
    var random = SeededGenerator(seed: 8)
    let weights = (0..<outputs * taps * 130).map { _ in random.value() }
    let packed = pack(weights, outputs: outputs, taps: taps, accuracy: 1, powers: true)
    #expect(packed.fits)
    for output in 0..<outputs {
      let row = output * taps * 130..<(output + 1) * taps * 130
      let most = weights[row].map(abs).max() ?? 0
      let scale = packed.scales[output]
      #expect(scale.significand == 1)
      #expect(256 * 4_194_302 * scale < most && most <= 256 * 8_388_607 * scale)
      for i in row {
        #expect(abs(Double(packed.values[i]) - Double(weights[i])) <= Double(most) * 0x1p-22)
      }
      #expect(error(packed.values[row], weights[row]) < 0.84 * Double(most) * 0x1p-23)
    }
    // The largest weight is 2, so that the unit, which is just above 2 / 2²³, doubles.
    let two = pack([2, -1.5, 1, 0.75], outputs: 1, accuracy: 1e-6, powers: true)
    #expect(two.scales[0] == 0x1p-29)
  }

  /// Floats have the layout of direct convolutions.
  @Test("rounded floats are the packed weights", arguments: [16, 32, 48, 64])
  func roundedFloats(width: Int) {
    for (outputs, taps, inputs) in [(1, 1, 1), (67, 3, 21), (97, 1, 64), (300, 2, 35)] {
      var random = SeededGenerator(seed: UInt64(outputs))
      let weights = (0..<outputs * taps * inputs).map { _ in random.value() }
      let values = pack(weights, outputs: outputs, taps: taps, accuracy: 1, powers: true).values
      let columns = (outputs + width - 1) / width * width
      let count = columns * taps * ((inputs + 15) / 16) * 16
      var expected = [Float](repeating: .nan, count: count)
      forge_pack_convolution(
        values, &expected, Int64(outputs), Int64(taps), Int64(inputs), Int64(width), 1)
      let scaleCount = Int(forge_rounded_scales(Int64(outputs), Int64(width)))
      for threads in [Int32(1), 3] {
        var found = [Float](repeating: .nan, count: count + 5)
        var scales = [Float](repeating: .nan, count: scaleCount + 5)
        let fits = forge_pack_rounded(
          weights, &found, &scales, Int64(outputs), Int64(taps), Int64(inputs), Int64(width), 1,
          threads)
        #expect(fits != 0 && found.prefix(count).elementsEqual(expected))
        #expect((found.suffix(5) + scales.suffix(5)).allSatisfy { $0.isNaN })
      }
    }
    var nan = [Float](repeating: 1, count: 40)
    nan[3] = .nan
    var (packed, scales) = ([Float](repeating: 0, count: 64 * 48), [Float](repeating: 0, count: 64))
    #expect(forge_pack_rounded(nan, &packed, &scales, 2, 1, 20, Int64(width), 1, 1) == 0)
  }
}
