import Forge
import ForgeTestSupport
import Synchronization
import Testing

/// Inputs with several sizes that each prediction chooses apart from each other.
@Suite struct OpenSizeTests {
  /// A network described for the sizes of its inputs, open or fixed.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// The open sizes by their letters.
    let ranges: [String: InputSize]
    /// The sizes of the inputs: numbers, or letters of open sizes.
    let inputs: [[String]]
    let make: @Sendable (_ inputs: [Tensor]) -> [Tensor]
    var testDescription: String { name }

    /// The model for these sizes, or for all.
    func model(_ sizes: [String: Int]? = nil) -> Model {
      let tensors = inputs.enumerated().map { index, axes in
        Input(
          shape: axes.map { axis in
            if let number = Int(axis) { return .exactly(number) }
            return sizes?[axis].map { .exactly($0) } ?? ranges[axis] ?? 1
          }, name: "in\(index)")
      }
      return Model(inputs: tensors, outputs: make(tensors))
    }

    func values(_ sizes: [String: Int], seed: UInt64) -> [String: TensorValues] {
      Dictionary(
        uniqueKeysWithValues: inputs.enumerated().map { index, axes in
          let shape = Shape(sizes: axes.map { Int($0) ?? sizes[$0] ?? 1 })
          return ("in\(index)", TensorValues.seeded(shape, seed: seed &+ UInt64(index)))
        })
    }
  }

  static let cases: [Case] = [
    Case(
      name: "a detector of text",
      ranges: ["h": .open("h", 8...136, step: 8), "w": .open("w", 16...200, step: 8)],
      inputs: [["h", "w", "3"]],
      make: { inputs in
        let first =
          inputs[0]
          --> Convolution(kernel: 3, channels: 20, stride: 2, activation: .relu, name: "first")
          --> DepthwiseConvolution(kernel: 5, activation: .hardSwish, name: "depthwise")
        let second =
          first --> MaxPooling(2) --> Convolution(kernel: 3, channels: 33, name: "second")
          --> BatchNormalization(name: "normalization") --> Activation(.relu)
        let joined = Concatenate([first, second --> UpSampling(2)])
        let map =
          joined --> Convolution(kernel: 1, channels: 1, name: "map") --> Activation(.sigmoid)
        return [map, second --> GlobalAveragePooling() --> Dense(neurons: 7, name: "classes")]
      }),
    Case(
      name: "attention of a prefix to a memory",
      ranges: ["p": .open("p", 1...23), "m": .open("m", 2...31)],
      inputs: [["p", "24"], ["m", "24"], ["p", "m"]],
      make: { inputs in
        let queries = inputs[0] --> LastAxisDense(neurons: 24, name: "queries")
        let keys = inputs[1] --> LastAxisDense(neurons: 24, name: "keys")
        let scores = [queries, keys --> Permute(order: [1, 0])] --> MatMul()
        let weights = scores * 0.2 + inputs[2] --> Softmax()
        let mixed = [weights, inputs[1]] --> MatMul()
        return [[mixed, inputs[0]] --> Add() --> LayerNormalization(name: "norm"), weights]
      }),
    Case(
      name: "recurrent cells and pictures of two widths",
      ranges: ["t": .open("t", 3...40), "w": .open("w", 9...63, step: 2)],
      inputs: [["t", "5"], ["12", "w", "2"]],
      make: { inputs in
        let summary = inputs[0] --> GRU(units: 11, name: "gru")
        let picture =
          inputs[1] --> Convolution(kernel: 5, channels: 11, padding: .valid, name: "conv")
        return [[picture, summary --> Reshape(to: [1, 1, 11])] --> Multiply()]
      }),
  ]

  private static func sizes(_ example: Case, _ random: inout SplitMix64) -> [String: Int] {
    example.ranges.mapValues { size in
      guard case .open(_, let range, let step) = size else { return 1 }
      let count = (range.upperBound - range.lowerBound) / step + 1
      return range.lowerBound + Int(random.next() % UInt64(count)) * step
    }
  }

  /// Any sizes in any order are bit-identical to a network described for them.
  @Test(arguments: cases, [1, 2])
  func sizesAreThoseOfFixedNetworks(_ example: Case, _ threads: Int) throws {
    let options = CompileOptions(planCacheSize: 3, threads: .exactly(threads))
    let network = try example.model().compile(parameters: SeededParameters(), options: options)
    #expect(network.inputShapes.contains { !$0.isKnown })
    var random = SplitMix64(seed: 52)
    for round in 0..<10 {
      let sizes = Self.sizes(example, &random)
      let fixed = try example.model(sizes).compile(
        parameters: SeededParameters(), options: options)
      for seed in UInt64(0)..<2 {
        let inputs = example.values(sizes, seed: seed &* 10 &+ UInt64(round))
        let (found, expected) = (try network.predict(inputs), try fixed.predict(inputs))
        #expect(found == expected, "\(sizes)")
        #expect(found.outputs.values.allSatisfy { $0.shape.elementCount == $0.values.count })
      }
    }
  }

  /// Ten sizes, again and again, take no more memory than the first time.
  @Test func memoryStaysFlat() throws {
    let example = Self.cases[0]
    let network = try example.model().compile(
      parameters: SeededParameters(), options: CompileOptions(planCacheSize: 2))
    var first: (parameters: Int, plans: Int)?
    for _ in 0..<3 {
      var random = SplitMix64(seed: 7)
      for _ in 0..<10 {
        _ = try network.predict(example.values(Self.sizes(example, &random), seed: 1))
      }
      let now = (network.memory.packedParameters, network.memory.plans)
      if let first { #expect(now == first) }
      first = now
    }
    network.releaseMemory()
    #expect(network.memory.plans == 0)
    #expect(network.memory.packedParameters == first?.parameters)
  }

  /// The parameters are packed once for all sizes that use the same kernels.
  @Test func parametersAreShared() throws {
    let input = Input(shape: [.open("rows", 1...9), 64])
    let model = Model(
      input: input,
      output: input --> LSTM(units: 96, returnSequences: true, name: "lstm")
        --> LastAxisDense(neurons: 50, name: "dense"))
    let network = try model.compile(parameters: SeededParameters())
    let before = network.memory.packedParameters
    for rows in 1...9 {
      _ = try network.predict(TensorValues.seeded(Shape(sizes: [rows, 64]), seed: 1))
    }
    #expect(network.memory.packedParameters < before + before / 2)
  }

  /// Weights of denormal numbers, which biases decide about, where layers have equal biases.
  @Test func denormalWeights() throws {
    func model(_ input: Tensor) -> Model {
      Model(
        input: input,
        output: input
          --> Convolution(kernel: 3, channels: 16, useBias: false, name: "first")
          --> BatchNormalization(name: "one")
          --> Convolution(kernel: 3, channels: 16, useBias: false, name: "second")
          --> BatchNormalization(name: "two"))
    }
    func parameters(_ name: String, _ count: Int, _ type: ParameterType) -> (any ParameterData)? {
      guard type == .weights else {
        return ParameterValues(Array(repeating: type == .variance ? 1 : 0.5, count: count))
      }
      let denormal = Float(bitPattern: 7_136)
      return ParameterValues(
        (0..<count).map { $0 % 7 == 0 ? denormal : $0 < count / 2 ? 1e-30 : Float($0 % 5) - 2 })
    }
    let open = model(
      Input(width: .open("w", 4...40), height: .open("h", 4...40), channels: 4))
    let network = try open.compile(
      options: CompileOptions(planCacheSize: 1), parameters: parameters)
    for (width, height) in [(9, 30), (31, 8), (12, 12), (40, 40), (5, 17)] {
      let input = TensorValues.seeded(Shape(width: width, height: height, channels: 4), seed: 6)
      let fixed = try model(Input(width: width, height: height, channels: 4))
        .compile(parameters: parameters)
      #expect(
        try network.predict(input).map(\.bitPattern) == fixed.predict(input).map(\.bitPattern))
    }
  }

  /// The number of values tells the size where one is open, and shapes tell it elsewhere.
  @Test func sizesFollowFromValues() throws {
    let input = Input(shape: [.open("rows", 2...6, step: 2), 3])
    let network = try Model(input: input, output: input --> Softmax()).compile()
    #expect(try network.predict(Array(repeating: Float(1), count: 12)).count == 12)
    #expect(network.inputShapes == [Shape([nil, 3])])
    #expect(network.outputShapes == [Shape([nil, 3])])
    #expect(throws: PredictionError.self) { try network.predict([Float](repeating: 1, count: 9)) }
    #expect(throws: PredictionError.self) { try network.predict([Float](repeating: 1, count: 11)) }
    #expect(throws: PredictionError.self) { try network.predict([Float]()) }
    let error = #expect(throws: PredictionError.self) {
      try network.predict(
        TensorValues(shape: Shape(sizes: [8, 3]), values: Array(repeating: 0, count: 24)))
    }
    #expect(
      error?.description == """
        input "input" has a size out of range
          received  8×3 (in memory order)
          needs     rows from 2 to 6 in steps of 2
          remedy    pad or resize the input, or declare a larger range
        """)
  }

  /// Sizes of one name are one size.
  @Test func namesAreOneSize() throws {
    let example = Self.cases[1]
    let network = try example.model().compile(parameters: SeededParameters())
    var inputs = example.values(["p": 4, "m": 5], seed: 1)
    inputs["in1"] = TensorValues.seeded(Shape(sizes: [6, 24]), seed: 2)
    let error = #expect(throws: PredictionError.self) { try network.predict(inputs) }
    #expect(
      error?.description == """
        the inputs differ in "m"
          received  6 in "in1", 5 in "in2"
          needs     one size, because all have the name "m"
        """)
  }

  /// Mistakes of the declaration are found before compiling.
  @Test func mistakes() throws {
    let x = Input(shape: [.open("n", 1...4), 3]), y = Input(shape: [.open("n", 1...5), 3])
    let twice = #expect(throws: CompileError.self) {
      try Model(inputs: [x, y], outputs: [[x, y] --> Concatenate(axis: 0)]).compile()
    }
    #expect(twice?.description.contains("the open size \"n\" has two ranges") == true)
    let z = Input(shape: [.upTo(4), 3])
    let lengths = #expect(throws: CompileError.self) {
      try Model(inputs: [x, z], outputs: [x --> Softmax(), z --> Softmax()]).compile()
    }
    #expect(lengths?.description.contains("has both a length and open sizes") == true)
    for bad: InputSize in [
      .open("n", 0...3), .open("n", 1...3, step: 0), .open("", 1...3),
      .open("n", 1...Int.max), .open("n", -5...3), .open("n", 1...3, step: .min),
    ] {
      let input = Input(shape: [bad, 3])
      #expect(throws: CompileError.self, "\(bad)") {
        try Model(input: input, output: input --> Softmax()).compile()
      }
    }
  }

  /// A size within the range that a layer cannot take is an error of the prediction.
  @Test func sizesThatALayerDoesNotTake() throws {
    let input = Input(width: .open("w", 1...40), height: 9, channels: 2)
    let network = try Model(
      input: input,
      output: input --> Convolution(kernel: 7, channels: 3, padding: .valid, name: "wide")
    )
    .compile(parameters: SeededParameters())
    #expect(
      try network.predict(TensorValues.seeded(Shape(width: 7, height: 9, channels: 2), seed: 1))
        .count == 9)
    let error = #expect(throws: PredictionError.self) {
      try network.predict(TensorValues.seeded(Shape(width: 6, height: 9, channels: 2), seed: 1))
    }
    #expect(error?.kind == .wrongShape)
    #expect(error?.description.contains("the network does not take inputs of these sizes") == true)
    #expect(error?.description.contains("\"wide\"") == true)
  }

  /// Contexts, real-time contexts and runners take any mixture of sizes; layers are kept.
  @Test func everythingThatPredicts() async throws {
    let example = Self.cases[0]
    let network = try example.model().compile(
      parameters: SeededParameters(),
      options: CompileOptions(keep: ["second"], checks: .finiteOutputs))
    let unchecked = try example.model().compile(parameters: SeededParameters())
    let runner = try Runner(network, inflightBuffers: 2)
    var random = SplitMix64(seed: 3)
    let all = (0..<6).map { _ in Self.sizes(example, &random) }
    let expected = try all.map { try network.predict(example.values($0, seed: 9)) }
    #expect(expected.allSatisfy { $0.kept["second"]?.values.isEmpty == false })
    try await withThrowingTaskGroup(of: (Int, Predictions).self) { group in
      for (index, sizes) in all.enumerated() {
        group.addTask { (index, try await runner.predict(example.values(sizes, seed: 9))) }
      }
      for try await (index, predictions) in group {
        #expect(predictions.outputs == expected[index].outputs)
      }
    }
    for (sizes, predictions) in zip(all, expected) {
      let inputs = example.values(sizes, seed: 9)
      let shapes = inputs.mapValues(\.shape)
      let context = try Context(network, inputShapes: shapes)
      for (name, values) in inputs { try context.set(name, to: values.values) }
      try context.predict()
      #expect(context[network.outputNames[0]] == predictions[network.outputNames[0]])
      #expect(try network.workspaceSize(inputShapes: shapes) > 0)
      let realtime = try RealtimeContext(unchecked, inputShapes: shapes)
      try realtime.predict()
    }
    #expect(throws: PredictionError.self) { try Context(network) }
    #expect(throws: PredictionError.self) { try network.workspaceSize() }
    #expect(throws: CompileError.self) { try network.write(to: "open.forge") }
  }

  /// The layer that fails is named by the network of the sizes, and the first that is not finite is
  /// found.
  @Test func failuresNameTheirLayers() throws {
    struct Failure: Error {}
    let input = Input(shape: [.open("n", 1...9), 2])
    let network = try Model(
      input: input,
      output: input --> Activation(.relu)
        --> Custom(
          name: "own",
          body: { inputs, output in
            if inputs[0].count < 10 { throw Failure() }
            for index in inputs[0].indices { output[index] = inputs[0][index] }
          })
    ).compile()
    #expect(try network.predict([Float](repeating: 1, count: 10)).count == 10)
    let error = #expect(throws: PredictionError.self) {
      try network.predict([Float](repeating: 1, count: 8))
    }
    #expect(error?.description.contains("\"own\"") == true)
    let x = Input(shape: [.open("n", 1...9), 2])
    let checked = try Model(
      input: x, output: x --> Unary(.logarithm, name: "log") --> Scale(2, name: "scale")
    ).compile(options: CompileOptions(checks: .finiteOutputs))
    let notFinite = #expect(throws: PredictionError.self) {
      try checked.predict([1, 2, 0, 4])
    }
    #expect(notFinite?.description.contains("\"log\"") == true)
  }

  /// A network keeps its state from one size to the next.
  @Test func statesHaveOneSize() throws {
    let input = Input(shape: [.open("n", 1...9), 3])
    let network = try Model(
      input: input,
      output: input --> GRU(units: 6, returnSequences: true, stateful: true, name: "gru")
    ).compile(parameters: SeededParameters())
    let values = TensorValues.seeded(Shape(sizes: [9, 3]), seed: 4).values
    let whole = try network.predict(values)
    let first = try Context(network, inputShapes: ["input": Shape(sizes: [4, 3])])
    try first.set("input", to: Array(values[..<12]))
    try first.predict()
    let second = try Context(network, inputShapes: ["input": Shape(sizes: [5, 3])])
    try second.state.restore(try first.state.saved())
    try second.set("input", to: Array(values[12...]))
    try second.predict()
    let name = network.outputNames[0]
    #expect((first[name]?.values ?? []) + (second[name]?.values ?? []) == whole)
  }

  /// The table says what is open.
  @Test func summary() throws {
    let input = Input(
      width: .open("w", 32...960, step: 32), height: .open("h", 8...64), channels: 1)
    let model = Model(input: input, output: input --> MaxPooling(2, name: "pool"))
    #expect(model.summary().contains("(480, 32, 1)"))
    #expect(
      model.summary().contains(
        "Open sizes: h from 8 to 64, w from 32 to 960 in steps of 32; shapes are those of the largest"
      ))
    #expect(try model.compile().outputShapes == [Shape(width: nil, height: nil, channels: 1)])
  }

  /// A verification, other precisions and measured kernels work for open sizes.
  @Test func options() throws {
    let example = Self.cases[0]
    for options in [
      CompileOptions(verify: .samples(2)), CompileOptions(precision: .int8),
      CompileOptions(precision: .bfloat16), CompileOptions(tuning: .measured),
      CompileOptions(preference: .size),
    ] {
      let network = try example.model().compile(parameters: SeededParameters(), options: options)
      let plain = try example.model().compile(parameters: SeededParameters())
      let inputs = example.values(["h": 24, "w": 40], seed: 5)
      let (found, expected) = (try network.predict(inputs), try plain.predict(inputs))
      for (name, values) in expected.outputs {
        expectClose(try #require(found[name]).values, values.values, relativeL2: 0.05, "\(options)")
      }
    }
  }
}
