import Forge
import ForgeTestSupport
import Testing

/// Kernels chosen by timing; no test depends on real times.
@Suite struct TuningTests {
  static let vectors = CompileOptions.InstructionSet.present.filter { $0 != .scalar }

  @Test(arguments: [1, 2, 3])
  func measuredPlansMatchReference(_ threads: Int) throws {
    var options = CompileOptions(tuning: .measured, threads: .exactly(threads))
    options.smallestShare = 0
    try expectAgreement(TunedNetwork.model(), options: options, relativeL2: 5e-6)
  }

  @Test(arguments: vectors)
  func measuredPlansMatchReferenceOnInstructionSet(_ level: CompileOptions.InstructionSet) throws {
    try expectAgreement(
      TunedNetwork.model(), options: CompileOptions(instructionSet: level, tuning: .measured),
      relativeL2: 5e-6)
  }

  /// Each candidate kernel wins once and matches the reference.
  @Test(arguments: vectors)
  func everyCandidateMatchesReference(_ level: CompileOptions.InstructionSet) throws {
    let model = TunedNetwork.model()
    let options = CompileOptions(instructionSet: level)
    let reference = try ReferenceModel(model)
    let inputs = reference.inputs(seed: 5)
    let expected = try reference.run(inputs).outputs[0]
    let timed = try TunedNetwork.timed(model, options)
    #expect(Set(timed.map(\.kernel.name)).isSuperset(of: ["direct", "winograd"]))
    #expect(Set(timed.map(\.convolution)).count == 5)
    for wanted in timed {
      let network = try model.compile(
        parameters: SeededParameters(),
        options: TunedNetwork.options(options) {
          $0 == wanted.convolution && $1 == wanted.kernel ? 1 : 2
        })
      let tuning = network.report.tuning
      #expect(tuning.way == .measured)
      #expect(tuning.record.choices.contains(wanted), "\(wanted)")
      #expect(tuning.record.choices.count == 5)
      #expect(tuning.fallbacks.isEmpty)
      #expect(Set(tuning.differences).isSubset(of: [wanted.convolution]))
      let outputs = try network.outputs(of: inputs)[0]
      expectClose(outputs, expected, relativeL2: 5e-6, "\(wanted)")
      // Given back, the same bits without a look at any clock.
      var recorded = options
      recorded.tuning = .recorded(tuning.record)
      recorded.tuningTimer = { _, _ in
        Issue.record("nothing is timed")
        return 0
      }
      let again = try model.compile(parameters: SeededParameters(), options: recorded)
      #expect(try again.outputs(of: inputs)[0].bits == outputs.bits, "\(wanted)")
      #expect(again.report.steps.map(\.kernel) == network.report.steps.map(\.kernel))
      #expect(again.report.tuning.record == tuning.record)
      #expect(again.report.constantBytes == network.report.constantBytes)
    }
  }

  /// A pooling kernel is one step, others need two: the cost of a choice covers both.
  @Test func kernelCostIncludesPooling() throws {
    let level = try #require(TunedNetwork.instructionSet)
    let options = CompileOptions(instructionSet: level)
    let (model, timed) = (
      TunedNetwork.model(), try TunedNetwork.timed(TunedNetwork.model(), options)
    )
    var seen: Set<Bool> = []
    for wanted in timed where wanted.convolution.input == "26x22x16" {
      let network = try model.compile(
        parameters: SeededParameters(),
        options: TunedNetwork.options(options) {
          $0 == wanted.convolution && $1 == wanted.kernel ? 1 : 2
        })
      let kernels = network.report.steps.map(\.kernel)
      let isFused = kernels.contains { $0.hasSuffix(" pooled") }
      let canPool =
        wanted.kernel.name == "winograd" && ["2x2", "4x4", "6x6"].contains(wanted.kernel.tile)
      #expect(isFused == canPool && isFused != kernels.contains("pooling 2×2"), "\(wanted)")
      seen.insert(isFused)
    }
    #expect(seen == [true, false])
  }

  @Test func reportListsCandidates() throws {
    let level = try #require(TunedNetwork.instructionSet)
    let network = try TunedNetwork.model().compile(
      parameters: SeededParameters(),
      options: TunedNetwork.options(CompileOptions(instructionSet: level, threads: .exactly(2))) {
        Double($1.panelWidth ?? 0)
      })
    let tuning = network.report.tuning
    #expect(tuning.record.threads == 2)
    #expect(tuning.record.instructionSet == level.rawValue)
    #expect(tuning.predictionSeconds == nil)
    #expect(!tuning.comparisons.isEmpty)
    #expect(!tuning.differences.isEmpty)
    for comparison in tuning.comparisons {
      #expect(
        comparison.isWon == (comparison.challenger.seconds < 0.97 * comparison.champion.seconds))
    }
    for convolution in tuning.differences {
      let choice = tuning.record.choices.first { $0.convolution == convolution }
      #expect(choice?.kernel.panelWidth == 32)
    }
    let text = "\(network.report)"
    #expect(text.contains("\nTuning: measured, 2 threads\n"))
    #expect(text.contains("\n  3x3 stride 1x1, 26x22x16 to 26x22x64: "))
    #expect(text.contains(" panel 32  *\n"))
    for kernel in network.report.steps.map(\.kernel) where kernel.contains(" tile ") {
      #expect(network.summary(.detailed).contains(kernel))
    }
  }

  /// Real timing reports times and releases the weights of losing kernels.
  @Test func realTimingReleasesLosingWeights() throws {
    let level = try #require(TunedNetwork.instructionSet)
    let model = TunedNetwork.model()
    let options = CompileOptions(instructionSet: level, tuning: .measured)
    let network = try model.compile(parameters: SeededParameters(), options: options)
    let tuning = network.report.tuning
    #expect(
      tuning.comparisons.allSatisfy { $0.champion.seconds > 0 && $0.challenger.seconds > 0 })
    #expect(tuning.fallbacks.isEmpty)
    let again = try model.compile(
      parameters: SeededParameters(),
      options: CompileOptions(instructionSet: level, tuning: .recorded(tuning.record)))
    #expect(again.report.constantBytes == network.report.constantBytes)
    #expect(again.memory.packedParameters == network.memory.packedParameters)
    let inputs = try ReferenceModel(model).inputs(seed: 9)
    #expect(
      try again.outputs(of: inputs).map(\.bits) == network.outputs(of: inputs).map(\.bits))
  }

  /// With an accuracy that no transform reaches, only panel widths are candidates.
  @Test(arguments: vectors)
  func accuracyLimitsCandidates(_ level: CompileOptions.InstructionSet) throws {
    for accuracy in [1e-9, 4e-6, 1e-5, 1e-3] {
      let options = CompileOptions(accuracy: accuracy, instructionSet: level)
      for choice in try TunedNetwork.timed(TunedNetwork.model(), options) {
        if accuracy == 1e-9 { #expect(choice.kernel.name == "direct", "\(choice)") }
        guard let tile = choice.kernel.tile, let summed = choice.kernel.summedChannels else {
          continue
        }
        let kernel = choice.convolution.kernel.split(separator: "x").compactMap { Int($0) }
        let form = try #require(
          WinogradTile.forms(
            of: Size(width: kernel[0], height: kernel[1]),
            stride: choice.convolution.stride == "2x2" ? Size(width: 2, height: 2) : .one
          ).first { "\($0.tile.width)x\($0.tile.height)" == tile })
        let channels = choice.convolution.input.split(separator: "x").last.flatMap { Int($0) }
        let inputs = try #require(channels)
        #expect(form.error(summing: summed, of: inputs) <= accuracy / 3 * (1 + 1e-12))
      }
    }
  }

  @Test func rewritesAndPreferenceLimitCandidates() throws {
    let level = try #require(TunedNetwork.instructionSet)
    let model = TunedNetwork.model()
    for (rewrite, name) in [("winograd", "winograd"), ("strassen", "strassen")] {
      let options = CompileOptions(disabledRewrites: [rewrite], instructionSet: level)
      let names = try TunedNetwork.timed(model, options).map(\.kernel.name)
      #expect(!names.isEmpty && !names.contains(name))
    }
    let small = CompileOptions(instructionSet: level, preference: .size)
    #expect(try TunedNetwork.timed(model, small).isEmpty)
    let scalar = CompileOptions(instructionSet: .scalar)
    #expect(try TunedNetwork.timed(model, scalar).isEmpty)
  }

  /// Sizes known at prediction only are planned by the cost model.
  @Test func unknownSizesUseCostModel() throws {
    let model =
      Model(channels: 16) --> Activation(.tanh)
      --> Convolution(kernel: (3, 3), channels: 64, name: "a")
    #expect(try TunedNetwork.timed(model).isEmpty)
    let network = try model.compile(
      parameters: SeededParameters(), options: CompileOptions(tuning: .measured))
    #expect(network.report.tuning.record.choices.isEmpty)
    let plain = try model.compile(parameters: SeededParameters())
    let input = TensorValues.seeded(Shape(width: 20, height: 30, channels: 16), seed: 3)
    #expect(try network.predict(input).bits == plain.predict(input).bits)
  }

  /// Kept layers do not change bits; verification compares the tuned plan.
  @Test func tuningWithKeepAndVerify() throws {
    let level = try #require(TunedNetwork.instructionSet)
    let model = TunedNetwork.model()
    let network = try model.compile(
      parameters: SeededParameters(),
      options: TunedNetwork.options(
        CompileOptions(verify: .samples(1), instructionSet: level)
      ) { Double($1.summedChannels ?? 0) + Double($1.tile?.utf8.first ?? 0) })
    #expect(network.report.verification != nil)
    #expect(!network.report.tuning.differences.isEmpty)
    let inputs = try ReferenceModel(model).inputs(seed: 2)
    let record = network.report.tuning.record
    let kept = try model.compile(
      parameters: SeededParameters(),
      options: CompileOptions(
        keep: ["first", "second"], instructionSet: level, tuning: .recorded(record)))
    #expect(kept.report.tuning.fallbacks.isEmpty)
    #expect(
      try kept.outputs(of: inputs)[0].bits == network.outputs(of: inputs)[0].bits)
  }

  /// A network that cannot run cannot be timed: the cost model plans it, and the report says so.
  @Test func throwingLayerFallsBackToCostModel() throws {
    struct Bad: Error {}
    let level = try #require(TunedNetwork.instructionSet)
    let input = Input(width: 26, height: 22, channels: 16)
    let model = Model(
      input: input,
      output: input --> Custom(shape: { $0[0] }, body: { _, _ in throw Bad() })
        --> Convolution(kernel: (3, 3), channels: 64, name: "conv"))
    let options = CompileOptions(instructionSet: level, tuning: .measured)
    let network = try model.compile(parameters: SeededParameters(), options: options)
    #expect(network.report.tuning.fallbacks.map(\.input) == ["26x22x16"])
    #expect(network.report.tuning.comparisons.isEmpty)
    let plain = try model.compile(
      parameters: SeededParameters(), options: CompileOptions(instructionSet: level))
    #expect(network.report.steps.map(\.kernel) == plain.report.steps.map(\.kernel))
    #expect(network.report.constantBytes == plain.report.constantBytes)
  }
}
