import Forge
import ForgeTestSupport
import Testing

/// Recurrent layers whose weights are stored in fewer bits than Float32 has.
@Suite struct RecurrentWeightTests {
  /// A layer with at least 1 MB of recurrent weights, on sequences of 19 channels.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let layer: @Sendable (Tensor) -> Tensor

    static let all = [
      Case(testDescription: "lstm") {
        $0 --> LSTM(units: 260, returnSequences: true, stateful: true, name: "rnn")
      },
      Case(testDescription: "projected lstm with peepholes, reversed") {
        $0
          --> LSTM(
            units: 523, returnSequences: true, peepholes: true, projection: 131, isReversed: true,
            form: .pytorch, name: "rnn")
      },
      Case(testDescription: "simple") {
        $0 --> SimpleRNN(units: 523, returnSequences: true, stateful: true, name: "rnn")
      },
      Case(testDescription: "gru") {
        $0 --> GRU(units: 307, returnSequences: true, stateful: true, name: "rnn")
      },
      Case(testDescription: "gru that resets before") {
        $0
          --> GRU(
            units: 307, returnSequences: true, resetAfter: false, stateful: true, name: "rnn")
      },
    ]
  }

  private func model(
    steps: Int = 6, _ layer: @Sendable (Tensor) -> Tensor
  ) -> Model {
    let input = Input(shape: [steps, 19], name: "x")
    return Model(input: input, output: layer(input))
  }

  private func options(
    _ set: CompileOptions.InstructionSet? = nil, precision: CompileOptions.Precision = .float32,
    disabled: Set<String> = [], threads: Int = 1, verify: CompileOptions.Verification = .none
  ) -> CompileOptions {
    var options = CompileOptions(
      verify: verify, disabledRewrites: disabled, instructionSet: set,
      threads: .exactly(threads), precision: precision)
    options.smallestShare = 0
    return options
  }

  private func isFixed(_ network: CompiledModel) -> Bool {
    network.report.steps.contains { $0.kernel.hasPrefix("24-bit-weight") }
  }

  @Test(arguments: Case.all)
  func accuracyMatchesFloat(_ test: Case) throws {
    let source = RandomParameters(seed: 5)
    for set in CompileOptions.InstructionSet.withFixedPointWeights {
      let fixed = try model(test.layer).compile(
        parameters: source, options: options(set, verify: .samples(2)))
      let floats = try model(test.layer).compile(
        parameters: source,
        options: options(set, disabled: ["fixedPointWeights"], verify: .samples(2)))
      #expect(isFixed(fixed) && !isFixed(floats), "\(set)")
      let error = try #require(fixed.report.verification?.errors[0].relativeL2)
      let usual = try #require(floats.report.verification?.errors[0].relativeL2)
      #expect(error < usual + 2e-7, "\(set): \(error), as floats \(usual)")
      #expect(fixed.memory.packedParameters < floats.memory.packedParameters * 5 / 6, "\(set)")
    }
  }

  @Test(arguments: Case.all.filter { !$0.testDescription.contains("reversed") })
  func partsHaveTheBitsOfTheWhole(_ test: Case) throws {
    let values = seededValues(count: 6 * 19, seed: 4)
    let source = RandomParameters(seed: 5)
    for precision in [CompileOptions.Precision.float32, .halfWeights, .bfloat16, .int8] {
      let whole = try model(test.layer).compile(
        parameters: source, options: options(precision: precision)
      ).predict(values)
      for (part, threads) in [(1, 1), (2, 3), (3, 2)] {
        let compiled = try model(steps: part, test.layer).compile(
          parameters: source, options: options(precision: precision, threads: threads))
        let context = try Context(compiled)
        var found: [Float] = []
        for start in stride(from: 0, to: 6, by: part) {
          found += try context.predict(Array(values[start * 19..<(start + part) * 19]))
        }
        #expect(found.bits == whole.bits, "\(precision), parts of \(part)")
      }
    }
  }

  @Test func smallLayersStayFloat() throws {
    for (units, expected) in [(64, false), (255, false), (512, true)] {
      for set in CompileOptions.InstructionSet.withFixedPointWeights {
        let network = try model { $0 --> LSTM(units: units, name: "rnn") }.compile(
          parameters: RandomParameters(seed: 5), options: options(set))
        #expect(isFixed(network) == expected, "\(units), \(set)")
      }
    }
  }

  /// Weights of one layer that 24 bits cannot hold exactly enough.
  @Test(arguments: [Float.nan, .infinity, 300])
  func unsuitableWeightsStayFloat(_ value: Float) throws {
    let units = 260
    var weights = seededValues(count: 4 * units * units, seed: 11, range: -0.1...0.1)
    weights[4 * units + 3] = value
    let source = NamedParameters(values: [
      "rnn": [
        .weights: StoredValues(seededValues(count: 19 * 4 * units, seed: 12)),
        .recurrentWeights: StoredValues(weights),
        .biases: StoredValues(seededValues(count: 4 * units, seed: 13)),
      ]
    ])
    for set in CompileOptions.InstructionSet.withFixedPointWeights {
      let network = try model { $0 --> LSTM(units: units, name: "rnn") }.compile(
        parameters: source, options: options(set))
      #expect(!isFixed(network))
      let floats = try model { $0 --> LSTM(units: units, name: "rnn") }.compile(
        parameters: source, options: options(set, disabled: ["fixedPointWeights"]))
      let values = seededValues(count: 6 * 19, seed: 4)
      #expect(try network.predict(values).bits == floats.predict(values).bits)
    }
  }

  @Test(arguments: Case.all, [CompileOptions.Precision.halfWeights, .bfloat16, .int8])
  func narrowerPrecisions(_ test: Case, _ precision: CompileOptions.Precision) throws {
    let names: [CompileOptions.Precision: String] = [
      .halfWeights: "half-weight", .bfloat16: "bfloat16-weight", .int8: "int8-weight",
    ]
    for set in CompileOptions.InstructionSet.present {
      let network = try model(test.layer).compile(
        parameters: RandomParameters(seed: 5),
        options: options(set, precision: precision, verify: .samples(2)))
      guard network.report.precision == precision else { continue }
      let name = try #require(names[precision])
      #expect(network.report.steps.contains { $0.kernel.hasPrefix(name) }, "\(set)")
      let verification = try #require(network.report.verification)
      #expect(verification.bound == precision.accuracy)
      #expect(verification.errors[0].relativeL2 > 1e-6)
      #expect(verification.errors[0].relativeL2 <= precision.accuracy)
    }
  }
}
