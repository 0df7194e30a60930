import Forge
import ForgeTestSupport
import Testing

/// Blocks of transformers against PyTorch, and what is left of them in a plan.
@Suite struct TransformerEncoderTests {
  static let cases: [FixtureCase] = (try? Fixture.load("transformer").cases) ?? []
  static let blocks: [String: TransformerEncoder] = [
    "last": TransformerEncoder(heads: 3, hidden: 40, form: .joined),
    "first": TransformerEncoder(
      heads: 4, hidden: 37, activation: .relu, normalizesFirst: true, form: .joined),
    "causal": TransformerEncoder(
      heads: 2, hidden: 64, normalizesFirst: true, isCausal: true, form: .joined),
  ]

  private func model(_ testCase: FixtureCase) throws -> Model {
    let block = try #require(Self.blocks[testCase.name])
    let input = Input(shape: testCase.inputs[0].sizes)
    var output: Tensor = input
    for number in 1...(testCase.parameters.count / 5) {
      output = output --> block.named("block\(number)")
    }
    return Model(input: input, output: output)
  }

  private func parameters(_ testCase: FixtureCase) -> NamedParameters {
    NamedParameters(
      values: testCase.parameters.mapValues { layer in
        Dictionary(
          uniqueKeysWithValues: layer.map { type, tensor in
            (
              ParameterType(type),
              StoredValues(tensor.values, layout: .keras, sizes: tensor.sizes) as any ParameterData
            )
          })
      })
  }

  @Test func thereIsACaseForEachBlock() {
    #expect(Set(Self.cases.map(\.name)) == Set(Self.blocks.keys))
  }

  @Test(arguments: cases)
  func blocksMatchPyTorch(_ testCase: FixtureCase) throws {
    let model = try model(testCase)
    let expected = try #require(testCase.outputs["output"])
    for set in CompileOptions.InstructionSet.present {
      let network = try model.compile(
        parameters: parameters(testCase),
        options: CompileOptions(instructionSet: set, threads: .exactly(2)))
      let actual = try network.predict(testCase.inputs[0].values)
      expectClose(actual, expected.values, relativeL2: 3e-6, "\(set)")
    }
  }

  /// Matrices as PyTorch stores them, for blocks that begin with a sequence.
  @Test(arguments: cases)
  func blocksTakeMatricesOfPyTorch(_ testCase: FixtureCase) throws {
    let stored = NamedParameters(
      values: testCase.parameters.mapValues { layer in
        Dictionary(
          uniqueKeysWithValues: layer.map { type, tensor in
            let (rows, columns) = (tensor.sizes[0], tensor.sizes.dropFirst().first ?? 1)
            let turned = (0..<rows * columns).map { index in
              tensor.values[index % rows * columns + index / rows]
            }
            let sizes = Array(tensor.sizes.reversed())
            return (
              ParameterType(type),
              StoredValues(turned, layout: .pytorch, sizes: sizes) as any ParameterData
            )
          })
      })
    let expected = try #require(testCase.outputs["output"])
    let network = try model(testCase).compile(parameters: stored)
    let actual = try network.predict(testCase.inputs[0].values)
    expectClose(actual, expected.values, relativeL2: 3e-6)
  }

  @Test(arguments: cases)
  func plansAgreeWithTheReference(_ testCase: FixtureCase) throws {
    for disabled in [[], ["runSequencesAsImages"], Set(Rewrites.names)] {
      try expectAgreement(
        try model(testCase), options: CompileOptions(disabledRewrites: disabled),
        "\(disabled.sorted())")
    }
  }

  /// Two blocks are their products, which take the sums and functions, attention, normalizations.
  ///
  /// Queries, keys and values are one product.
  @Test func blocksAreImagesInside() throws {
    let input = Input(shape: [24, 32])
    let block = TransformerEncoder(heads: 2, hidden: 48)
    let output = input --> block.named("a") --> block.named("b")
    let network = try Model(input: input, output: output).compile(
      parameters: SeededParameters(seed: 3))
    let steps = network.report.arithmetic
    #expect(steps.filter { $0 == "convolution" }.count == 8)
    #expect(steps.filter { $0 == "attention" }.count == 2)
    #expect(steps.filter { $0 == "normalize" }.count == 4)
    // Only the result is copied to a sequence.
    #expect(steps.filter { $0 == "copy" }.count == 1)
    #expect(steps.count == 15)
  }

  /// A block with a mask is its layers with the mask as the second input of the attention.
  @Test(arguments: [true, false])
  func masksReachTheAttention(normalizesFirst: Bool) throws {
    let (x, mask) = (Input(shape: [7, 15], name: "x"), Input(shape: [1, 7], name: "mask"))
    let block = TransformerEncoder(
      heads: 3, hidden: 19, normalizesFirst: normalizesFirst, mask: .visible)
    let attention = MultiHeadAttention(
      heads: 3, keyChannels: 5, mask: .visible, name: "block.attention")
    let (norm1, norm2) = (
      LayerNormalization(name: "block.norm1"), LayerNormalization(name: "block.norm2")
    )
    func mixed(_ a: Tensor) -> Tensor {
      a --> LastAxisDense(neurons: 19, activation: .gelu, name: "block.expand")
        --> LastAxisDense(neurons: 15, name: "block.reduce")
    }
    let plain: Tensor
    if normalizesFirst {
      let a = [x, [x --> norm1, mask] --> attention] --> Add()
      plain = [a, mixed(a --> norm2)] --> Add()
    } else {
      let a = [x, [x, mask] --> attention] --> Add() --> norm1
      plain = [a, mixed(a)] --> Add() --> norm2
    }
    let networks = try [[x, mask] --> block.named("block"), plain].map {
      try Model(inputs: [x, mask], outputs: [$0]).compile(parameters: RandomParameters(seed: 4))
    }
    var values = seededValues(count: 7 * 15, seed: 2)
    let visible: [Float] = [1, 1, 0, 1, 1, 0, 1]
    let outputs = try networks.map { network in
      try network.predict(["x": values, "mask": visible]).outputs.values.first?.values ?? []
    }
    #expect(outputs[0] == outputs[1] && outputs[0].count == 7 * 15)
    // What is hidden reaches only its own position.
    for channel in 0..<15 { values[2 * 15 + channel] = 1e6 }
    let hidden =
      try networks[0].predict(["x": values, "mask": visible]).outputs.values.first?.values ?? []
    #expect(hidden.prefix(30).elementsEqual(outputs[0].prefix(30)))
    #expect(hidden.suffix(60).elementsEqual(outputs[0].suffix(60)))
  }

  private func message(_ inputs: [Tensor], _ output: Tensor) -> String {
    do {
      _ = try Model(inputs: inputs, outputs: [output]).compile(
        parameters: RandomParameters(seed: 1))
    } catch {
      return "\(error)"
    }
    return ""
  }

  @Test func mistakesHaveThePlaceOfTheBlock() {
    let x = Input(shape: [7, 15], name: "x")
    func block(_ hidden: Int, mask: AttentionRule.Mask = .none, line: Int = 9) -> TransformerEncoder
    {
      TransformerEncoder(
        heads: 3, hidden: hidden, mask: mask, fileID: "App/Net.swift", line: line, column: 7)
    }
    #expect(
      message([x], x --> block(0).named("b")).hasPrefix("App/Net.swift:9:7: layer 4 \"b.expand\""))
    // Unnamed blocks at several places would share their parameters.
    let twice = message([x], x --> block(8) --> block(8, line: 10))
    #expect(twice.contains("App/Net.swift:9:7") && twice.contains("App/Net.swift:10:7"), "\(twice)")
    #expect(message([x], x --> block(8, mask: .added)).contains("a sequence and a mask"))
    let mask = Input(shape: [7, 7], name: "mask")
    #expect(message([x, mask], [x, mask] --> block(8)).contains("needs     a sequence"))
  }
}
