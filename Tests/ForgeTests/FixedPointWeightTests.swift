import Forge
import ForgeTestSupport
import Testing

/// Large single-pixel layers, whose weights are stored as 24-bit fixed point where that is accurate
/// enough.
@Suite struct FixedPointWeightTests {
  private static let inputs = 523, outputs = 601

  /// A dense layer, and a pointwise convolution of one pixel, which is the same.
  private static let models: [Model] = {
    let input = Input(width: 1, height: 1, channels: inputs)
    return [
      Model(input: input, output: input --> Dense(neurons: outputs, name: "fc")),
      Model(input: input, output: input --> PointwiseConvolution(channels: outputs, name: "fc")),
    ]
  }()

  private let input = seededValues(count: inputs, seed: 12)

  private func parameters(_ change: (inout [Float]) -> Void = { _ in }) -> NamedParameters {
    var weights = seededValues(count: Self.inputs * Self.outputs, seed: 11, range: -0.1...0.1)
    change(&weights)
    return NamedParameters(values: [
      "fc": [
        .weights: StoredValues(weights),
        .biases: StoredValues(seededValues(count: Self.outputs, seed: 13)),
      ]
    ])
  }

  private func compile(
    _ model: Model, _ parameters: NamedParameters, threads: Int = 1, accuracy: Double? = nil,
    set: CompileOptions.InstructionSet? = nil, disabled: Set<String> = [],
    verify: CompileOptions.Verification = .samples(2)
  ) throws -> CompiledModel {
    var options = CompileOptions(
      verify: verify, accuracy: accuracy, disabledRewrites: disabled, instructionSet: set,
      threads: .exactly(threads))
    options.smallestShare = 0
    return try model.compile(parameters: parameters, options: options)
  }

  private func isFixed(_ network: CompiledModel) -> Bool {
    network.report.steps.contains { $0.kernel.hasPrefix("24-bit-weight") }
  }

  @Test(arguments: models)
  func accuracyMatchesFloat(_ model: Model) throws {
    for set in CompileOptions.InstructionSet.withFixedPointWeights {
      let fixed = try compile(model, parameters(), set: set)
      let floats = try compile(model, parameters(), set: set, disabled: ["fixedPointWeights"])
      #expect(isFixed(fixed) && !isFixed(floats), "\(set)")
      let error = try #require(fixed.report.verification?.errors[0].relativeL2)
      let usual = try #require(floats.report.verification?.errors[0].relativeL2)
      #expect(error < usual + 2e-7, "\(set): \(error), as floats \(usual)")
      // Three quarters of them, in panels of 32 outputs whose inputs are filled up to 16.
      #expect(fixed.memory.packedParameters < floats.memory.packedParameters * 4 / 5, "\(set)")
    }
  }

  @Test(arguments: models)
  func bitsAreIndependentOfThreads(_ model: Model) throws {
    let expected = try compile(model, parameters()).predict(input).bits
    for threads in 2...5 {
      let network = try compile(model, parameters(), threads: threads)
      #expect(try network.predict(input).bits == expected, "\(threads) threads")
    }
  }

  @Test func unsuitableWeightsStayFloat() throws {
    let outlier = parameters { $0[300 * Self.inputs + 5] = 100 }
    // An input that may be a million times as large as the others.
    let scaled = parameters { weights in
      for output in 0..<Self.outputs { weights[output * Self.inputs + 9] *= 1e-6 }
    }
    for model in Self.models {
      for set in CompileOptions.InstructionSet.withFixedPointWeights {
        for weights in [outlier, scaled] {
          let network = try compile(model, weights, set: set)
          #expect(!isFixed(network), "\(set)")
          #expect(try #require(network.report.verification).errors[0].relativeL2 < 1e-6)
        }
        // More exact than 24 bits, or Float32's sums, are.
        let exact = try compile(model, parameters(), accuracy: 1e-7, set: set, verify: .none)
        #expect(!isFixed(exact), "\(set)")
      }
    }
  }

  @Test func nonFiniteWeights() throws {
    for value in [Float.nan, .infinity] {
      let spoiled = parameters { $0[7 * Self.inputs + 1] = value }
      for model in Self.models {
        let network = try model.compile(parameters: spoiled)
        #expect(!isFixed(network))
        for (index, output) in try network.predict(input).enumerated() {
          #expect(output.isFinite == (index != 7), "\(value), output \(index)")
        }
      }
    }
  }

  @Test(arguments: [(128, 256), (4096, 128), (90_000, 10)])
  func smallLayersStayFloat(inputs: Int, outputs: Int) throws {
    let input = Input(width: 1, height: 1, channels: inputs)
    let model = Model(input: input, output: input --> Dense(neurons: outputs))
    #expect(!isFixed(try model.compile(parameters: SeededParameters())))
  }

  /// Rejected weights are not read again for other input sizes.
  @Test func rejectedWeightsAreReadOnce() throws {
    let input = Input(channels: Self.inputs)
    let model = Model(
      input: input,
      output: input --> GlobalAveragePooling() --> Dense(neurons: Self.outputs, name: "fc"))
    let reads = Counter()
    var spoiled = parameters()
    var weights = seededValues(count: Self.inputs * Self.outputs, seed: 11)
    weights[7 * Self.inputs + 1] = .infinity
    spoiled.values["fc"]?[.weights] = CountedValues(values: StoredValues(weights), reads: reads)
    let set = try #require(CompileOptions.InstructionSet.withFixedPointWeights.last)
    let network = try model.compile(
      parameters: spoiled, options: CompileOptions(instructionSet: set))
    for size in 1...3 {
      let values = seededValues(count: size * size * Self.inputs, seed: 3)
      let picture = TensorValues(width: size, height: size, channels: Self.inputs, values: values)
      _ = try network.predict(picture)
    }
    #expect(!isFixed(network))
    #expect(network.memory.packedParameters >= 4 * Self.inputs * Self.outputs)
    // Once to be refused, once as floats.
    #expect(reads.count == 2)
  }
}
