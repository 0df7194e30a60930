import Forge
import ForgeTestSupport
import Testing

/// Pointwise convolutions by Strassen's algorithm with one and two levels, in plans.
@Suite struct StrassenPlanTests {
  private func model(
    _ width: Int, _ height: Int, _ inputs: Int, _ outputs: Int,
    activation: ActivationFunction = .linear
  ) -> Model {
    let input = Input(width: width, height: height, channels: inputs)
    return Model(
      input: input,
      output: input --> Activation(.tanh)
        --> PointwiseConvolution(channels: outputs, activation: activation, name: "conv"))
  }

  /// The kernel of the layer.
  private func kernel(
    _ model: Model, _ options: CompileOptions = CompileOptions(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let network = try model.compile(parameters: SeededParameters(), options: options)
    return try #require(
      network.report.steps.map(\.kernel).last {
        $0.hasPrefix("convolution") || $0.hasPrefix("strassen")
      }, sourceLocation: sourceLocation)
  }

  @Test(arguments: KernelChoiceTests.vectors)
  func levelsFollowCostModel(_ level: CompileOptions.InstructionSet) throws {
    let options = CompileOptions(instructionSet: level)
    let kernel = { (size: Int, inputs: Int, outputs: Int) in
      try self.kernel(self.model(size, size, inputs, outputs), options)
    }
    #expect(try kernel(56, 64, 128).hasPrefix("convolution 1×1"), "\(level)")
    #expect(try kernel(28, 128, 256).hasPrefix("strassen 1×1"), "\(level)")
    #expect(try kernel(14, 512, 512).hasPrefix("strassen 2 levels 1×1"), "\(level)")
    #expect(try kernel(17, 768, 192).hasPrefix("strassen 2 levels 1×1"), "\(level)")
    // Two threads would use four times the weights faster than they come from memory.
    if level != .baseline {
      #expect(try kernel(7, 512, 1024).hasPrefix("strassen 1×1"), "\(level)")
    }
    // Halves of halves have to be whole blocks of channels.
    #expect(try kernel(14, 512, 544).hasPrefix("strassen 1×1"), "\(level)")
    #expect(try kernel(14, 520, 512).hasPrefix("convolution 1×1"), "\(level)")
  }

  /// Tiles of one vector read a panel's weights again for each few pixels, so panels are narrow.
  @Test(arguments: KernelChoiceTests.vectors)
  func panelsSuitTilesAndThreads(_ level: CompileOptions.InstructionSet) throws {
    let isWide = level == .avx512
    for (outputs, threads, width) in [
      (768, 1, isWide ? 64 : 32), (768, 2, isWide ? 48 : 32),
      // Two threads share 6 vectors evenly as two panels of 3 only.
      (384, 1, isWide ? 48 : 32), (384, 2, 48), (3072, 1, isWide ? 64 : 32),
    ] {
      let options = CompileOptions(instructionSet: level, threads: .exactly(threads))
      let kernel = try kernel(model(14, 14, 768, outputs), options)
      #expect(
        kernel.hasPrefix("strassen 2 levels 1×1 panel \(width)"),
        "\(level) \(outputs) \(threads): \(kernel)")
    }
  }

  /// Up to two threads for each segment compute its sums themselves.
  @Test func threadsShareLargeSums() throws {
    for (width, height, inputs, shares) in [
      (16, 7, 384, [1: false, 2: false, 3: false]), (28, 7, 512, [1: false, 2: false, 3: true]),
      (17, 13, 768, [1: false, 2: false, 3: true]),
      (31, 17, 768, [1: false, 2: false, 3: false, 4: false, 5: true]),
    ] {
      let model = model(width, height, inputs, 768)
      let values = normalValues(count: width * height * inputs, seed: 7)
      var outputs: Set<[Float]> = []
      for (threads, shared) in shares {
        let network = try model.compile(
          parameters: SeededParameters(), options: CompileOptions(threads: .exactly(threads)))
        let kernels = network.report.steps.map(\.kernel)
        let label = "\(width)x\(height)x\(inputs), \(threads) threads: \(kernels)"
        #expect(kernels.contains { $0.hasPrefix("strassen") }, "\(label)")
        #expect(kernels.contains { $0.hasPrefix("input sums") } == shared, "\(label)")
        outputs.insert(try network.predict(values))
      }
      // The bits do not depend on who computes the sums.
      #expect(outputs.count == 1, "\(width)x\(height)x\(inputs)")
    }
  }

  @Test(arguments: KernelChoiceTests.vectors)
  func errorsStayWithinAccuracy(_ level: CompileOptions.InstructionSet) throws {
    let model = model(14, 14, 512, 512)
    for (accuracy, expected) in [
      (1e-5, "strassen 2 levels"), (5e-6, "strassen 1×1"), (3e-6, "convolution"),
    ] {
      let options = CompileOptions(
        verify: .samples(1), accuracy: accuracy, instructionSet: level)
      #expect(try kernel(model, options).hasPrefix(expected), "\(level), \(accuracy)")
      let network = try model.compile(parameters: SeededParameters(), options: options)
      let error = try #require(network.report.verification?.errors[0].relativeL2)
      #expect(error <= accuracy / 3, "\(level), \(accuracy)")
    }
  }

  /// The rounding error of two levels grows with the inputs, unless they are cut into parts.
  @Test(arguments: KernelChoiceTests.vectors)
  func manyInputsAreCutIntoParts(_ level: CompileOptions.InstructionSet) throws {
    let options = CompileOptions(instructionSet: level)
    for (inputs, outputs, parts) in [
      (1280, 512, 1), (1536, 512, 2), (3072, 512, 4), (1472, 512, 0), (3072, 448, 0),
    ] {
      let input = Input(width: 17, height: 13, channels: inputs)
      let image = input --> Activation(.tanh)
      let other = image --> PointwiseConvolution(channels: outputs, name: "other")
      let made = image --> PointwiseConvolution(channels: outputs, name: "conv")
      // The first part adds the other image, and the last one applies the activation.
      let model = Model(input: input, output: [made, other] --> Add() --> Activation(.gelu))
      let report = try model.compile(parameters: SeededParameters(), options: options).report
      let steps = report.steps.filter { $0.layers.first == "conv" }.map(\.kernel)
      #expect(
        steps.count { $0.hasPrefix("strassen 2 levels") } == parts, "\(level), \(inputs): \(steps)")
      try expectAgreement(model, options: options, relativeL2: options.accuracy / 3)
    }
  }

  /// The error of each output channel, relative to the channel, of one pointwise convolution.
  private func channelErrors(
    _ weights: [Float], _ pixels: [Float], size: Int, inputs: Int, outputs: Int,
    _ options: CompileOptions
  ) throws -> (kernel: String, errors: [Double]) {
    let input = Input(width: size, height: size, channels: inputs)
    let model = Model(
      input: input,
      output: input --> PointwiseConvolution(channels: outputs, name: "conv"))
    let network = try model.compile(options: options) { _, count, type in
      StoredValues(type == .weights ? weights : [Float](repeating: 0, count: count))
    }
    let found = try network.predict(pixels)
    let kernel = try #require(
      network.report.steps.map(\.kernel).last {
        $0.hasPrefix("convolution") || $0.hasPrefix("strassen")
      })
    var errors = [Double](repeating: 0, count: outputs)
    for o in 0..<outputs {
      var (error, norm) = (0.0, 0.0)
      for pixel in 0..<size * size {
        var sum = 0.0
        for i in 0..<inputs {
          sum += Double(pixels[pixel * inputs + i]) * Double(weights[o * inputs + i])
        }
        let difference = Double(found[pixel * outputs + o]) - sum
        error += difference * difference
        norm += sum * sum
      }
      errors[o] = norm > 0 ? (error / norm).squareRoot() : error.squareRoot()
    }
    return (kernel, errors)
  }

  /// What scales are given to channels: the decades, up and down, of inputs, which the weights undo, and of outputs.
  static let spreads: [(inputs: Float, outputs: Float)] = [
    (0, 0), (0.5, 0), (1, 0), (2, 0), (6, 0), (0, 3), (0, 6), (3, 3),
  ]

  /// Large input or output channels must not reduce the accuracy of their neighbors.
  @Test("each channel is as exact as it is alone", arguments: spreads, [256, 1536])
  func channelsOfDifferentScale(
    _ spread: (inputs: Float, outputs: Float), _ inputs: Int
  ) throws {
    let (size, outputs) = (14, inputs == 256 ? 256 : 512)
    let ofInputs = channelScales(count: inputs, decades: spread.inputs, seed: 1)
    let ofOutputs = channelScales(count: outputs, decades: spread.outputs, seed: 2)
    var weights = normalValues(count: inputs * outputs, seed: 3)
    for i in weights.indices { weights[i] *= ofOutputs[i / inputs] / ofInputs[i % inputs] }
    var pixels = normalValues(count: size * size * inputs, seed: 4)
    for i in pixels.indices { pixels[i] *= ofInputs[i % inputs] }
    for level in KernelChoiceTests.vectors {
      let options = CompileOptions(instructionSet: level)
      let (kernel, errors) = try channelErrors(
        weights, pixels, size: size, inputs: inputs, outputs: outputs, options)
      // Scaling keeps the algorithm for such weights.
      #expect(kernel.hasPrefix("strassen"), "\(level), \(kernel)")
      // With more inputs errors are nearer to their bound.
      let isSpread = max(spread.inputs, spread.outputs) >= (inputs == 256 ? 1 : 0.5)
      #expect(kernel.hasSuffix("scaled") == isSpread, "\(level), \(kernel)")
      let all = errors.map { $0 * $0 }.reduce(0, +) / Double(outputs)
      #expect(all.squareRoot() <= options.accuracy / 3, "\(level)")
      #expect((errors.max() ?? .infinity) <= options.accuracy, "\(level)")
    }
  }

  /// No scales balance a sparse matrix, or one with a non-finite value.
  @Test func unbalancedWeightsUseOtherKernels() throws {
    let (size, channels) = (14, 256)
    let scales = channelScales(count: channels, decades: 6, seed: 5)
    var pixels = normalValues(count: size * size * channels, seed: 6)
    for i in pixels.indices { pixels[i] *= scales[i % channels] }
    var identity = [Float](repeating: 0, count: channels * channels)
    for i in 0..<channels { identity[i * channels + i] = 1 }
    let (kernel, errors) = try channelErrors(
      identity, pixels, size: size, inputs: channels, outputs: channels, CompileOptions())
    #expect(kernel.hasPrefix("convolution 1×1"))
    #expect(errors.allSatisfy { $0 == 0 })

    var weights = normalValues(count: channels * channels, seed: 7)
    weights[3 * channels + 5] = .nan
    let spoiled = try channelErrors(
      weights, pixels, size: size, inputs: channels, outputs: channels, CompileOptions())
    #expect(spoiled.kernel.hasPrefix("convolution 1×1"))
    // Its own output alone is not a number.
    #expect(spoiled.errors.indices.filter { !spoiled.errors[$0].isFinite } == [3])
  }

  /// Channels whose weights are all zero keep the algorithm and are exactly 0.
  @Test func zeroWeightChannels() throws {
    let (size, channels) = (14, 256)
    var weights = normalValues(count: channels * channels, seed: 8)
    for i in 0..<channels {
      weights[7 * channels + i] = 0
      weights[i * channels + 9] = 0
    }
    var pixels = normalValues(count: size * size * channels, seed: 9)
    for pixel in 0..<size * size { pixels[pixel * channels + 9] = 1e20 }
    let (kernel, errors) = try channelErrors(
      weights, pixels, size: size, inputs: channels, outputs: channels, CompileOptions())
    #expect(kernel.hasPrefix("strassen") && kernel.hasSuffix("scaled"))
    #expect(errors[7] == 0)
    #expect(errors.allSatisfy { $0 <= 1e-5 })
  }

  @Test func disabledStrassenIsNotUsed() throws {
    let model = model(14, 14, 512, 512)
    for options in [
      CompileOptions(disabledRewrites: ["strassen"]), CompileOptions(preference: .size),
      CompileOptions(instructionSet: .scalar),
    ] {
      #expect(try kernel(model, options).hasPrefix("convolution 1×1"))
    }
  }

  /// The kernel treats an image as one row: padded or cropped images use another kernel.
  @Test(arguments: KernelChoiceTests.vectors)
  func strassenRequiresContiguousRows(_ level: CompileOptions.InstructionSet) throws {
    let options = CompileOptions(
      disabledRewrites: ["moveCropsEarlier", "sliceEarlier"], instructionSet: level)
    let input = Input(width: 14, height: 14, channels: 512)
    let image = input --> Activation(.tanh)
    let kernels = { (output: Tensor) in
      let model = Model(input: input, output: output)
      try expectAgreement(model, options: options, relativeL2: 5e-6)
      return try model.compile(parameters: SeededParameters(), options: options).report.steps
        .map(\.kernel).filter { $0.contains("1×1 panel") }
    }
    let pointwise = image --> PointwiseConvolution(channels: 256)
    #expect(try kernels(pointwise).map { $0.hasPrefix("strassen") } == [true], "\(level)")
    // A dilated window reads a border.
    let dilated = image --> Convolution(kernel: (3, 3), channels: 256, dilation: (2, 2))
    #expect(
      try kernels([pointwise, dilated] --> Add()) == ["convolution 1×1 panel 64"], "\(level)")
    let narrow = image --> Crop(left: 1, right: 1) --> PointwiseConvolution(channels: 256)
    #expect(try kernels(narrow) == ["convolution 1×1 panel 64"], "\(level)")
    let low = image --> Crop(top: 1) --> PointwiseConvolution(channels: 256)
    #expect(try kernels(low).map { $0.hasPrefix("strassen") } == [true], "\(level)")
  }

  /// Odd sizes in one and several segments, with an activation and a residual.
  @Test(arguments: KernelChoiceTests.vectors)
  func oddSizes(_ level: CompileOptions.InstructionSet) throws {
    for (width, height, inputs, outputs) in [(13, 15, 384, 320), (11, 23, 256, 256)] {
      let input = Input(width: width, height: height, channels: inputs)
      let first = input --> PointwiseConvolution(channels: outputs, activation: .relu)
      let second = first --> PointwiseConvolution(channels: outputs)
      let model = Model(input: input, output: [first, second] --> Add() --> Activation(.relu6))
      let report = try model.compile(
        parameters: SeededParameters(), options: CompileOptions(instructionSet: level)
      ).report
      #expect(report.steps.count { $0.kernel.hasPrefix("strassen") } == 2, "\(level)")
      try expectAgreement(
        model, options: CompileOptions(instructionSet: level), relativeL2: 5e-6)
    }
  }

  /// Also when threads take over parts of each other's work.
  @Test(arguments: KernelChoiceTests.vectors)
  func bitsAreIndependentOfThreads(_ level: CompileOptions.InstructionSet) throws {
    for (size, inputs, outputs) in [
      (14, 512, 512), (19, 320, 448), (7, 512, 1024), (14, 1536, 512),
    ] {
      let model = model(size, size, inputs, outputs, activation: .relu)
      let values = try ReferenceModel(model).inputs(seed: 5)
      var expected: [UInt32]?
      for threads in 1...5 {
        var options = CompileOptions(instructionSet: level, threads: .exactly(threads))
        options.smallestShare = 0
        #expect(try kernel(model, options).hasPrefix("strassen"), "\(level)")
        let network = try model.compile(parameters: SeededParameters(), options: options)
        for _ in 0..<3 {
          let bits = try network.outputs(of: values)[0].map(\.bitPattern)
          #expect(bits == expected ?? bits, "\(level), \(threads) threads")
          expected = bits
        }
      }
    }
  }
}
