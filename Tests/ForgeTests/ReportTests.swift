import Forge
import ForgeTestSupport
import Testing

/// What a compiled model says about itself.
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

  @Test func summariesBeforeAndAfter() throws {
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
      "convolution 3×3 panel 16", "convolution 3×3 panel 16", "convolution 3×3 panel 16",
      "pooling 2×2", "convolution 4×3 panel 16", "softmax",
    ]
    for (line, kernel) in zip(lines.dropFirst(2), kernels) {
      #expect(line.hasSuffix(kernel))
    }
  }

  @Test func rewritesAndSteps() throws {
    let report = try network().report
    #expect(report.rewrites.map(\.name).allSatisfy(Rewrites.names.contains))
    #expect(report.places("foldBatchNormalization") == 1)
    #expect(report.places("fuseActivation") == 1)
    #expect(
      report.kernels == [
        "clearHalo", "block", "convolution", "pooling", "convolution", "softmax", "unblock",
      ])
    #expect(report.steps.map(\.layers)[2] == ["conv", "norm", "relu"])
    #expect(report.steps.map(\.layers)[3] == ["pool"])
    #expect(report.steps.map(\.layers)[6] == [])
    #expect(report.verification == nil)
  }

  @Test func bytes() throws {
    let report = try network().report
    // 3×3 taps of 16 inputs and outputs, and 16 biases; 4×3 taps of 16, for 16 outputs of which 4 are
    // there, and their biases.
    #expect(report.constantBytes == 4 * (9 * 16 * 16 + 16 + 12 * 16 * 16 + 16))
    // The input with its border, the convolution, the pooled image, and the result in place.
    let tensors = [10 * 8 * 16, 8 * 6 * 16, 4 * 3 * 16, 16]
    #expect(report.unsharedBytes == 4 * tensors.reduce(0, +))
    #expect(report.arenaBytes == 4 * (tensors[0] + tensors[1]))
    let workspace = try network().workspaceSize()
    #expect(workspace >= report.arenaBytes + 4 * (8 * 6 * 3 + 4))
    #expect(workspace < report.arenaBytes + 4 * (8 * 6 * 3 + 4) + 4 * 64)
    #expect(try network().workspaceSize(batch: 3) > workspace)
  }

  @Test func description() throws {
    let network = try network(
      CompileOptions(
        verify: .samples(2), disabledRewrites: ["moveCropsEarlier"], instructionSet: .scalar))
    let report = network.report
    let errors = try #require(report.verification?.errors.first)
    #expect(
      report.description == """
        Instruction set: scalar
        Rewrites:
          dropIdentities: 0
          foldConstants: 0
          foldPadding: 0
          foldBatchNormalization: 1
          dropReshapeBeforeDense: 0
          fuseResidual: 0
          fuseActivation: 1
        Steps: 7
          1. clearHalo  (conv, norm, relu)
          2. block  (conv, norm, relu)
          3. convolution 3×3 panel 16  (conv, norm, relu)
          4. pooling 2×2  (pool)
          5. convolution 4×3 panel 16  (fc)
          6. softmax  (softmax)
          7. unblock
        Packed parameters: \(report.constantBytes) bytes
        Arena: \(report.arenaBytes) bytes, \(report.unsharedBytes) without sharing
        Verified on 2 samples, bound 1e-05:
          softmax: relative L2 \(errors.relativeL2), largest difference \(errors.maximum)
        """)
    #expect("\(report)" == report.description)
  }

  @Test func everyNameOfARewriteIsThere() throws {
    let reported = try network().report.rewrites.map(\.name)
    #expect(Set(Rewrites.names).count == Rewrites.names.count)
    // The last two belong to the memory plan and change no operation.
    #expect(Rewrites.names == reported + ["concatenateInPlace", "reuseInPlace"])
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
    #expect(profile[2].multiplyAdds == 8 * 6 * 16 * 9 * 3)
    #expect(profile[4].multiplyAdds == 4 * 4 * 3 * 16)
    #expect(profile[3].multiplyAdds == 0)

    let any = try (Model() --> Resize(width: 3, height: 3)).compile()
    #expect(throws: PredictionError.self) { try any.profile() }
    let shapes = ["input": Shape(width: 9, height: 5, channels: 3)]
    #expect(try any.profile(runs: 1, inputShapes: shapes).map(\.kernel) == ["resize", "unblock"])
  }
}
