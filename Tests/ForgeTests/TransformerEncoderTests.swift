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
}
