import CForgeKernels
import Testing

/// Extreme values in lower precision, and packing of weights.
@Suite struct ReducedValueTests {
  private func outputs(
    _ kind: Reduced, _ test: ConvolutionCase, _ numbers: ConvolutionNumbers, on level: Level
  ) -> [Float] {
    let weights = ReducedWeights(kind, numbers.weights, test)
    let prepared = numbers.prepare(kind, weights, test, on: level)
    prepared.runAll()
    var values: [Float] = []
    for y in 0..<test.outHeight {
      for x in 0..<test.outWidth {
        for c in 0..<test.outputs { values.append(prepared.out[y, x, c]) }
      }
    }
    return values
  }

  private let test = ConvolutionCase(
    height: 6, width: 9, inputs: 18, outputs: 21, kernel: (3, 3), padding: (1, 1, 1, 1))

  @Test(
    "NaN and infinity affect only windows that contain them in bf16",
    arguments: [Float.nan, .infinity])
  func specialPairs(value: Float) {
    for activation in [Activation.linear, .relu, Activation(kind: FORGE_SIGMOID)] {
      var test = test
      test.activation = activation
      var numbers = ConvolutionNumbers(test)
      numbers.input[2, 4, 17] = value
      let weights = ReducedWeights(.pairs, numbers.weights, test)
      let expected = numbers.rounded(.pairs, weights).expected(test)
      for level in Reduced.pairs.levels {
        let prepared = numbers.prepare(.pairs, weights, test, on: level)
        let before = prepared.out.buffer.bits
        prepared.runAll()
        expect(prepared.out, equals: expected, before: before, "\(level), \(value)")
      }
    }
  }

  @Test(
    "NaN or infinity in an image makes every int8 output NaN",
    arguments: [Float.nan, -.nan, .infinity, -.infinity, Float(bitPattern: 0x7f80_0001)])
  func specialQuads(value: Float) {
    for place in [(0, 0, 0), (2, 4, 17), (5, 8, 16)] {
      var numbers = ConvolutionNumbers(test)
      numbers.input[place.0, place.1, place.2] = value
      for level in Reduced.quads.levels {
        #expect(!outputs(.quads, test, numbers, on: level).contains { !$0.isNaN }, "\(level)")
      }
    }
  }

  /// Pixels of a pointwise convolution are independent: tokens, or examples.
  @Test("pixels of any scale keep their int8 precision, also beside NaN and infinity")
  func pixels() {
    for (inputs, outputs, segments) in [(16, 16, 1), (35, 21, 3), (130, 70, 2)] {
      let test = ConvolutionCase(
        height: 3, width: 19, inputs: inputs, outputs: outputs, segments: segments,
        residual: true)
      var numbers = ConvolutionNumbers(test)
      let spoiled: [Int: Float] = [0: .nan, 20: .infinity, 41: -.infinity, 56: .nan]
      for pixel in 0..<57 {
        let scale = Float(sign: .plus, exponent: pixel * 37 % 180 - 90, significand: 1)
        for c in 0..<inputs { numbers.input[pixel / 19, pixel % 19, c] *= scale }
        for c in 0..<outputs { numbers.residual[pixel / 19, pixel % 19, c] *= scale }
      }
      numbers.bias = numbers.bias.map { _ in 0 }
      let weights = ReducedWeights(.quads, numbers.weights, test)
      let expected = numbers.rounded(.quads, weights, flat: true).expected(test)
      for (pixel, value) in spoiled { numbers.input[pixel / 19, pixel % 19, inputs / 2] = value }
      for level in Reduced.quads.levels {
        let prepared = numbers.prepare(.quads, weights, test, on: level, flat: true)
        prepared.runAll()
        for pixel in 0..<57 {
          for c in 0..<outputs {
            let (made, at) = (prepared.out[pixel / 19, pixel % 19, c], pixel * outputs + c)
            if spoiled[pixel] != nil {
              #expect(made.isNaN, "\(level), \(test), pixel \(pixel)")
            } else {
              #expect(
                abs(Double(made) - expected.values[at]) <= expected.tolerances[at],
                "\(level), \(test), pixel \(pixel), output \(c)")
            }
          }
        }
      }
    }
  }

  @Test("a non-finite weight affects only its own output", arguments: Reduced.allCases)
  func specialWeights(kind: Reduced) {
    let test = ConvolutionCase(inputs: 18, outputs: 21)
    for value in [Float.nan, .infinity, -.infinity] {
      var numbers = ConvolutionNumbers(test)
      numbers.weights[5 * 18 + 3] = value
      for level in kind.levels {
        let values = outputs(kind, test, numbers, on: level)
        for (index, output) in values.enumerated() {
          #expect(output.isFinite == (index != 5), "\(kind), \(level), output \(index)")
        }
      }
    }
  }

  @Test(
    "image value ranges",
    arguments: [-3.2e38...3.2e38, 0...1, -1...0, -1e-30...3, 5...6, -6 ... -5])
  func ranges(range: ClosedRange<Double>) {
    var numbers = ConvolutionNumbers(test)
    let middle = Float(range.lowerBound / 2 + range.upperBound / 2)
    let half = Float(range.upperBound / 2 - range.lowerBound / 2)
    numbers.input.values = numbers.input.values.map { middle + $0 * half }
    numbers.weights = numbers.weights.map { $0 / 300 }
    let weights = ReducedWeights(.quads, numbers.weights, test)
    let expected = numbers.rounded(.quads, weights).expected(test)
    for level in Reduced.quads.levels {
      let prepared = numbers.prepare(.quads, weights, test, on: level)
      let before = prepared.out.buffer.bits
      prepared.runAll()
      expect(prepared.out, equals: expected, before: before, "\(level), \(range)")
    }
  }

  @Test(
    "zero and denormal images give the bias",
    arguments: [0, Float(bitPattern: 7), -Float.leastNormalMagnitude / 8])
  func nothing(value: Float) {
    var numbers = ConvolutionNumbers(test)
    numbers.input.values = numbers.input.values.map { _ in value }
    for kind in ReducedConvolutionTests.windows {
      for level in kind.levels {
        let values = outputs(kind, test, numbers, on: level)
        for (index, output) in values.enumerated() {
          #expect(abs(output - numbers.bias[index % 21]) < 1e-30, "\(kind), \(level)")
        }
      }
    }
  }

  @Test("longest int8 sums do not overflow", arguments: [Float(1), -1])
  func longSums(sign: Float) {
    let test = ConvolutionCase(inputs: Int(FORGE_MOST_BYTE_PRODUCTS), outputs: 1, panel: 16)
    var numbers = ConvolutionNumbers(test)
    numbers.input.values = numbers.input.values.map { _ in 1 }
    numbers.weights = numbers.weights.map { _ in sign }
    numbers.bias = [0]
    for level in Reduced.quads.levels {
      let value = outputs(.quads, test, numbers, on: level)[0]
      #expect(abs(value - sign * Float(test.inputs)) < 0.1, "\(level): \(value)")
    }
  }

  /// One output whose largest weight is from 1 to 2, so that its scale is 1.
  @Test("float16 weights round to nearest even, including subnormals")
  func halves() {
    var random = SeededGenerator(seed: 3)
    var weights: [Float] = [1.5]
    for _ in 0..<20000 {
      let bits = UInt32(truncatingIfNeeded: random.next())
      let value = Float(bitPattern: bits)
      if abs(value) < 1.999 { weights.append(value) }
    }
    for _ in 0..<20000 {  // where halves are subnormal, and halfway between two of them
      let unit = Float(sign: .plus, exponent: Int(random.next() % 26) - 26, significand: 1)
      weights.append(random.value() * unit)
      weights.append(Float(Int(random.next() % 4096)) * 0x1p-25)
    }
    let count = (weights.count + 15) / 16 * 16
    var packed = [UInt16](repeating: 0, count: count * 16)
    var scales: [Float] = [0]
    forge_pack_half(weights, &packed, &scales, 1, 1, Int64(weights.count), 16)
    #expect(scales == [1])
    for (index, weight) in weights.enumerated() {
      #expect(packed[index * 16] == Float16(weight).bitPattern, "\(weight)")
    }
  }

  @Test(
    "weights of any magnitude are stored as float16",
    arguments: [Float(bitPattern: 700), 0x1p-126, 1e-5, 7e4, 3e38])
  func scales(size: Float) {
    let weights = [size, -size / 3, 0, size / 1024]
    var packed = [UInt16](repeating: 0, count: 256)
    var scales: [Float] = [0]
    forge_pack_half(weights, &packed, &scales, 1, 1, 4, 16)
    for (index, weight) in weights.enumerated() {
      let stored = Float(Float16(bitPattern: packed[index * 16])) * scales[0]
      #expect(
        abs(stored - weight) <= abs(weight) * 0x1p-11 + 2 * .leastNonzeroMagnitude, "\(weight)")
    }
  }

  /// Floats have the layout of direct convolutions.
  @Test("rounded halves are the packed weights", arguments: [16, 32, 48, 64])
  func roundedHalves(width: Int) {
    for (outputs, taps, inputs) in [(1, 1, 1), (67, 3, 21), (97, 1, 64), (300, 2, 35)] {
      var random = SeededGenerator(seed: UInt64(outputs))
      var weights = (0..<outputs * taps * inputs).map { _ in random.value() }
      // One output has weights of very different scale, whose halves are subnormal or zero.
      for i in 0..<taps * inputs { weights[i] *= i % 3 == 0 ? 1 : i % 3 == 1 ? 1e-5 : 1e-9 }
      let test = ConvolutionCase(
        inputs: inputs, outputs: outputs, kernel: (taps, 1), panel: width)
      let values = ReducedWeights(.halves, weights, test).values
      let columns = (outputs + width - 1) / width * width
      let count = columns * taps * ((inputs + 15) / 16) * 16
      var expected = [Float](repeating: .nan, count: count)
      forge_pack_convolution(
        values, &expected, Int64(outputs), Int64(taps), Int64(inputs), Int64(width), 1)
      for threads in [Int32(1), 3] {
        var found = [Float](repeating: .nan, count: count + 5)
        forge_pack_rounded_half(
          weights, &found, Int64(outputs), Int64(taps), Int64(inputs), Int64(width), threads)
        #expect(found.prefix(count).elementsEqual(expected))
        #expect(found.suffix(5).allSatisfy { $0.isNaN })
      }
    }
  }
}
