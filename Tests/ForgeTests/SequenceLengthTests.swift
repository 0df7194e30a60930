import CForgeTestSupport
import Forge
import ForgeTestSupport
import Testing

/// Sequences whose length each prediction chooses, in a plan for the largest.
@Suite struct SequenceLengthTests {
  private static let maximum = 41

  /// A network for sequences of any length up to a maximum, or of one length.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let make: @Sendable (_ size: InputSize) -> Model
    /// The number of values of each input for one step; those of a mask are squares.
    let inputs: [(name: String, unit: Int, axes: Int)]
    var ids = false
    var testDescription: String { name }

    func values(_ length: Int, seed: UInt64 = 7) -> [String: [Float]] {
      var random = SplitMix64(seed: seed &+ UInt64(length))
      return Dictionary(
        uniqueKeysWithValues: inputs.map { input in
          let count = input.unit * (input.axes == 2 ? length * length : length)
          return (
            input.name,
            (0..<count).map { _ in
              ids ? Float(Int(random.next() % 23)) : random.nextSymmetric()
            }
          )
        })
    }
  }

  static let cases: [Case] = [
    Case(
      name: "convolutions and recurrent layers",
      make: { size in
        let input = Input(shape: [size, 13], name: "x")
        let output =
          input
          --> Convolution1D(kernel: 5, channels: 20, padding: .causal, activation: .relu, name: "a")
          --> DepthwiseConvolution1D(kernel: 3, padding: .same, name: "b")
          // Of its taps short sequences reach a few.
          --> Convolution1D(kernel: 15, channels: 20, padding: .same, name: "wide")
          --> Bidirectional(LSTM(units: 11, returnSequences: true, name: "c"))
          --> GRU(units: 17, returnSequences: true, name: "d")
          --> LayerNormalization(name: "e") --> LastAxisDense(neurons: 5, name: "f") --> Softmax()
        return Model(input: input, output: output)
      }, inputs: [("x", 13, 1)]),
    Case(
      name: "the last state and means",
      make: { size in
        let input = Input(shape: [size, 9], name: "x")
        let a = input --> SimpleRNN(units: 6, name: "a")
        let b = input --> Convolution1D(kernel: 3, channels: 19, padding: .same, name: "b")
        return Model(
          inputs: [input],
          outputs: [
            a --> Dense(neurons: 4, name: "c"), b --> GlobalAveragePooling1D(), b,
            b --> GlobalMaxPooling1D(),
          ])
      }, inputs: [("x", 9, 1)]),
    Case(
      name: "blocks of a transformer",
      make: { size in
        let input = Input(shape: [size, 36], name: "x")
        let output =
          input --> PositionalEncoding()
          --> PositionalEncoding(.learned(maximumLength: 64), name: "p")
          --> TransformerEncoder(heads: 3, hidden: 50).named("block1")
          --> TransformerEncoder(heads: 3, hidden: 50, normalizesFirst: true, isCausal: true)
          .named("block2")
          --> MultiHeadAttention(
            heads: 4, keyChannels: 10, keyValueHeads: 2, rotary: .halves(), name: "m")
          --> RMSNormalization(name: "n")
        return Model(input: input, output: output)
      }, inputs: [("x", 36, 1)]),
    Case(
      name: "words",
      make: { size in
        let input = Input(shape: [size], name: "ids")
        let output =
          input --> Embedding(vocabulary: 23, channels: 24, name: "words")
          --> TransformerEncoder(heads: 2, hidden: 30).named("block1")
          --> GlobalAveragePooling1D() --> L2Normalize()
        return Model(input: input, output: output)
      }, inputs: [("ids", 1, 1)], ids: true),
    Case(
      name: "a mask",
      make: { size in
        let input = Input(shape: [size, 16], name: "x")
        let mask = Input(shape: [2, size, size], name: "mask")
        let output =
          [input, mask] --> MultiHeadAttention(heads: 2, keyChannels: 8, mask: .added, name: "a")
        return Model(inputs: [input, mask], outputs: [output])
      }, inputs: [("x", 16, 1), ("mask", 2, 2)]),
    Case(
      name: "zeros around a sequence and copies whose order of axes depends on the length",
      make: { size in
        let input = Input(shape: [size, 12], name: "x")
        let padded =
          input --> Pad(before: [2, 0], after: [1, 0])
          --> Convolution1D(kernel: 4, channels: 12, padding: .valid, name: "a")
        let heads = padded --> Reshape(to: [-1, 3, 4]) --> Permute(order: [1, 0, 2])
        return Model(
          inputs: [input],
          outputs: [heads, heads --> Permute(order: [0, 2, 1]), input --> Reduce(.sum, axes: [0])])
      }, inputs: [("x", 12, 1)]),
    Case(
      name: "general layers",
      make: { size in
        let input = Input(shape: [size, 12], name: "x")
        let scores = [input, input --> Permute(order: [1, 0])] --> MatMul() --> Softmax()
        let product = [scores, input] --> MatMul()
        return Model(
          inputs: [input],
          outputs: [product * 2 - 1, input --> Unary(.absolute) --> Reduce(.mean, axes: [0])])
      }, inputs: [("x", 12, 1)]),
    Case(
      name: "recurrent layers of whole blocks of units",
      make: { size in
        let input = Input(shape: [size, 13], name: "x")
        let output =
          input --> LSTM(units: 32, returnSequences: true, name: "a")
          --> Bidirectional(GRU(units: 16, returnSequences: true, resetAfter: false, name: "b"))
          --> SimpleRNN(units: 48, returnSequences: true, name: "c")
        // A column of pixels.
        let column =
          output --> LastAxisDense(neurons: 20, name: "d") --> Reshape(to: [-1, 1, 20])
          --> Activation(.tanh)
        return Model(inputs: [input], outputs: [output, column])
      }, inputs: [("x", 13, 1)]),
    Case(
      name: "rows of sequences and pictures of any width",
      make: { size in
        let input = Input(shape: [3, size, 12], name: "x")
        let rows =
          input --> LastAxisDense(neurons: 20, activation: .tanh, name: "a")
          --> MultiHeadAttention(
            heads: 2, keyChannels: 5, rotary: .halves(channels: 4), name: "b")
        let picture =
          input --> Convolution(kernel: 1, channels: 17, activation: .relu, name: "c")
          --> DepthwiseConvolution(kernel: 3, name: "d")
          --> PointwiseConvolution(
            channels: 9, name: "e")
          --> TransposedConvolution(kernel: 2, channels: 3, stride: 2, name: "f")
        let turned =
          input --> Permute(order: [1, 0, 2]) --> LastAxisDense(neurons: 7, name: "g")
          --> Permute(order: [1, 0, 2]) --> LastAxisDense(neurons: 16, name: "h")
        return Model(inputs: [input], outputs: [rows, picture, turned])
      }, inputs: [("x", 36, 1)]),
    Case(
      name: "squares",
      make: { size in
        let input = Input(shape: [size, size, 2], name: "x")
        return Model(
          input: input,
          output: input --> Convolution(kernel: 1, channels: 5, name: "a")
            --> PointwiseConvolution(channels: 17, activation: .relu, name: "b"))
      }, inputs: [("x", 2, 2)]),
  ]

  private func network(
    _ testCase: Case, _ size: InputSize, threads: Int = 2
  ) throws -> CompiledModel {
    var options = CompileOptions(threads: .exactly(threads))
    options.smallestShare = 0
    return try testCase.make(size).compile(
      parameters: RandomParameters(seed: 5), options: options)
  }

  /// Down and up, so that each length follows a longer and a shorter one.
  @Test(arguments: cases)
  func everyLengthGivesTheResultsOfItsOwnPlan(_ testCase: Case) throws {
    try expectResultsOfOwnPlans(
      testCase, Array((1...Self.maximum).reversed()) + [1, 7, 2, Self.maximum, 3],
      maximum: Self.maximum)
  }

  /// The smallest maximum; an image of one step is a row, a column and a vector.
  @Test(arguments: cases)
  func shortMaximums(_ testCase: Case) throws {
    for maximum in 8...9 {
      try expectResultsOfOwnPlans(testCase, Array(1...maximum), maximum: maximum)
    }
  }

  /// Compares the results for lengths with those of plans for these lengths alone, and the bits of
  /// two threads with those of one.
  private func expectResultsOfOwnPlans(
    _ testCase: Case, _ lengths: [Int], maximum: Int
  ) throws {
    let network = try network(testCase, .upTo(maximum))
    let single = try self.network(testCase, .upTo(maximum), threads: 1)
    #expect(network.maximumLength == maximum)
    for length in lengths {
      let values = testCase.values(length)
      let expected = try self.network(testCase, .exactly(length)).predict(values)
      let found = try network.predict(values)
      let alone = try single.predict(values)
      for name in network.outputNames {
        let (one, other) = (try #require(found[name]), try #require(expected[name]))
        let label = "\(name), length \(length) of \(maximum)"
        #expect(one.shape == other.shape, "\(label)")
        expectClose(one.values, other.values, relativeL2: 3e-6, "\(label)")
        #expect(one.values.bits == alone[name]?.values.bits, "\(label)")
      }
    }
  }

  @Test(arguments: cases)
  func plansAgreeWithTheReference(_ testCase: Case) throws {
    let network = try network(testCase, .upTo(Self.maximum))
    let reference = try testCase.make(.upTo(Self.maximum)).compile(
      parameters: RandomParameters(seed: 5), options: CompileOptions(backend: ReferenceBackend()))
    for length in [1, 2, 5, 16, 29, Self.maximum] {
      let (found, expected) = (
        try network.predict(testCase.values(length)), try reference.predict(testCase.values(length))
      )
      for name in network.outputNames {
        expectClose(
          found[name]?.values ?? [], expected[name]?.values ?? [], relativeL2: 3e-6,
          "\(name), length \(length)")
      }
    }
  }

  @Test(arguments: cases)
  func verifyComparesShorterLengths(_ testCase: Case) throws {
    let model = testCase.make(.upTo(Self.maximum))
    let network = try model.compile(
      parameters: RandomParameters(seed: 5), options: CompileOptions(verify: .samples(3)))
    #expect(network.report.verification?.samples == 3)
    // The first sample has the largest length, the second one a shorter one.
    let wrong = ReferenceBackend(errorOfShorter: 1)
    for samples in [1, 2] {
      let compile = {
        try model.compile(
          parameters: RandomParameters(seed: 5),
          options: CompileOptions(backend: wrong, verify: .samples(samples)))
      }
      if samples == 1 {
        _ = try compile()
      } else {
        #expect(throws: CompileError.self) { try compile() }
      }
    }
  }

  @Test func oneContextTakesAllLengthsWithoutAllocating() throws {
    let network = try network(Self.cases[2], .upTo(Self.maximum), threads: 1)
    let context = try Context(network)
    #expect(context.length == Self.maximum)
    let inputs = (1...Self.maximum).map { Self.cases[2].values($0)["x"] ?? [] }
    var outputs = inputs.map { [Float](repeating: 0, count: $0.count) }
    for (index, input) in inputs.enumerated() { try context.predict(input, into: &outputs[index]) }
    for (index, input) in inputs.enumerated() {
      #expect(try network.predict(input).bits == outputs[index].bits)
    }
    // One array, so that nothing but the prediction could allocate.
    var output = [Float](repeating: 0, count: 36 * Self.maximum)
    let input = inputs[Self.maximum - 1]
    forge_count_allocations()
    var length = Self.maximum
    while length > 0 {
      try output.withUnsafeMutableBufferPointer { memory in
        var target = UnsafeMutableBufferPointer(rebasing: memory[..<(36 * length)]).mutableSpan
        try context.predict(input.span.extracting(first: 36 * length), into: &target)
      }
      length -= 1
    }
    #expect(forge_counted_allocations() == 0)
    #expect(output.prefix(36).elementsEqual(try network.predict(Array(input.prefix(36)))))
    #expect(context.length == 1)
  }

  @Test func memoryOfAContextIsSetByLength() throws {
    let network = try network(Self.cases[0], .upTo(Self.maximum))
    let context = try Context(network, batch: 2)
    let values = Self.cases[0].values(6)["x"] ?? []
    try context.setLength(6)
    try context.set("x", to: values, example: 0)
    try context.set("x", to: values.map { -$0 }, example: 1)
    try context.predict(batch: 2)
    let name = network.outputNames[0]
    #expect(context[name]?.values.bits == (try network.predict(values).bits))
    #expect(
      context[name, example: 1]?.values.bits == (try network.predict(values.map { -$0 }).bits))
    #expect(context[name]?.shape == Shape(sizes: [6, 5]))
    let realtime = try RealtimeContext(network)
    var output = [Float](repeating: 0, count: 30)
    var span = output.mutableSpan
    try realtime.predict(values.span, into: &span)
    #expect(output.bits == (try network.predict(values).bits))
  }

  @Test func batchesAndRunnersMixLengths() async throws {
    let network = try network(Self.cases[3], .upTo(Self.maximum))
    let examples = [3, 41, 1, 12, 12, 40].map { Self.cases[3].values($0)["ids"] ?? [] }
    let expected = try examples.map { try network.predict($0).bits }
    #expect(try network.predict(batch: examples).map(\.bits) == expected)
    let runner = try Runner(network, inflightBuffers: 2)
    for (example, expected) in zip(examples, expected) {
      #expect(try await runner.predict(example).bits == expected)
    }
    let pair = examples[3] + examples[4]
    let both = try examples[3...4].flatMap { try network.predict($0) }
    #expect(try network.predict(pair, batch: 2).bits == both.bits)
  }

  @Test func keptLayersAndChecksKnowTheLength() throws {
    let input = Input(shape: [.upTo(30), 4], name: "x")
    let output =
      input --> LastAxisDense(neurons: 7, name: "a") --> Activation(.relu)
      --> LastAxisDense(neurons: 2, name: "b")
    let network = try Model(input: input, output: output).compile(
      parameters: RandomParameters(seed: 2),
      options: CompileOptions(keep: ["a"], checks: .finiteOutputs))
    let results = try network.predict(["x": [Float](repeating: 0.5, count: 12)])
    #expect(results["a"]?.shape == Shape(sizes: [3, 7]))
    #expect(results["b"]?.shape == Shape(sizes: [3, 2]))
    // Numbers of an earlier, longer sequence are not checked.
    let bad = [Float](repeating: 1, count: 116) + [.nan, 0, 0, 0]
    #expect(throws: PredictionError.self) { try network.predict(bad) }
    #expect(try network.predict([Float](repeating: 1, count: 8)).count == 4)
  }

  @Test func wrongLengthsAreErrors() throws {
    let network = try network(Self.cases[4], .upTo(10))
    func message(_ x: Int, _ mask: Int) -> String {
      let values = [
        "x": [Float](repeating: 1, count: x), "mask": [Float](repeating: 1, count: mask),
      ]
      do { _ = try network.predict(values) } catch { return "\(error)" }
      return ""
    }
    #expect(
      message(11 * 16, 2 * 121) == """
        input "x" has the wrong length
          received  176 values
          needs     length×16, with a length from 1 to 10
          remedy    shorten the sequence, or declare a larger .upTo in Input(shape:)
        """)
    #expect(
      message(0, 0) == """
        input "x" has the wrong length
          received  0 values
          needs     length×16, with a length from 1 to 10
        """)
    #expect(
      message(17, 2) == """
        input "x" has the wrong size
          received  17 values
          needs     length×16, with a length from 1 to 10
        """)
    #expect(message(32, 2 * 3).hasPrefix("input \"mask\" has the wrong length"))
    #expect(
      message(32, 2 * 9) == """
        the inputs differ in length
          received  2 in "x", 3 in "mask"
          needs     2 in "mask" with 2 in "x"
        """)
    #expect(message(32, 2 * 4) == "")
    let context = try Context(network)
    #expect(throws: PredictionError.self) { try context.setLength(0) }
    #expect(throws: PredictionError.self) { try context.setLength(11) }
    let fixed = try self.network(Self.cases[0], 5)
    #expect(fixed.maximumLength == nil)
    #expect(throws: PredictionError.self) { try Context(fixed).setLength(5) }
  }

  @Test func networksThatDoNotFollowTheLengthDoNotCompile() throws {
    func message(_ model: Model) -> String {
      do { _ = try model.compile(parameters: RandomParameters(seed: 1)) } catch {
        return "\(error)"
      }
      return ""
    }
    let x = Input(shape: [.upTo(40), 6], name: "x")
    let flat = x --> Flatten() --> Dense(neurons: 3, name: "d")
    #expect(message(Model(input: x, output: flat)).contains("does not follow the length"))
    let repeated = TimeDistributed(
      LayerNormalization(), name: "norms", fileID: "App/Net.swift", line: 9, column: 7)
    #expect(
      message(Model(input: x, output: x --> repeated)) == """
        App/Net.swift:9:7: layer 1 "norms" (TimeDistributed): the layer does not follow the length \
        of a sequence
          received  40×6 (in memory order)
          needs     a fixed number of times
          remedy    apply the inner layer to the sequence itself, if it takes one
        """)
    #expect(message(Model(input: x, output: x --> TimeDistributed(Dense(neurons: 3)))) == "")
    // The rest of the state would be what an earlier prediction has left.
    let sum = message(Model(input: x, output: x --> RunningSum().named("sum")))
    #expect(
      sum.hasSuffix(
        """
        the layer does not follow the length of a sequence
          received  40×6 (in memory order) from "x"
          needs     states whose sizes are the same for all lengths
          remedy    a fixed size in Input(shape:), or a state whose shape does not follow the length
        """), "\(sum)")
    let strided = x --> Convolution1D(kernel: 3, channels: 4, stride: 2, name: "c")
    #expect(message(Model(input: x, output: strided)).contains("does not follow the length"))
    // It fits the longest sequence, but not three frames.
    let window = x --> Convolution1D(kernel: 4, channels: 4, padding: .valid, name: "w")
    #expect(message(Model(input: x, output: window)).contains("does not follow the length"))
    #expect(message(Model(input: x, output: window)).contains("every length of the model's inputs"))
    let fixed = x --> Reshape(to: [6, 40])
    #expect(message(Model(input: x, output: fixed)).contains("does not follow the length"))
    let y = Input(shape: [.upTo(50), 6], name: "y")
    #expect(
      message(Model(inputs: [x, y], outputs: [x --> Softmax(), y --> Softmax()]))
        .contains("the inputs' lengths have different numbers of sizes"))
    let short = Input(shape: [.upTo(3), 6])
    #expect(message(Model(input: short, output: short --> Softmax())).contains("from 8 to"))
  }

  /// The parts of a stream have whole strides, whether the longest one breaks the rule or another.
  @Test func strideOfAStreamNeedsSteps() throws {
    func model(_ length: InputSize) -> Model {
      Model(
        output: Input(shape: [length, 3], name: "x")
          --> Convolution1D(kernel: 3, channels: 2, stride: 2, padding: .streaming, name: "c"))
    }
    func message(_ length: InputSize) -> String {
      do { _ = try model(length).compile(parameters: RandomParameters(seed: 1)) } catch {
        return "\(error)"
      }
      return ""
    }
    let remedy = "remedy    state the strides along the sequence, as .stepping(from:through:by:)"
    let odd = message(.upTo(9))
    #expect(odd.contains("received  9 steps") && odd.contains(remedy), "\(odd)")
    let even = message(.upTo(10))
    #expect(even.contains("a multiple of the stride 2") && even.contains(remedy), "\(even)")
    #expect(even.components(separatedBy: "remedy").count == 2, "\(even)")
    #expect(message(.stepping(from: 2, through: 20, by: 2)) == "")
    // There are no steps to state for a fixed length.
    let fixed = message(9)
    #expect(fixed.contains("a multiple of the stride 2"), "\(fixed)")
    #expect(!fixed.contains("remedy"), "\(fixed)")
  }

  /// Parts of a stream may have any length up to the maximum, and room is found for each.
  @Test func partsOfAStreamDifferInLength() throws {
    let input = Input(shape: [.upTo(12), 24], name: "x")
    let output =
      input --> Convolution1D(kernel: 3, channels: 24, padding: .streaming, name: "conv")
      --> GRU(units: 24, returnSequences: true, stateful: true, name: "gru")
      --> TransformerEncoder(heads: 2, hidden: 30, isCausal: true, cacheLength: 40).named("block")
    let network = try Model(input: input, output: output).compile(
      parameters: RandomParameters(seed: 8))
    var random = SplitMix64(seed: 1)
    let values = (0..<36 * 24).map { _ in random.nextSymmetric() }
    func results(_ lengths: [Int]) throws -> [Float] {
      let context = try Context(network)
      var start = 0
      var found: [Float] = []
      for length in lengths {
        found += try context.predict(Array(values[start * 24..<(start + length) * 24]))
        start += length
      }
      return found
    }
    let expected = try results([12, 12, 12])
    #expect(try results([1, 2, 9, 11, 5, 7, 1]).bits == expected.bits)
    #expect(try results(Array(repeating: 1, count: 36)).bits == expected.bits)
    let context = try Context(network)
    for _ in 0..<3 { _ = try context.predict(Array(values.prefix(12 * 24))) }
    #expect(throws: PredictionError.self) { try context.predict(Array(values.prefix(5 * 24))) }
    _ = try context.predict(Array(values.prefix(4 * 24)))
    #expect(throws: PredictionError.self) { try context.predict(Array(values.prefix(24))) }
  }
}
