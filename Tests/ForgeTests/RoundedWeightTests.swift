import Forge
import ForgeTestSupport
import Testing

/// Large layers of networks that keep a state: one step at a time reads narrow weights, many at once
/// the same weights as floats.
@Suite struct RoundedWeightTests {
  private static let channels = 523

  /// A network whose weights suffice for 24 bits, on sequences of 523 channels.
  struct Network: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let layers: @Sendable (Tensor) -> Tensor

    static let all = [
      Network(testDescription: "dense layer") {
        $0 --> LastAxisDense(neurons: 601, activation: .gelu, name: "dense")
          --> GRU(units: 8, returnSequences: true, stateful: true, name: "gru")
      },
      Network(testDescription: "convolution of several taps") {
        $0
          --> Convolution1D(
            kernel: 3, channels: 257, dilation: 2, padding: .streaming, activation: .tanh,
            name: "conv")
      },
      Network(testDescription: "lstm with a large input") {
        $0 --> LSTM(units: 260, returnSequences: true, stateful: true, name: "lstm")
      },
      Network(testDescription: "attention and dense layers") {
        $0 --> LastAxisDense(neurons: 320, name: "embed")
          --> TransformerEncoder(
            heads: 5, hidden: 830, isCausal: true, cacheLength: 12
          ).named("encoder")
      },
    ]

    func compile(
      steps: Int, parameters: any ParameterSource = RandomParameters(seed: 7),
      set: CompileOptions.InstructionSet? = nil, threads: Int = 1, disabled: Set<String> = [],
      precision: CompileOptions.Precision = .float32, verify: CompileOptions.Verification = .none
    ) throws -> CompiledModel {
      let input = Input(shape: [steps, RoundedWeightTests.channels], name: "x")
      var options = CompileOptions(
        verify: verify, disabledRewrites: disabled, instructionSet: set,
        threads: .exactly(threads), precision: precision)
      options.smallestShare = 0
      return try Model(input: input, output: layers(input)).compile(
        parameters: parameters, options: options)
    }
  }

  private func sequence(_ steps: Int, scale: Float = 1) -> [Float] {
    seededValues(count: steps * Self.channels, seed: 3).map { $0 * scale }
  }

  private func parts(of values: [Float], _ network: CompiledModel, steps: Int) throws -> [Float] {
    let context = try Context(network)
    return try stride(from: 0, to: values.count, by: steps * Self.channels).flatMap {
      try context.predict(Array(values[$0..<$0 + steps * Self.channels]))
    }
  }

  private func has(_ kernel: String, _ network: CompiledModel) -> Bool {
    network.report.steps.contains { $0.kernel.hasPrefix(kernel) }
  }

  @Test(arguments: Network.all, CompileOptions.Precision.allCases)
  func partsHaveTheBitsOfTheWhole(
    _ network: Network, _ precision: CompileOptions.Precision
  ) throws {
    // Sums of very small and very large numbers are scaled without loss, too.
    for scale in [Float(1), 1e-12, 1e12] {
      let values = sequence(12, scale: scale)
      for set in CompileOptions.InstructionSet.present {
        let whole = try network.compile(steps: 12, set: set, precision: precision).predict(values)
        for (steps, threads) in [(1, 1), (1, 3), (2, 1), (3, 2)] {
          let compiled = try network.compile(
            steps: steps, set: set, threads: threads, precision: precision)
          #expect(
            try parts(of: values, compiled, steps: steps).bits == whole.bits,
            "\(set), parts of \(steps), \(threads) threads, inputs of \(scale)")
        }
      }
    }
  }

  @Test(arguments: Network.all)
  func oneStepReadsFewerBytes(_ network: Network) throws {
    for set in CompileOptions.InstructionSet.withFixedPointWeights {
      let (one, many) = try (
        network.compile(steps: 1, set: set), network.compile(steps: 4, set: set)
      )
      #expect(has("24-bit-weight convolution", one) && !has("rounded", one), "\(set)")
      #expect(has("rounded convolution", many), "\(set)")
      #expect(!has("24-bit-weight convolution", many), "\(set)")
      let floats = try network.compile(steps: 1, set: set, disabled: ["fixedPointWeights"])
      #expect(one.memory.packedParameters < floats.memory.packedParameters * 9 / 10, "\(set)")
    }
  }

  @Test(arguments: Network.all)
  func oneStepReadsHalves(_ network: Network) throws {
    for set in CompileOptions.InstructionSet.present {
      let one = try network.compile(steps: 1, set: set, precision: .halfWeights)
      guard has("half-weight convolution", one) else {
        // AVX2 may lack F16C; the other sets have all that they need.
        #expect(set == .avx2 || set == .baseline)
        continue
      }
      let many = try network.compile(steps: 4, set: set, precision: .halfWeights)
      #expect(has("rounded convolution", many) && !has("half-weight convolution", many), "\(set)")
      let floats = try network.compile(steps: 1, set: set, disabled: ["fixedPointWeights"])
      #expect(one.memory.packedParameters < floats.memory.packedParameters * 7 / 10, "\(set)")
      let (values, plain) = try (sequence(4), network.compile(steps: 4, set: set))
      let (a, b) = try (many.predict(values), plain.predict(values))
      let error = zip(a, b).reduce(0.0) { $0 + Double($1.0 - $1.1) * Double($1.0 - $1.1) }
      let norm = b.reduce(0.0) { $0 + Double($1) * Double($1) }
      #expect(error > 0 && error < 1e-6 * norm, "\(set)")
    }
  }

  @Test(arguments: Network.all)
  func accuracyMatchesFloat(_ network: Network) throws {
    for set in CompileOptions.InstructionSet.withFixedPointWeights {
      for steps in [1, 4] {
        let rounded = try network.compile(steps: steps, set: set, verify: .samples(2))
        let floats = try network.compile(
          steps: steps, set: set, disabled: ["fixedPointWeights"], verify: .samples(2))
        #expect(!has("rounded", floats) && !has("24-bit", floats))
        let error = try #require(rounded.report.verification?.errors[0].relativeL2)
        let usual = try #require(floats.report.verification?.errors[0].relativeL2)
        #expect(error < usual + 3e-7, "\(set), \(steps) steps: \(error), as floats \(usual)")
      }
    }
  }

  /// Weights that 24 bits cannot hold stay floats in every plan.
  @Test(arguments: [Float.nan, .infinity, 300])
  func unsuitableWeightsStayFloat(_ value: Float) throws {
    let network = Network(testDescription: "dense") {
      $0 --> LastAxisDense(neurons: 300, name: "dense")
        --> Convolution1D(kernel: 2, channels: 5, padding: .streaming, name: "conv")
    }
    var weights = seededValues(count: Self.channels * 300, seed: 11, range: -0.1...0.1)
    weights[7 * Self.channels + 1] = value
    let parameters = NamedParameters(values: [
      "dense": [
        .weights: StoredValues(weights), .biases: StoredValues(seededValues(count: 300, seed: 13)),
      ],
      "conv": [
        .weights: StoredValues(seededValues(count: 2 * 300 * 5, seed: 14)),
        .biases: StoredValues(seededValues(count: 5, seed: 15)),
      ],
    ])
    let values = sequence(4)
    for set in CompileOptions.InstructionSet.present {
      let whole = try network.compile(steps: 4, parameters: parameters, set: set)
      let one = try network.compile(steps: 1, parameters: parameters, set: set)
      #expect(!has("rounded", whole) && !has("24-bit", one), "\(set)")
      let (expected, found) = try (whole.predict(values), parts(of: values, one, steps: 1))
      for (a, b) in zip(expected, found) {
        #expect(a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN), "\(set)")
      }
    }
  }

  /// Networks without a state keep the finer scales, and floats for images of several pixels.
  @Test func otherNetworksAreNotRounded() throws {
    let network = Network(testDescription: "dense") {
      $0 --> LastAxisDense(neurons: 601, name: "dense")
    }
    for set in CompileOptions.InstructionSet.withFixedPointWeights {
      #expect(try !has("rounded", network.compile(steps: 4, set: set)))
      #expect(try has("24-bit-weight convolution", network.compile(steps: 1, set: set)))
    }
  }
}
