import Forge
import ForgeTestSupport
import Testing

/// The arena: sharing of memory, and no reads of uninitialized memory.
@Suite struct MemoryTests {
  /// NaN in all memory before a context is created and between predictions does not change results.
  @Test(arguments: 0..<4)
  func uninitializedMemoryIsNotRead(_ part: Int) throws {
    for seed in UInt64(part * 25)..<UInt64((part + 1) * 25) {
      let model = RandomNetwork(seed: seed).model
      let reference = try ReferenceModel(model)
      for disabled in [[], Set(Rewrites.names)] {
        let network = try model.compile(
          parameters: SeededParameters(seed: seed),
          options: CompileOptions(disabledRewrites: disabled))
        let examples = (0..<2).map { reference.inputs(seed: seed &+ 50 &+ $0) }
        let expected = try examples.map { try Context(network).predict([$0])[0].map(\.bits) }
        let workspace = try SpoiledWorkspace(network, batch: 2)
        for index in [0, 1, 0] {
          workspace.spoilArena()
          let result = try workspace.predict([examples[index]])[0].map(\.bits)
          #expect(result == expected[index], "seed \(seed), example \(index)")
        }
        workspace.spoilArena()
        let both = try workspace.predict(examples).map { $0.map(\.bits) }
        #expect(both == expected, "seed \(seed), both")
      }
    }
  }

  @Test func spoiledWorkspaceCoversArena() throws {
    let input = Input(width: 9, height: 7, channels: 3)
    let model = Model(
      input: input, output: input --> Convolution(kernel: (3, 3), channels: 5))
    let network = try model.compile(parameters: SeededParameters())
    let workspace = try SpoiledWorkspace(network)
    workspace.spoilArena()
    #expect(!workspace.arenaIsUsed)
    _ = try workspace.predict([[.seeded(Shape(width: 9, height: 7, channels: 3), seed: 1)]])
    #expect(workspace.arenaIsUsed)
  }

  /// Inputs hold zeros before they are written, whatever was in the caller's memory.
  @Test func inputsAreZeroInitialized() throws {
    let input = Input(width: 3, height: 2, channels: 5)
    let model = Model(input: input, output: input --> Add(constant: [0.5]))
    let network = try model.compile()
    let workspace = try SpoiledWorkspace(network, batch: 2)
    try workspace.context.predict(batch: 2)
    let values = workspace.context.withOutput(0) { span in span.indices.map { span[$0] } }
    #expect(values == Array(repeating: 0.5, count: 60))
  }

  /// No two tensors that are live in one step overlap, according to the report.
  @Test(arguments: 0..<4)
  func liveTensorsDoNotOverlap(_ part: Int) throws {
    for seed in UInt64(part * 25)..<UInt64((part + 1) * 25) {
      let model = RandomNetwork(seed: seed).model
      for disabled in [[], Set(Rewrites.names)] {
        let report = try report(of: model, without: disabled)
        let tensors = try PlacedTensor.all(in: report)
        #expect(!tensors.isEmpty)
        for (index, tensor) in tensors.enumerated() {
          #expect(tensor.bytes.lowerBound.isMultiple(of: 64))
          #expect(tensor.bytes.upperBound <= report.arenaBytes, "seed \(seed): \(tensor)")
          #expect((1...report.steps.count).contains(tensor.steps.upperBound))
          for other in tensors[..<index] where tensor.steps.overlaps(other.steps) {
            #expect(
              !tensor.bytes.overlaps(other.bytes), "seed \(seed): \(tensor) and \(other)")
          }
        }
        let sum = tensors.reduce(0) { $0 + ($1.bytes.count + 63) / 64 * 64 }
        #expect(sum == report.unsharedBytes)
      }
    }
  }

  @Test func chainAlternatesTwoBuffers() throws {
    let input = Input(width: 16, height: 16, channels: 16)
    var output = input
    for _ in 0..<12 { output = output --> Convolution(kernel: (1, 1), channels: 16) }
    let network = try Model(input: input, output: output).compile(
      parameters: SeededParameters())
    let one = 16 * 16 * 16 * 4
    // The blocked input and twelve results, of which two are alive at once.
    #expect(network.report.unsharedBytes == 13 * one)
    #expect(network.report.arenaBytes == 2 * one)
  }

  @Test(arguments: 0..<4)
  func arenaIsBoundedByTensorSizes(_ part: Int) throws {
    var saved = 0
    for seed in UInt64(part * 25)..<UInt64((part + 1) * 25) {
      let report = try RandomNetwork(seed: seed).model.compile(
        parameters: SeededParameters()
      ).report
      #expect(report.arenaBytes <= report.unsharedBytes, "seed \(seed)")
      saved += report.arenaBytes < report.unsharedBytes ? 1 : 0
    }
    #expect(saved >= 20)
  }

  /// A long-lived tensor keeps its place while others are allocated and released.
  @Test func longLivedTensorsKeepTheirPlace() throws {
    let input = Input(width: 11, height: 9, channels: 7)
    let first = input --> Convolution(kernel: (3, 3), channels: 24, activation: .tanh)
    var output = first
    var skips = [first]
    for channels in [8, 16, 40, 24, 33, 24] {
      output = output --> Convolution(kernel: (3, 3), channels: channels, activation: .tanh)
      if channels == 24 { skips.append(output) }
    }
    try expectAgreement(Model(input: input, output: skips --> Add()))
  }
}
