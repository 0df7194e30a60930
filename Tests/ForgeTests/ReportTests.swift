import Forge
import ForgeTestSupport
import Testing

/// The report of a compiled model.
@Suite struct ReportTests {
  private func model() -> Model {
    let input = Input(width: 8, height: 6, channels: 3)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 16, name: "conv")
      --> BatchNormalization(name: "norm") --> Activation(.relu, name: "relu")
      --> MaxPooling(kernel: (2, 2), name: "pool") --> Dense(neurons: 4, name: "fc")
      --> Softmax(name: "softmax")
    return Model(input: input, output: output)
  }

  private func network(_ options: CompileOptions = CompileOptions()) throws -> CompiledModel {
    try model().compile(parameters: SeededParameters(), options: options)
  }

  @Test func summariesBeforeAndAfterCompilation() throws {
    let summary = """
      Layer                          Type       Output Shape     Parameters
      ---------------------------------------------------------------------
      conv                           Conv       (8, 6, 16)       448
      norm                           BatchNorm  (8, 6, 16)       64
      relu                           Activation (8, 6, 16)       0
      pool                           MaxPool    (4, 3, 16)       0
      fc                             Dense      (1, 1, 4)        772
      softmax                        Softmax    (1, 1, 4)        0
      ---------------------------------------------------------------------
      Number of layers: 6
      Total parameters: 1284
      """
    #expect(model().summary() == summary)
    #expect(try network().summary() == summary)
    #expect(try network().summary(.standard) == summary)
    for disabled in Rewrites.names {
      #expect(try network(CompileOptions(disabledRewrites: [disabled])).summary() == summary)
    }
  }

  @Test func detailedSummariesNameKernels() throws {
    let lines = try network().summary(.detailed).split(separator: "\n").map(String.init)
    let before = model().summary(.detailed).split(separator: "\n").map(String.init)
    #expect(lines.count == before.count)
    #expect(lines[0].hasSuffix("Kernel"))
    #expect(!before[0].contains("Kernel"))
    let kernels = [
      "plain convolution 3×3 panel 16 pooled", "plain convolution 3×3 panel 16 pooled",
      "plain convolution 3×3 panel 16 pooled", "plain convolution 3×3 panel 16 pooled",
      "convolution 4×3 panel 16", "softmax",
    ]
    for (line, kernel) in zip(lines.dropFirst(2), kernels) {
      #expect(line.hasSuffix(kernel))
    }
  }

  @Test func reportListsRewritesAndSteps() throws {
    let report = try network().report
    #expect(report.rewrites.map(\.name).allSatisfy(Rewrites.names.contains))
    #expect(report.places("foldBatchNormalization") == 1)
    #expect(report.places("fuseActivation") == 1)
    #expect(
      report.steps.map(\.kernel) == [
        "plain convolution 3×3 panel 16 pooled", "convolution 4×3 panel 16", "softmax", "unblock",
      ])
    #expect(
      report.steps.map(\.layers) == [["conv", "norm", "relu", "pool"], ["fc"], ["softmax"], []])
    let apart = try network(CompileOptions(disabledRewrites: ["fusePooling"])).report
    #expect(apart.kernels == ["plain", "pooling", "convolution", "softmax", "unblock"])
    #expect(
      apart.steps.map(\.layers)
        == [["conv", "norm", "relu"], ["pool"], ["fc"], ["softmax"], []])
    #expect(report.verification == nil)
  }

  @Test func reportedBytes() throws {
    let report = try network().report
    // 3 rows of 3 columns and channels, 9 filled up to 16, and 16 biases; 4×3 taps of 16, for 16
    // outputs of which 4 are there, and their biases.
    #expect(report.constantBytes == 4 * (3 * 16 * 16 + 16 + 12 * 16 * 16 + 16))
    // The pooled image, and the result in place.
    let tensors = [4 * 3 * 16, 16]
    #expect(report.unsharedBytes == 4 * tensors.reduce(0, +))
    #expect(report.arenaBytes == report.unsharedBytes)
    let workspace = try network().workspaceSize()
    #expect(workspace >= report.arenaBytes + 4 * (8 * 6 * 3 + 4))
    #expect(workspace < report.arenaBytes + 4 * (8 * 6 * 3 + 4) + 4 * 64)
    #expect(try network().workspaceSize(batch: 3) > workspace)
  }

  @Test func kernelsWithoutOptimization() throws {
    let input = Input(width: 2, height: 1, channels: 1)
    let model = Model(input: input, output: input --> Softmax())
    for isOptimized in [true, false] {
      let backend = ReferenceBackend(kernelsAreOptimized: isOptimized)
      let report = try model.compile(options: CompileOptions(backend: backend)).report
      #expect(report.kernelsAreOptimized == isOptimized)
      let line =
        "Kernels: built without optimization, about 50 times slower; build with -c release\n"
      #expect(report.description.contains(line) != isOptimized)
    }
    // Swift and C are optimized together.
    var isDebug = false
    assert(
      {
        isDebug = true; return true
      }())
    #expect(try model.compile().report.kernelsAreOptimized != isDebug)
  }

  @Test func reportDescription() throws {
    let network = try network(
      CompileOptions(
        verify: .samples(2), disabledRewrites: ["moveCropsEarlier"], instructionSet: .scalar))
    let report = network.report
    let errors = try #require(report.verification?.errors.first)
    #expect(
      // A line of debug builds.
      report.description.replacing("Kernels: \(CompileReport.notOptimized)\n", with: "") == """
        Instruction set: scalar
        Rewrites:
          dropIdentities: 0
          foldConstants: 0
          recognizeQuantization: 0
          runDynamicProducts: 0
          recognizeActivations: 0
          recognizeNormalization: 0
          recognizeRotation: 0
          sliceProducts: 0
          recognizeAttention: 0
          recognizeChannelShuffle: 0
          joinChannelSlices: 0
          foldPadding: 0
          dropUnreachedTaps: 0
          runSequencesAsImages: 0
          dropReshapesBack: 0
          foldBatchNormalization: 1
          dropReshapeBeforeDense: 0
          sliceEarlier: 0
          reshapeIntegers: 0
          runQuantized: 0
          runBlockProducts: 0
          moveAveragePoolingLater: 0
          fuseResidual: 0
          fuseActivation: 1
          runPatchesAsPixels: 0
          mergeRearrangements: 0
          joinProducts: 0
        Steps: 4
          1. plain convolution 3×3 panel 16 pooled  (conv, norm, relu, pool)
          2. convolution 4×3 panel 16  (fc)
          3. softmax  (softmax)
          4. unblock
        Packed parameters: \(report.constantBytes) bytes
        Arena: \(report.arenaBytes) bytes, \(report.unsharedBytes) without sharing
        Verified on 2 samples, bound 1e-05:
          softmax: relative L2 \(errors.relativeL2), largest difference \(errors.maximum)
        """)
    #expect("\(report)" == report.description)
  }

  @Test func compilationStages() throws {
    let stages = try network().report.stages
    #expect(
      stages.map(\.name) == ["infer", "lower", "load", "rewrite", "choose", "plan memory"])
    #expect(stages.allSatisfy { !$0.lines.isEmpty })
    #expect(stages[0].lines.contains("layer 5 \"fc\" (Dense): 1×1×4 (width×height×channels)"))
    #expect(stages[2].lines[0] == "conv weights: 16×3×3×3 [O][H][W][I], f32 from memory")
    #expect(stages[3].lines.contains("foldBatchNormalization: 1"))
    #expect(stages[4].lines.count == 4)
    #expect(
      stages[5].lines[0] == "4×3×16 f32 blocked: byte 0 of the arena, steps 1 to 2")
    // An image of 16 channels is blocked, with a border.
    let input = Input(width: 8, height: 6, channels: 16)
    let direct = try report(
      of: Model(input: input, output: input --> Convolution(kernel: (3, 3), channels: 16)),
      without: ["winograd"])
    #expect(
      direct.stages[5].lines[0]
        == "8×6×16 f32 blocked, halo top 1, left 1, bottom 1, right 1: byte 0 of the arena, "
        + "steps 1 to 3")
    #expect(stages[0].description.hasPrefix("infer\n  \"input\" (Input): 8×6×3"))
    // Where the size is not known nothing is chosen yet.
    let any = try (Model() --> Resize(width: 3, height: 3)).compile().report.stages
    #expect(any.map(\.name) == ["infer", "lower", "load", "rewrite"])
  }

  @Test func allRewriteNamesAreListed() throws {
    let reported = try network().report.rewrites.map(\.name)
    #expect(Set(Rewrites.names).count == Rewrites.names.count)
    // The others belong to the plan and change no operation.
    #expect(
      Rewrites.names
        == reported + [
          "winograd", "strassen", "fixedPointWeights", "fusePooling", "concatenateInPlace",
          "viewChannels", "reuseInPlace",
        ])
    for name in Rewrites.names {
      let report = try network(CompileOptions(disabledRewrites: [name])).report
      #expect(!report.rewrites.map(\.name).contains(name))
    }
  }

  @Test func profiles() throws {
    let network = try network()
    let profile = try network.profile(runs: 2)
    #expect(profile.map(\.kernel) == network.report.steps.map(\.kernel))
    #expect(profile.map(\.layers) == network.report.steps.map(\.layers))
    #expect(profile.allSatisfy { $0.seconds >= 0 && $0.bytes > 0 })
    #expect(
      profile.map(\.multiplyAdds) == [8 * 6 * 16 * 9 * 3, 4 * 4 * 3 * 16, 0, 0])

    let any = try (Model() --> Resize(width: 3, height: 3)).compile()
    #expect(throws: PredictionError.self) { try any.profile() }
    let shapes = ["input": Shape(width: 9, height: 5, channels: 3)]
    #expect(try any.profile(runs: 1, inputShapes: shapes).map(\.kernel) == ["resize", "unblock"])
  }
}
