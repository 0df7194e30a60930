import Forge
import ForgeOperations
import ForgeTestSupport
import Testing

/// Networks that keep a state: a sequence in parts gives the bits of the whole sequence.
@Suite struct StreamingTests {
  /// The channels of the sequences.
  static let channels = 19

  /// A network on so many steps with a state in each of its layers.
  struct Network: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The last layers; parts of a sequence have a multiple of this many steps.
    var unit = 1
    let layers: @Sendable (Tensor) -> Tensor

    static let all = [
      Network(testDescription: "lstm") {
        $0 --> LSTM(units: 21, returnSequences: true, stateful: true, name: "lstm")
      },
      Network(testDescription: "projected lstm with peepholes") {
        $0
          --> LSTM(
            units: 33, returnSequences: true, peepholes: true, projection: 5, stateful: true,
            form: .pytorch, name: "lstm")
      },
      Network(testDescription: "two grus and a dense layer") {
        $0 --> GRU(units: 16, returnSequences: true, stateful: true, name: "gru1")
          --> GRU(units: 35, returnSequences: true, resetAfter: false, stateful: true, name: "gru2")
          --> LastAxisDense(neurons: 300, activation: .gelu, name: "dense") --> Softmax()
      },
      Network(testDescription: "scales after recurrent layers") {
        $0 --> GRU(units: 12, returnSequences: true, stateful: true, name: "gru")
          --> BatchNormalization(name: "norm")
          --> LSTM(units: 9, returnSequences: true, stateful: true, name: "lstm")
          --> Scale(0.3, bias: 0.1) --> Activation(.tanh)
      },
      Network(testDescription: "rnn between dense layers") {
        $0 --> LastAxisDense(neurons: 128, activation: .relu, name: "dense1")
          --> SimpleRNN(units: 64, returnSequences: true, stateful: true, name: "rnn")
          --> LastAxisDense(neurons: 128, name: "dense2") --> LayerNormalization(name: "norm")
      },
      Network(testDescription: "convolutions") {
        $0
          --> Convolution1D(
            kernel: 3, channels: 64, padding: .streaming, activation: .relu, name: "conv1")
          --> DepthwiseConvolution1D(kernel: 5, dilation: 2, padding: .streaming, name: "conv2")
          --> SeparableConvolution1D(kernel: 4, channels: 32, padding: .streaming, name: "conv3")
          --> Convolution1D(kernel: 2, channels: 8, padding: .streaming, groups: 4, name: "conv4")
          --> GRU(units: 7, returnSequences: true, stateful: true, name: "gru")
      },
      Network(testDescription: "convolutions with strides", unit: 6) {
        $0
          --> Convolution1D(kernel: 5, channels: 33, stride: 2, padding: .streaming, name: "conv1")
          --> Convolution1D(
            kernel: 2, channels: 17, stride: 3, padding: .streaming, activation: .tanh,
            name: "conv2")
      },
    ]

    func model(steps: Int) -> Model {
      let input = Input(shape: [steps, StreamingTests.channels], name: "x")
      return Model(input: input, output: layers(input))
    }

    /// The network of the same parameters for any number of steps.
    func compile(
      steps: Int, _ set: CompileOptions.InstructionSet? = nil, threads: Int = 1,
      disabled: Set<String> = []
    ) throws -> CompiledModel {
      try model(steps: steps).compile(
        parameters: RandomParameters(seed: 7),
        options: CompileOptions(
          disabledRewrites: disabled, instructionSet: set, threads: .exactly(threads)))
    }
  }

  private func sequence(_ steps: Int, seed: UInt64 = 3) -> [Float] {
    var random = SplitMix64(seed: seed)
    return (0..<steps * Self.channels).map { _ in random.nextSymmetric() }
  }

  @Test(arguments: Network.all)
  func partsHaveTheBitsOfTheWhole(_ network: Network) throws {
    let steps = 4 * network.unit * 3
    let values = sequence(steps)
    for set in CompileOptions.InstructionSet.present {
      for disabled in [[], Set(Rewrites.names)] {
        let whole = try network.compile(steps: steps, set, disabled: disabled).predict(values)
        for part in [1, 2, 3, 4].map({ $0 * network.unit }) {
          for threads in [1, 3] {
            let compiled = try network.compile(
              steps: part, set, threads: threads, disabled: disabled)
            let context = try Context(compiled)
            var found: [Float] = []
            for start in stride(from: 0, to: steps, by: part) {
              let range = start * Self.channels..<(start + part) * Self.channels
              found += try context.predict(Array(values[range]))
            }
            #expect(found.bits == whole.bits, "\(set), parts of \(part), \(threads) threads")
          }
        }
      }
    }
  }

  @Test(arguments: Network.all)
  func plansAgreeWithTheReference(_ network: Network) throws {
    // `verify` compares with random states, too.
    try expectAgreement(
      network.model(steps: 5 * network.unit), options: CompileOptions(verify: .samples(3)))
  }

  /// A real-time context goes on from one prediction to the next, too, in every example.
  @Test func realtimeContexts() throws {
    let network = Network.all[2]
    let compiled = try network.compile(steps: 1)
    let context = try Context(compiled, batch: 2)
    let realtime = try RealtimeContext(compiled, batch: 2)
    let (first, second) = (sequence(6), sequence(6, seed: 4))
    for step in 0..<6 {
      let range = step * Self.channels..<(step + 1) * Self.channels
      let values = Array(first[range]) + Array(second[range])
      // The second stream pauses at every third step.
      let batch = step % 3 == 2 ? 1 : 2
      context.withInput(0) { span in for i in values.indices { span[i] = values[i] } }
      realtime.withInput(0) { span in for i in values.indices { span[i] = values[i] } }
      try context.predict(batch: batch)
      try realtime.predict(batch: batch)
      let outputs = context.withOutput(0) { span in span.indices.map { span[$0] } } ?? []
      let other = realtime.withOutput(0) { span in span.indices.map { span[$0] } } ?? []
      #expect(outputs.bits == other.bits && !outputs.isEmpty)
    }
    let expected = try Context(compiled)
    for step in [0, 1, 3, 4] {
      let range = step * Self.channels..<(step + 1) * Self.channels
      _ = try expected.predict(Array(second[range]))
    }
    #expect(try context.state.saved(example: 1) == expected.state.saved())
  }

  @Test func statesAreReadSetAndReset() throws {
    let compiled = try Network.all[0].compile(steps: 2)
    let context = try Context(compiled)
    #expect(context.state.names == ["lstm.hidden", "lstm.cells"])
    #expect(compiled.stateNames == context.state.names)
    let (first, second) = (sequence(2), sequence(2, seed: 8))
    let start = try context.predict(first)
    let saved = try context.state.saved()
    // The state of the last step is its output.
    #expect(saved["lstm.hidden"]?.values.bits == Array(start.suffix(21)).bits)
    #expect(saved["lstm.cells"]?.shape.sizes == [1, 21])
    #expect(saved["other"] == nil)
    let next = try context.predict(second)
    #expect(next.bits != (try compiled.predict(second)).bits)
    try context.state.restore(saved)
    #expect(try context.predict(second).bits == next.bits)
    try context.state.reset()
    #expect(try context.predict(first).bits == start.bits)
    try context.state.set("lstm.hidden", to: saved["lstm.hidden"]?.values ?? [])
    try context.state.set("lstm.cells", to: saved["lstm.cells"]?.values ?? [])
    #expect(try context.predict(second).bits == next.bits)
    // A prediction of the network begins anew.
    #expect(try compiled.predict(first).bits == start.bits)
    #expect(try compiled.predict(first + second, batch: 2).prefix(42).elementsEqual(start))
  }

  @Test func wrongStates() throws {
    let compiled = try Network.all[0].compile(steps: 1)
    let context = try Context(compiled)
    let other = try Context(try Network.all[2].compile(steps: 1))
    #expect(
      message { try context.state.restore(try other.state.saved()) } == """
        the saved state is that of another network
          received  "gru1.hidden" (1×16), "gru2.hidden" (1×35)
          needs     "lstm.hidden" (1×21), "lstm.cells" (1×21)
        """)
    #expect(
      message { try context.state.set("lstm.hidden", to: [1, 2]) } == """
        state "lstm.hidden" has the wrong number of values
          received  2 values
          needs     21 values: 1×21
        """)
    #expect(
      message { _ = try context.state.values(of: "gru.hidden") } == """
        there is no state "gru.hidden"
          needs     "lstm.hidden", "lstm.cells"
        """)
    #expect(
      message { try context.state.reset(example: 1) } == """
        the batch has no such example
          received  example 1
          needs     0, the only one
          remedy    Context(network, batch: …)
        """)
  }

  @Test func layersThatCannotKeepAState() throws {
    let x = Input(shape: [4, 3], name: "x")
    let twice = LSTM(units: 2, returnSequences: true, stateful: true, name: "twice")
    let cases: [(Tensor, String)] = [
      (x --> Bidirectional(GRU(units: 2, stateful: true), name: "a"), "two directions"),
      (x --> GRU(units: 2, isReversed: true, stateful: true, name: "b"), "read forwards"),
      (x --> MaxPooling1D(kernel: 2, padding: .streaming), "a convolution"),
      (
        x --> Convolution1D(kernel: 3, channels: 2, stride: 3, padding: .streaming, name: "c"),
        "a multiple of the stride 3"
      ),
      (
        x --> Convolution1D(kernel: 1, channels: 2, stride: 3, padding: .streaming, name: "d"),
        "a multiple of the stride 3"
      ),
      ([x --> twice, x --> twice] --> Add(), "a name of its own"),
    ]
    for (output, words) in cases {
      do {
        _ = try Model(input: x, output: output).compile(parameters: RandomParameters(seed: 1))
        Issue.record("it compiled: \(words)")
      } catch {
        #expect("\(error)".contains(words), "\(error)")
      }
    }
  }

  @Test func aLayerDeclaresEachStateOnce() throws {
    struct Twice: Layer {
      func lower(into lowering: inout Lowering) throws(ShapeError) {
        let input = try lowering.input()
        for _ in 0..<2 {
          let state = try lowering.state("a", shape: lowering.shape(of: input))
          try lowering.setState(state, to: input)
        }
        lowering.output = input
      }
    }
    let x = Input(shape: [4, 3], name: "x")
    for output in [x --> Twice(), x --> Twice().named("sum")] {
      do {
        _ = try Model(input: x, output: output).compile(parameters: RandomParameters(seed: 1))
        Issue.record("it compiled")
      } catch {
        #expect(
          "\(error)".hasSuffix(
            """
            the layer declares the state "a" twice
              received  4×3 (in memory order) from "x"
              needs     a name of its own for each state
              remedy    give the second another name
            """), "\(error)")
      }
    }
  }

  private func message(_ body: () throws -> Void) -> String {
    do { try body() } catch { return "\(error)" }
    return "no error"
  }

  /// The error names the example, and indices are those in it.
  @Test func statesThatAreNotFiniteAreNamed() throws {
    let input = Input(shape: [1, 2], name: "x")
    let network = try Model(input: input, output: input --> RunningSum().named("sum"))
      .compile(options: CompileOptions(checks: .finiteOutputs))
    let context = try Context(network, batch: 2)
    try context.state.set("sum.sum", to: [0, .infinity], example: 1)
    #expect(
      message { try context.predict(batch: 2) } == """
        output "sum" holds a number that is not finite
          received  inf at index 1 of example 1
          first in  state "sum.sum", inf at index 1 of example 1
          remedy    reset the state
        """)
  }

  /// A prediction that fails leaves the state as it was.
  @Test func failedPredictionsChangeNothing() throws {
    struct Stop: Error {}
    let x = Input(shape: [1, Self.channels], name: "x")
    let output =
      x --> GRU(units: 5, returnSequences: true, stateful: true, name: "gru")
      --> Custom { inputs, output in
        if inputs[0][0].isNaN { throw Stop() }
        for index in output.indices { output[index] = inputs[0][index] }
      }
    let compiled = try Model(input: x, output: output).compile(
      parameters: RandomParameters(seed: 7))
    let context = try Context(compiled)
    let values = sequence(1)
    let expected = try [values, values].map { try context.predict($0) }
    try context.state.reset()
    #expect(try context.predict(values) == expected[0])
    let before = try context.state.saved()
    #expect(throws: PredictionError.self) {
      try context.predict(values.map { _ in Float.nan })
    }
    #expect(try context.state.saved() == before)
    #expect(try context.predict(values) == expected[1])
  }

  /// Layers that users write keep states as Forge's own do.
  @Test func ownLayers() throws {
    let x = Input(shape: [3], name: "x")
    let output = x --> RunningSum().named("total")
    let context = try Context(try Model(input: x, output: output).compile())
    #expect(try context.predict([1, 2, 3]) == [1, 2, 3])
    #expect(try context.predict([10, 20, 30]) == [11, 22, 33])
    #expect(try context.state.values(of: "total.sum").values == [11, 22, 33])
    #expect(try context.predict(["x": [1, 1, 1]])["total"]?.values == [12, 23, 34])
  }
}
