import Forge
import ForgeTestSupport
import Testing

/// Custom layers with parameters, from loading to prediction.
@Suite struct CustomParameterTests {
  /// `y = x · scale(channel) + bias(channel)`, with parameters of sizes that the input decides.
  private static func affine(_ name: String?) -> Custom {
    Custom(
      name: name,
      parameters: { [ParameterType("scale"): [$0[0].channels], .biases: [$0[0].channels]] }
    ) { inputs, parameters, output in
      let count = parameters[0].count
      for (index, value) in inputs[0].enumerated() {
        output[index] = value * parameters[0][index % count] + parameters[1][index % count]
      }
    }
  }

  private static let scale: [Float] = [2, -1, 0.5]
  private static let biases: [Float] = [1, 10, 100]
  private static let source = NamedParameters(values: [
    "own": [ParameterType("scale"): StoredValues(scale), .biases: StoredValues(biases)]
  ])

  private func expected(_ values: [Float]) -> [Float] {
    values.enumerated().map { $1 * Self.scale[$0 % 3] + Self.biases[$0 % 3] }
  }

  @Test func valuesReachTheBody() throws {
    let input = Input(width: 3, height: 2, channels: 3)
    let model = Model(input: input, output: input --> Self.affine("own"))
    let values = seededValues(count: 18, seed: 5)
    let network = try model.compile(parameters: Self.source)
    #expect(try network.predict(values) == expected(values))
    #expect(model.parameterCount == 6)
    #expect(
      model.summary().contains("own                            Custom     (3, 2, 3)        6"))
  }

  /// The plan and the reference executor agree, also where the layer is not alone.
  @Test func referenceExecutorAgrees() throws {
    let input = Input(width: 9, height: 7, channels: 4)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 5, activation: .relu) --> Self.affine(nil)
      --> Convolution(kernel: (3, 3), channels: 6) --> Self.affine(nil) --> Dense(neurons: 3)
    _ = try Model(input: input, output: output).compile(
      parameters: SeededParameters(), options: CompileOptions(verify: .samples(2)))
  }

  @Test func variableSizesAndBatches() throws {
    let network = try (Model(channels: 3) --> Self.affine("own")).compile(parameters: Self.source)
    for (width, height) in [(2, 3), (5, 1), (2, 3)] {
      let values = seededValues(count: width * height * 3, seed: UInt64(width))
      let input = TensorValues(width: width, height: height, channels: 3, values: values)
      #expect(try network.predict(input) == expected(values))
    }
  }

  @Test func sharedByName() throws {
    let input = Input(width: 3, height: 2, channels: 3)
    let own = Self.affine("own")
    let model = Model(input: input, output: input --> own --> own)
    #expect(model.parameterCount == 6)
    let values = seededValues(count: 18, seed: 6)
    let network = try model.compile(parameters: Self.source)
    #expect(try network.predict(values) == expected(expected(values)))
  }

  @Test func missingAndUnfitParameters() {
    let input = Input(width: 3, height: 2, channels: 4)
    let layer = Custom(
      name: "own", parameters: [.biases: [4]], body: { _, _, _ in }, fileID: "App/Net.swift",
      line: 3,
      column: 7)
    let model = Model(input: input, output: input --> layer)
    let missing = #expect(throws: CompileError.self) {
      try model.compile(parameters: NamedParameters(values: [:]))
    }
    #expect(
      missing?.problems.map(\.description) == [
        """
        App/Net.swift:3:7: layer 1 "own" (Custom): the biases are missing
          needs     4 values, 4 [C]
        """
      ])
    let unfit = #expect(throws: CompileError.self) { try model.compile(parameters: Self.source) }
    #expect(unfit?.problems.count == 1)
    #expect(unfit?.problems.first?.headline.contains("biases") == true)
  }

  /// A retained parameter can be read after the network is released.
  @Test func retainedParametersOutliveNetwork() throws {
    struct Kept: @unchecked Sendable { var parameters: [CustomInput] = [] }
    let kept = Locked(Kept())
    do {
      let input = Input(width: 1, height: 1, channels: 3)
      let layer = Custom(name: "own", parameters: [.biases: [3]]) { inputs, parameters, output in
        output.update(fromContentsOf: inputs[0])
        let own = Kept(parameters: parameters)
        kept.withLock { $0 = own }
      }
      let network = try Model(input: input, output: input --> layer).compile(
        parameters: Self.source)
      #expect(try network.predict([1, 2, 3]) == [1, 2, 3])
    }
    let parameters = kept.withLock { $0 }.parameters
    #expect(parameters.map { Array($0) } == [Self.biases])
  }

  @Test func outOfBoundsReads() async {
    await #expect(processExitsWith: .failure) {
      let input = Input(width: 1, height: 1, channels: 3)
      let layer = Custom(name: "own", parameters: [.biases: [3]]) { _, parameters, output in
        output[0] = parameters[0][3]
      }
      let network = try Model(input: input, output: input --> layer).compile(
        parameters: SeededParameters())
      _ = try network.predict([1, 2, 3])
    }
  }

  /// A layer of one's own that applies a custom operation to its own parameters.
  @Test func customOperationInLayer() throws {
    struct Own: Layer {
      func lower(into lowering: inout Lowering) throws(ShapeError) {
        let input = try lowering.input()
        let biases = try lowering.parameter(.biases, [.channels: 3])
        let operation = CustomOperation(parameterCount: 1) { inputs, parameters, output in
          for (index, value) in inputs[0].enumerated() {
            output[index] = value + parameters[0][index % 3]
          }
        }
        lowering.output = try lowering.apply(.custom(operation), to: [input, biases])
      }
    }
    let input = Input(width: 1, height: 2, channels: 3)
    let network = try Model(input: input, output: input --> Own().named("own"))
      .compile(parameters: Self.source)
    #expect(try network.predict([1, 2, 3, 4, 5, 6]) == [2, 12, 103, 5, 15, 106])

    struct Short: Layer {
      func lower(into lowering: inout Lowering) throws(ShapeError) {
        let operation = CustomOperation(parameterCount: .max) { _, _, _ in }
        lowering.output = try lowering.apply(.custom(operation), to: lowering.inputs)
      }
    }
    let error = #expect(throws: CompileError.self) {
      try Model(input: input, output: input --> Short()).compile()
    }
    #expect(error?.problems.first?.headline == "custom has the wrong number of operands")
  }

  @Test func unknownSizesForKnownOnes() throws {
    let vague = Custom(
      shape: { _ in Shape(width: nil, height: nil, channels: 3) }, name: "vague", body: { _, _ in },
      fileID: "App/Net.swift", line: 3, column: 7)
    let input = Input(width: 2, height: 2, channels: 3)
    let error = #expect(throws: CompileError.self) {
      try Model(input: input, output: input --> vague).compile()
    }
    #expect(
      error?.problems.map(\.description) == [
        """
        App/Net.swift:3:7: layer 1 "vague" (Custom): \
        the shape rule of the custom layer returns unknown sizes for known ones
          received  ?×?×3 (width×height×channels) for 2×2×3 (width×height×channels)
          needs     a size along each axis when those of the inputs are known
        """
      ])
    // The same once the size is known.
    let network = try (Model(channels: 3) --> vague).compile()
    let later = #expect(throws: PredictionError.self) {
      try network.predict(
        TensorValues(width: 2, height: 2, channels: 3, values: Array(repeating: 1, count: 12)))
    }
    #expect(later?.description.contains("App/Net.swift:3:7: layer 1 \"vague\"") == true)
    #expect(later?.description.contains("returns unknown sizes for known ones") == true)
  }
}
