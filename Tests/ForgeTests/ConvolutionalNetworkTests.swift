import Forge
import ForgeTestSupport
import Testing

/// Random networks with the kernels of large images: agreement with the reference and reproducible
/// bits.
@Suite struct ConvolutionalNetworkTests {
  static let seedsPerTest: UInt64 = 6

  private static func seeds(_ part: Int) -> Range<UInt64> {
    UInt64(part) * seedsPerTest..<UInt64(part + 1) * seedsPerTest
  }

  /// Options under which every step of two tiles or more is dealt out, however small it is.
  private static func dealtOut(_ threads: Int) -> CompileOptions {
    var options = CompileOptions(threads: .exactly(threads))
    options.smallestShare = 0
    return options
  }

  /// The random networks together use every kernel under test.
  @Test func networksCoverAllKernels() throws {
    guard CompileOptions.InstructionSet.present != [.scalar] else { return }
    var steps: Set<String> = []
    for seed in 0..<4 * Self.seedsPerTest {
      for threads in [1, 5] {
        var options = Self.dealtOut(threads)
        options.instructionSet = CompileOptions.InstructionSet.present.last { $0 != .scalar }
        let report = try ConvolutionalNetwork(seed: seed).model.compile(
          parameters: SeededParameters(), options: options
        ).report
        for step in report.steps {
          let words = step.kernel.split(separator: " ")
          steps.insert(
            words.prefix(1).joined()
              + (["input", "pooled"].contains(words.last) ? " \(words[words.count - 1])" : ""))
        }
      }
    }
    #expect(
      steps.isSuperset(of: [
        "plain", "plain pooled", "winograd", "winograd input", "winograd pooled", "convolution",
        "pooling",
      ]), "\(steps.sorted())")
  }

  /// Every network with all rewrites, with none, and with selected rewrites disabled.
  @Test(arguments: 0..<4)
  func resultsMatchReference(_ part: Int) throws {
    for seed in Self.seeds(part) {
      let model = ConvolutionalNetwork(seed: seed).model
      let reference = try ReferenceModel(model)
      let inputs = reference.inputs(seed: seed &+ 1000)
      let parameters = SeededParameters(seed: seed)
      let expected = try reference.run(inputs, parameters: parameters).outputs
      let sets = CompileOptions.InstructionSet.present
      for disabled in [
        [], Set(Rewrites.names), ["winograd"], ["fusePooling"], ["moveAveragePoolingLater"],
        ["winograd", "fusePooling"],
      ] {
        let options = CompileOptions(
          disabledRewrites: disabled, instructionSet: sets[Int(seed) % sets.count])
        let network = try model.compile(parameters: parameters, options: options)
        for (actual, expected) in zip(try network.outputs(of: inputs), expected) {
          expectClose(
            actual, expected, relativeL2: 1e-5, "seed \(seed), without \(disabled.sorted())")
        }
      }
    }
  }

  @Test(arguments: 0..<4)
  func bitsAreIndependentOfThreadsAndPosition(_ part: Int) throws {
    for seed in Self.seeds(part) {
      let model = ConvolutionalNetwork(seed: seed).model
      let reference = try ReferenceModel(model)
      let examples = (0..<3).map { reference.inputs(seed: seed &* 31 &+ $0 &* 100) }
      var bits: [[Bits]]?
      for threads in [1, 2, 3, 5] {
        let network = try model.compile(
          parameters: SeededParameters(seed: seed), options: Self.dealtOut(threads))
        let context = try Context(network, batch: 3)
        for order in [[0, 1, 2], [2, 0, 1], [1]] {
          let results = try context.predict(order.map { examples[$0] }).map { $0.map(\.bits) }
          if let bits {
            #expect(
              results == order.map { bits[$0] }, "seed \(seed), \(threads) threads, \(order)")
          } else {
            bits = results
          }
        }
      }
    }
  }

  /// NaN in all memory before and between predictions does not change results.
  @Test(arguments: 0..<4)
  func uninitializedMemoryIsNotRead(_ part: Int) throws {
    for seed in Self.seeds(part) {
      let model = ConvolutionalNetwork(seed: seed).model
      let inputs = try ReferenceModel(model).inputs(seed: seed)
      for threads in [1, 3] {
        let network = try model.compile(
          parameters: SeededParameters(seed: seed), options: Self.dealtOut(threads))
        let expected = try Context(network).predict([inputs])[0].map(\.bits)
        let workspace = try SpoiledWorkspace(network)
        for _ in 0..<2 {
          workspace.spoilArena()
          #expect(
            try workspace.predict([inputs])[0].map(\.bits) == expected,
            "seed \(seed), \(threads) threads")
        }
      }
    }
  }

  /// Keeping a layer does not change output bits.
  @Test(arguments: 0..<4)
  func keptLayersPreserveOutputBits(_ part: Int) throws {
    for seed in Self.seeds(part) {
      let model = ConvolutionalNetwork(seed: seed).model
      let reference = try ReferenceModel(model)
      let inputs = reference.inputs(seed: seed)
      let names = reference.layerNames
      let parameters = SeededParameters(seed: seed)
      let expected = try reference.run(inputs, layers: names, parameters: parameters).layers
      let bits = try model.compile(parameters: parameters).outputs(of: inputs).map(\.bits)
      for keep in [names, Array(names.prefix(1)), Array(names.dropFirst(2).prefix(2))] {
        let network = try model.compile(
          parameters: parameters, options: CompileOptions(keep: keep))
        let predictions = try network.predict(ordered: inputs)
        #expect(
          network.outputNames.prefix(2).map { predictions.outputs[$0]?.values.bits } == bits,
          "seed \(seed), \(keep)")
        for name in keep {
          expectClose(
            try #require(predictions.kept[name]?.values), try #require(expected[name]),
            relativeL2: 1e-5, "seed \(seed), \(name)")
        }
      }
    }
  }
}
