import Forge
import ForgeTestSupport
import Testing

/// Networks that read a text token by token, against a loop written out in PyTorch.
@Suite struct DecoderTests {
  static let cases: [FixtureCase] = (try? Fixture.load("decoder").cases) ?? []
  /// The most tokens of a stream.
  static let length = 40

  /// The network of a case for parts of so many tokens.
  private func model(_ testCase: FixtureCase, tokens: Int, isStream: Bool) throws -> Model {
    let words = try #require(testCase.parameters["words"]?["weights"]).sizes
    let isRotary = testCase.parameters["places"] == nil
    let length = isStream ? Self.length : nil
    let ids = Input(shape: [tokens], name: "ids")
    var x = ids --> Embedding(vocabulary: words[0], channels: words[1], name: "words")
    if !isRotary {
      x =
        x
        --> PositionalEncoding(
          .learned(maximumLength: Self.length), streamLength: length, name: "places")
    }
    let attention = try #require(testCase.parameters["block1.attention"])
    let heads = try #require(attention["queryWeights"]).sizes[1]
    let groups = try #require(attention["keyWeights"]).sizes[1]
    let hidden = try #require(testCase.parameters["block1.expand"]?["biases"]).sizes[0]
    for block in ["block1", "block2"] {
      if groups == heads {
        x =
          x
          --> TransformerEncoder(
            heads: heads, hidden: hidden, normalizesFirst: true, isCausal: true,
            rotary: isRotary ? .halves() : nil, cacheLength: length
          ).named(block)
        continue
      }
      let a =
        [
          x,
          x --> LayerNormalization(epsilon: 1e-5, name: "\(block).norm1")
            --> MultiHeadAttention(
              heads: heads, keyChannels: words[1] / heads, keyValueHeads: groups, isCausal: true,
              rotary: isRotary ? .halves() : nil, cacheLength: length, name: "\(block).attention"),
        ] --> Add()
      x =
        [
          a,
          a --> LayerNormalization(epsilon: 1e-5, name: "\(block).norm2")
            --> LastAxisDense(neurons: hidden, activation: .gelu, name: "\(block).expand")
            --> LastAxisDense(neurons: words[1], name: "\(block).reduce"),
        ] --> Add()
    }
    return Model(input: ids, output: x --> LastAxisDense(neurons: words[0], name: "head"))
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

  @Test func thereAreCases() { #expect(Self.cases.map(\.name) == ["learned", "rotary"]) }

  @Test(arguments: cases)
  func tokensMatchPyTorch(_ testCase: FixtureCase) throws {
    let ids = testCase.inputs[0].values
    let expected = try #require(testCase.outputs["output"]).values
    for set in CompileOptions.InstructionSet.present {
      for (part, threads) in [(1, 1), (ids.count, 2)] {
        let network = try model(testCase, tokens: part, isStream: true).compile(
          parameters: parameters(testCase),
          options: CompileOptions(instructionSet: set, threads: .exactly(threads)))
        let context = try Context(network)
        var found: [Float] = []
        for start in stride(from: 0, to: ids.count, by: part) {
          found += try context.predict(Array(ids[start..<start + part]))
        }
        expectClose(found, expected, relativeL2: 3e-6, "\(set), parts of \(part)")
      }
      let whole = try model(testCase, tokens: ids.count, isStream: false).compile(
        parameters: parameters(testCase), options: CompileOptions(instructionSet: set))
      expectClose(try whole.predict(ids), expected, relativeL2: 3e-6, "\(set), without a stream")
    }
  }
}
