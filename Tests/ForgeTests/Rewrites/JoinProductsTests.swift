import Forge
import Testing

/// Pointwise convolutions of one image that become one.
@Suite struct JoinProductsTests {
  private let name = "joinProducts"

  private func model(_ make: (Tensor) -> [Tensor]) -> Model {
    let input = Input(shape: [13, 20], name: "x")
    return Model(inputs: [input], outputs: make(input))
  }

  private func kernels(_ model: Model, disabled: Set<String> = []) throws -> [String] {
    try model.compile(
      parameters: RandomParameters(seed: 3), options: CompileOptions(disabledRewrites: disabled)
    ).report.arithmetic
  }

  private func expectSameResults(_ model: Model, keep: [String] = []) throws {
    for disabled in [[], [name], ["viewChannels"]] {
      try expectAgreement(
        model, options: CompileOptions(keep: keep, disabledRewrites: Set(disabled)))
    }
  }

  @Test func queriesKeysAndValuesAreOneProduct() throws {
    let model = model { x in
      [x --> MultiHeadAttention(heads: 2, keyChannels: 16, valueChannels: 24, name: "a")]
    }
    #expect(try kernels(model).filter { $0 == "convolution" }.count == 2)
    #expect(try kernels(model, disabled: [name]).filter { $0 == "convolution" }.count == 4)
    #expect(!(try kernels(model).contains("gatherChannels")))
    try expectSameResults(model)
    try expectSameResults(model, keep: ["a"])
  }

  @Test func partsOfOneParameterAreJoinedAgain() throws {
    let model = model { x in
      [x --> MultiHeadAttention(heads: 2, keyChannels: 16, form: .joined, name: "a")]
    }
    #expect(try kernels(model).filter { $0 == "convolution" }.count == 2)
    try expectSameResults(model)
  }

  @Test func missingBiasesAreZero() throws {
    let model = model { x in
      [
        [
          x --> LastAxisDense(neurons: 16, name: "a"),
          x --> LastAxisDense(neurons: 16, useBias: false, name: "b"),
          x --> LastAxisDense(neurons: 48, name: "c"),
        ] --> ScaledDotProductAttention()
      ]
    }
    #expect(try kernels(model).filter { $0 == "convolution" }.count == 1)
    try expectSameResults(model, keep: ["b"])
  }

  /// Rotations and a cache lie between the products and the attention.
  @Test(arguments: [(true, false), (false, true), (true, true)])
  func streamsAndRotationsAreOneProduct(isRotary: Bool, isCached: Bool) throws {
    let model = model { x in
      [
        x
          --> MultiHeadAttention(
            heads: 4, keyChannels: 16, keyValueHeads: 2, isCausal: true,
            rotary: isRotary ? .halves() : nil, cacheLength: isCached ? 40 : nil, name: "a")
      ]
    }
    #expect(try kernels(model).filter { $0 == "convolution" }.count == 2)
    #expect(try kernels(model, disabled: [name]).filter { $0 == "convolution" }.count == 4)
    try expectSameResults(model)
    try expectSameResults(model, keep: ["a"])
  }

  /// Functions, parts that are not whole blocks, and those that others read stay apart.
  @Test func othersStayApart() throws {
    let model = model { x in
      let a = x --> LastAxisDense(neurons: 16, activation: .relu, name: "a")
      let b = x --> LastAxisDense(neurons: 16, name: "b")
      let c = x --> LastAxisDense(neurons: 17, name: "c")
      let d = x --> LastAxisDense(neurons: 16, name: "d")
      return [[a, b, c] --> ScaledDotProductAttention(), [b, d] --> Concatenate(axis: 1)]
    }
    #expect(try kernels(model).filter { $0 == "convolution" }.count == 4)
    try expectSameResults(model)
  }
}
