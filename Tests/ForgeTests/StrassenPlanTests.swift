import Forge
import ForgeTestSupport
import Testing

/// Pointwise convolutions by Strassen's algorithm, once and twice, in plans.
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
  func asOftenAsItPays(_ level: CompileOptions.InstructionSet) throws {
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

  @Test(arguments: KernelChoiceTests.vectors)
  func withinTheAccuracy(_ level: CompileOptions.InstructionSet) throws {
    let model = model(14, 14, 512, 512)
    for (accuracy, expected) in [
      (1e-5, "strassen 2 levels"), (8e-6, "strassen 1×1"), (3e-6, "convolution"),
    ] {
      let options = CompileOptions(
        verify: .samples(1), accuracy: accuracy, instructionSet: level)
      #expect(try kernel(model, options).hasPrefix(expected), "\(level), \(accuracy)")
      let network = try model.compile(parameters: SeededParameters(), options: options)
      let error = try #require(network.report.verification?.errors[0].relativeL2)
      #expect(error <= accuracy / 4, "\(level), \(accuracy)")
    }
  }

  @Test func unlessItIsNotWanted() throws {
    let model = model(14, 14, 512, 512)
    for options in [
      CompileOptions(disabledRewrites: ["strassen"]), CompileOptions(preference: .size),
      CompileOptions(instructionSet: .scalar),
    ] {
      #expect(try kernel(model, options).hasPrefix("convolution 1×1"))
    }
  }

  /// Odd sizes, in one segment and in several, with an activation and with something added.
  @Test(arguments: KernelChoiceTests.vectors)
  func odd(_ level: CompileOptions.InstructionSet) throws {
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

  /// Also where threads take pieces of each other's shares.
  @Test(arguments: KernelChoiceTests.vectors)
  func theSameBitsOnAnyNumberOfThreads(_ level: CompileOptions.InstructionSet) throws {
    for (size, inputs, outputs) in [(14, 512, 512), (19, 320, 448), (7, 512, 1024)] {
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
