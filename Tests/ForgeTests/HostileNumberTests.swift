import Forge
import ForgeTestSupport
import Testing

/// Values for which fast algorithms are less accurate than the direct kernel; Docs/Accuracy.md
/// states the bounds.
@Suite struct HostileNumberTests {
  private static let (size, channels) = (26, 48)

  /// A 3×3 convolution with its exact result.
  private struct Convolution3 {
    var weights = normalValues(count: channels * 9 * channels, seed: 1).map { $0 / 20 }
    var pixels = normalValues(count: size * size * channels, seed: 2)

    /// The result in double precision, height, width, channels.
    var exact: [Double] {
      var result = [Double](repeating: 0, count: size * size * channels)
      for y in 0..<size {
        for x in 0..<size {
          for tap in 0..<9 {
            let (row, column) = (y + tap / 3 - 1, x + tap % 3 - 1)
            guard (0..<size).contains(row), (0..<size).contains(column) else { continue }
            for o in 0..<channels {
              var sum = 0.0
              let (pixel, weight) = ((row * size + column) * channels, (o * 9 + tap) * channels)
              for i in 0..<channels {
                sum += Double(pixels[pixel + i]) * Double(weights[weight + i])
              }
              result[(y * size + x) * channels + o] += sum
            }
          }
        }
      }
      return result
    }

    /// What a plan computes, by Winograd's algorithm unless it is disabled.
    func computed(
      on level: CompileOptions.InstructionSet, disabled: Set<String> = []
    ) throws -> [Float] {
      let input = Input(width: size, height: size, channels: channels)
      let output = input --> Convolution(kernel: (3, 3), channels: channels, name: "conv")
      let network = try Model(input: input, output: output).compile(
        options: CompileOptions(disabledRewrites: disabled, instructionSet: level)
      ) { _, count, type in
        StoredValues(type == .weights ? weights : [Float](repeating: 0, count: count))
      }
      let isWinograd = network.report.steps.contains { $0.kernel.hasPrefix("winograd 3×3") }
      #expect(isWinograd == disabled.isEmpty)
      return try network.predict(pixels)
    }
  }

  /// The largest relative L2 error of an output channel, over the pixels that `counts` says.
  private func worstChannel(
    _ actual: [Float], _ exact: [Double], counts: (_ x: Int, _ y: Int) -> Bool = { _, _ in true }
  ) -> Double {
    (0..<Self.channels).map { o in
      var (error, norm) = (0.0, 0.0)
      for y in 0..<Self.size {
        for x in 0..<Self.size where counts(x, y) {
          let at = (y * Self.size + x) * Self.channels + o
          let difference = Double(actual[at]) - exact[at]
          error += difference * difference
          norm += exact[at] * exact[at]
        }
      }
      return (error / norm).squareRoot()
    }.max() ?? .nan
  }

  @Test("each output channel is within the accuracy", arguments: KernelChoiceTests.vectors)
  func plainNumbers(_ level: CompileOptions.InstructionSet) throws {
    let convolution = Convolution3()
    let error = worstChannel(try convolution.computed(on: level), convolution.exact)
    #expect(error <= CompileOptions().accuracy, "\(error)")
  }

  @Test("channels of different scale", arguments: KernelChoiceTests.vectors)
  func scales(_ level: CompileOptions.InstructionSet) throws {
    let inputs = channelScales(count: Self.channels, decades: 6, seed: 3)
    let outputs = channelScales(count: Self.channels, decades: 6, seed: 4)
    var convolution = Convolution3()
    for i in convolution.pixels.indices { convolution.pixels[i] *= inputs[i % Self.channels] }
    for i in convolution.weights.indices {
      convolution.weights[i] *= outputs[i / Self.channels / 9] / inputs[i % Self.channels]
    }
    let error = worstChannel(try convolution.computed(on: level), convolution.exact)
    #expect(error <= CompileOptions().accuracy, "\(error)")
  }

  /// Byte-valued pixels and filters that sum to zero: most of each value cancels.
  @Test("a large mean that the filters remove", arguments: KernelChoiceTests.vectors)
  func mean(_ level: CompileOptions.InstructionSet) throws {
    var convolution = Convolution3()
    convolution.pixels = convolution.pixels.map { min(max((128 + 40 * $0).rounded(), 0), 255) }
    for o in 0..<Self.channels {
      let range = o * 9 * Self.channels..<(o + 1) * 9 * Self.channels
      let mean = convolution.weights[range].reduce(0, +) / Float(range.count)
      for i in range { convolution.weights[i] -= mean }
    }
    let error = worstChannel(try convolution.computed(on: level), convolution.exact)
    #expect(error <= CompileOptions().accuracy, "\(error)")
  }

  /// The brightest pixel of a tile limits its accuracy; other tiles are not affected.
  @Test("one pixel a million times brighter", arguments: KernelChoiceTests.vectors)
  func brightPixel(_ level: CompileOptions.InstructionSet) throws {
    var convolution = Convolution3()
    let place = (14 * Self.size + 14) * Self.channels
    for i in place..<place + Self.channels { convolution.pixels[i] *= 1e6 }
    let (actual, exact) = (try convolution.computed(on: level), convolution.exact)
    #expect(worstChannel(actual, exact) <= CompileOptions().accuracy)
    // A tile has at most 6×6 outputs, and its window reads 8×8 pixels.
    let far = worstChannel(actual, exact) { x, y in max(abs(x - 14), abs(y - 14)) > 7 }
    #expect(far <= CompileOptions().accuracy, "\(far)")
    var brightest = 0.0
    for o in 0..<Self.channels {
      let weights = convolution.weights[o * 9 * Self.channels..<(o + 1) * 9 * Self.channels]
      brightest = max(brightest, weights.reduce(0) { $0 + Double($1 * $1) }.squareRoot() * 1e6)
    }
    let largest = zip(actual, exact).map { abs(Double($0) - $1) }.max() ?? .nan
    #expect(largest <= 1e-5 * brightest, "\(largest) of \(brightest)")
  }

  /// Scaling by a power of two changes only exponents, as nothing overflows.
  @Test("large numbers", arguments: KernelChoiceTests.vectors)
  func largeNumbers(_ level: CompileOptions.InstructionSet) throws {
    let convolution = Convolution3()
    let expected = try convolution.computed(on: level)
    var large = convolution
    large.pixels = large.pixels.map { $0 * 0x1p105 }
    #expect(try large.computed(on: level).map { $0 * 0x1p-105 } == expected)
    // 2^123: the direct kernel's results are finite, sums on Winograd's way may not be.
    large.pixels = convolution.pixels.map { $0 * 0x1p123 }
    let direct = try large.computed(on: level, disabled: ["winograd"])
    #expect(direct.allSatisfy { $0.isFinite })
  }

  @Test("results below the smallest normal number", arguments: KernelChoiceTests.vectors)
  func denormals(_ level: CompileOptions.InstructionSet) throws {
    var convolution = Convolution3()
    convolution.pixels = convolution.pixels.map { $0 * 1e-38 }
    convolution.weights = convolution.weights.map { $0 * 1e-3 }
    let (actual, exact) = (try convolution.computed(on: level), convolution.exact)
    let largest = zip(actual, exact).map { abs(Double($0) - $1) }.max() ?? .nan
    #expect(largest <= 0x1p-126, "\(largest)")
    let direct = try convolution.computed(on: level, disabled: ["winograd"])
    let directLargest = zip(direct, exact).map { abs(Double($0) - $1) }.max() ?? .nan
    // 432 products, each rounded to a multiple of 2^−149.
    #expect(directLargest <= 432 * 0x1p-149, "\(directLargest)")
  }
}
