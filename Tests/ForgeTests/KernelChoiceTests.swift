import Forge
import ForgeTestSupport
import Testing

/// The choice of a convolution's kernel.
@Suite struct KernelChoiceTests {
  /// The instruction sets whose plans may have Winograd's convolutions.
  static let vectors = CompileOptions.InstructionSet.present.filter { $0 != .scalar }

  /// A convolution that does not read the model's input.
  private func model(
    _ width: Int, _ height: Int, inputs: Int = 64, _ convolution: Convolution
  ) -> Model {
    let input = Input(width: width, height: height, channels: inputs)
    return Model(input: input, output: input --> Activation(.tanh) --> convolution)
  }

  /// The kernel of the convolution of such a model.
  private func kernel(
    _ model: Model, _ options: CompileOptions = CompileOptions(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let steps = try model.compile(parameters: SeededParameters(), options: options).report.steps
    return try #require(
      steps.map(\.kernel).last {
        $0.contains("onvolution ") || $0.hasPrefix("winograd ") && $0 != "winograd input"
      }, sourceLocation: sourceLocation)
  }

  @Test(arguments: vectors)
  func largeImagesUseWinograd(_ level: CompileOptions.InstructionSet) throws {
    let options = CompileOptions(instructionSet: level)
    for (width, height) in [(3, 3), (5, 5), (7, 1), (1, 7)] {
      let chosen = try self.kernel(
        model(56, 56, Convolution(kernel: (width, height), channels: 64)), options)
      #expect(chosen.hasPrefix("winograd \(width)×\(height) tile "), "\(level)")
    }
  }

  @Test(arguments: vectors)
  func unsupportedWinogradKernels(_ level: CompileOptions.InstructionSet) throws {
    let options = CompileOptions(instructionSet: level)
    for convolution in [
      Convolution(kernel: (1, 1), channels: 64), Convolution(kernel: (2, 2), channels: 64),
      Convolution(kernel: (7, 7), channels: 64), Convolution(kernel: (3, 5), channels: 64),
      Convolution(kernel: (3, 3), channels: 64, stride: (1, 2)),
      Convolution(kernel: (3, 3), channels: 64, dilation: (2, 2)),
      Convolution(kernel: (3, 3), channels: 64, groups: 2),
    ] {
      #expect(try kernel(model(40, 40, convolution), options).hasPrefix("convolution "))
    }
    let every = Convolution(kernel: (3, 3), channels: 64, stride: (2, 2))
    #expect(try kernel(model(40, 40, every), options).hasPrefix("winograd 3×3 tile "))
    let grouped = Convolution(kernel: (3, 3), channels: 64, groups: 32)
    #expect(try kernel(model(40, 40, grouped), options).hasPrefix("groupedConvolution "))
  }

  /// A single pixel cannot share a transform.
  @Test(arguments: vectors)
  func singlePixelUsesDirectConvolution(_ level: CompileOptions.InstructionSet) throws {
    let convolution = Convolution(kernel: (3, 3), channels: 64)
    let chosen = try kernel(
      model(1, 1, convolution), CompileOptions(instructionSet: level))
    #expect(chosen.hasPrefix("convolution "))
  }

  @Test func scalarLevelNeverUsesWinograd() throws {
    let options = CompileOptions(instructionSet: .scalar)
    let convolution = Convolution(kernel: (3, 3), channels: 16)
    #expect(try kernel(model(20, 20, inputs: 16, convolution), options).hasPrefix("convolution "))
  }

  @Test func choiceIsDeterministic() throws {
    let model = model(28, 28, Convolution(kernel: (3, 3), channels: 96))
    let first = try model.compile(parameters: SeededParameters()).report.steps.map(\.kernel)
    for _ in 0..<3 {
      #expect(
        try model.compile(parameters: SeededParameters()).report.steps.map(\.kernel) == first)
    }
  }

  @Test func plainImagesUsePlainConvolution() throws {
    for (channels, name) in [
      (1, "plain convolution 3×3"), (3, "plain convolution 3×3"), (15, "plain convolution 3×3"),
      (16, ""),
    ] {
      let input = Input(width: 20, height: 20, channels: channels)
      for preference in [CompileOptions.Preference.speed, .size] {
        let chosen = try kernel(
          Model(input: input, output: input --> Convolution(kernel: (3, 3), channels: 16)),
          CompileOptions(preference: preference))
        #expect(chosen.hasPrefix(name) && chosen.hasPrefix("plain") == (channels < 16))
      }
    }
    let input = Input(width: 20, height: 20, channels: 3)
    for convolution in [
      Convolution(kernel: (3, 3), channels: 16, dilation: (2, 2)),
      Convolution(kernel: (3, 3), channels: 15, groups: 3),
    ] {
      #expect(
        try !kernel(Model(input: input, output: input --> convolution)).hasPrefix("plain"))
    }
    // A sum that a second operand is added to, and a window larger than what tiles are copied to.
    let same = input --> Convolution(kernel: (3, 3), channels: 3)
    let sum = Model(input: input, output: [same, input] --> Add())
    #expect(try !kernel(sum).hasPrefix("plain"))
    try expectAgreement(sum)
    let row = Input(width: 71, height: 3, channels: 3)
    let wide = Model(
      input: row, output: row --> Convolution(kernel: (65, 1), channels: 2))
    #expect(try !kernel(wide).hasPrefix("plain"))
    try expectAgreement(wide)
  }

  @Test(arguments: vectors)
  func disabledWinogradIsNotUsed(_ level: CompileOptions.InstructionSet) throws {
    let model = model(56, 56, Convolution(kernel: (3, 3), channels: 64))
    let chosen = try kernel(
      model, CompileOptions(disabledRewrites: ["winograd"], instructionSet: level))
    #expect(chosen.hasPrefix("convolution "))
  }

  /// Every chosen form stays within a third of the requested accuracy.
  @Test(arguments: vectors)
  func accuracyLimitsKernelForms(_ level: CompileOptions.InstructionSet) throws {
    let model = model(23, 17, inputs: 150, Convolution(kernel: (3, 3), channels: 32))
    let reference = try ReferenceModel(model)
    let inputs = reference.inputs(seed: 4)
    let expected = try reference.run(inputs).outputs[0]
    var chosen: [String] = []
    for accuracy in [1e-3, 1e-5, 5e-6, 2e-6, 1e-9] {
      let options = CompileOptions(accuracy: accuracy, instructionSet: level)
      let kernel = try kernel(model, options)
      chosen.append(kernel)
      for form in WinogradTile.forms(of: Size(width: 3, height: 3))
      where kernel.hasPrefix("winograd") && kernel.contains("tile \(form.tile.width)×") {
        #expect(form.summedChannels(of: 150, accuracy: accuracy / 3) != nil)
      }
      let network = try model.compile(parameters: SeededParameters(), options: options)
      // The estimate is of kernels that fuse products into sums; without, errors are a little larger.
      let bound = max(accuracy / 3, 1e-6) * (level == .baseline ? 1.1 : 1)
      expectClose(
        try network.outputs(of: inputs)[0], expected, relativeL2: bound,
        "\(level), \(accuracy), \(kernel)")
    }
    #expect(chosen[0].hasPrefix("winograd"))
    #expect(chosen[4].hasPrefix("convolution"))
  }

  /// At most 1.15 × the size of the parameters, for a model of more than 1 MB.
  @Test func sizePreferenceLimitsMemory() throws {
    let input = Input(width: 48, height: 40, channels: 3)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 64, activation: .relu)
      --> MaxPooling(kernel: (2, 2)) --> Convolution(kernel: (3, 3), channels: 128)
      --> MaxPooling(kernel: (2, 2)) --> Convolution(kernel: (5, 5), channels: 96)
      --> Convolution(kernel: (1, 7), channels: 100) --> Convolution(kernel: (7, 1), channels: 96)
      --> MaxPooling(kernel: (2, 2)) --> Dense(neurons: 100) --> Softmax()
    let model = Model(input: input, output: output)
    let counts = [
      64 * 27 + 64, 128 * 64 * 9 + 128, 96 * 128 * 25 + 96, 100 * 96 * 7 + 100, 96 * 100 * 7 + 96,
      100 * 6 * 5 * 96 + 100,
    ]
    let bytes = 4 * counts.reduce(0, +)
    #expect(bytes > 1 << 20)
    for level in CompileOptions.InstructionSet.present {
      let options = CompileOptions(instructionSet: level, preference: .size)
      let report = try model.compile(parameters: SeededParameters(), options: options).report
      #expect(!report.steps.contains { $0.kernel.hasPrefix("winograd") })
      #expect(Double(report.constantBytes) <= 1.15 * Double(bytes))
    }
    try expectAgreement(model, options: CompileOptions(preference: .size), relativeL2: 1e-5)
    for level in Self.vectors {
      let options = CompileOptions(instructionSet: level)
      let report = try model.compile(parameters: SeededParameters(), options: options).report
      #expect(report.steps.contains { $0.kernel.hasPrefix("winograd 3×3") })
      #expect(report.steps.contains { $0.kernel.hasPrefix("winograd 5×5") })
    }
  }

  /// Plans for other sizes reuse packed weights: the source is not read again.
  @Test(arguments: CompileOptions.InstructionSet.present)
  func inputSizesSharePackedWeights(_ level: CompileOptions.InstructionSet) throws {
    let model =
      Model() --> Convolution(kernel: (3, 3), channels: 32, activation: .relu)
      --> MaxPooling(kernel: (2, 2)) --> Convolution(kernel: (3, 3), channels: 48)
      --> MaxPooling(kernel: (2, 2)) --> Convolution(kernel: (1, 1), channels: 20)
      --> GlobalAveragePooling() --> Dense(neurons: 7)
    let reads = Counter()
    let seeded = SeededParameters()
    let network = try model.compile(
      parameters: CountedParameters(source: seeded, reads: reads),
      options: CompileOptions(instructionSet: level))
    let reference = try ReferenceModel(model)
    var before: Int?
    for (width, height) in [(60, 44), (5, 4), (33, 81), (224, 16), (4, 4)] {
      let input = TensorValues.seeded(Shape(width: width, height: height, channels: 3), seed: 6)
      expectClose(
        try network.predict(input), try reference.run([input]).outputs[0], relativeL2: 5e-6,
        "\(width)×\(height)")
      if let before { #expect(reads.count == before, "\(width)×\(height)") }
      before = reads.count
    }
    #expect(reads.count > 0)
  }
}

/// Seeded parameters that count how often their values are read.
private struct CountedParameters: ParameterSource {
  let source: SeededParameters
  let reads: Counter
  var goesByName: Bool { false }

  func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
    CountedValues(values: StoredValues(source.values(for: spec)), reads: reads)
  }
}
