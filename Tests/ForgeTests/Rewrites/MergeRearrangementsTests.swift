import Forge
import ForgeTestSupport
import Testing

/// Permutations and reshapes of one value that are equal.
@Suite struct MergeRearrangementsTests {
  private let name = "mergeRearrangements"

  @Test func equalPermutationsAreOne() throws {
    let input = Input(shape: [7, 5, 3], name: "x")
    let a = input --> Permute(order: [2, 0, 1], name: "a") --> Activation(.tanh)
    let b = input --> Permute(order: [2, 0, 1], name: "b") --> Activation(.sigmoid)
    let other = input --> Permute(order: [2, 1, 0], name: "c") --> Activation(.tanh)
    try expectRewrite(name, places: 1, inputs: [input], outputs: [a, b, other])
  }

  /// As an importer leaves them, so that the products become one.
  @Test func whatIsBehindThemIsMergedToo() throws {
    let input = Input(shape: [16, 13], name: "x")
    func part(_ name: String) -> Tensor {
      input --> Permute(order: [1, 0]) --> LastAxisDense(neurons: 16, name: name)
    }
    let output = [part("q"), part("k"), part("v")] --> ScaledDotProductAttention()
    let kernels = try expectRewrite(name, places: 4, inputs: [input], outputs: [output])
    #expect(kernels.filter { $0 == "convolution" }.count == 1)
  }

  @Test func outputsAndKeptLayersMayBeOneValue() throws {
    let input = Input(shape: [7, 5], name: "x")
    let permutations = ["a", "b", "c"].map { input --> Permute(order: [1, 0], name: $0) }
    let reshaped = input --> Reshape(to: [5, 7], name: "d")
    let sum = [permutations[1], permutations[2], reshaped] --> Add()
    let model = Model(inputs: [input], outputs: [permutations[0], permutations[1], sum])
    for disabled in [[], [name]] {
      let options = CompileOptions(keep: ["c", "b", "d"], disabledRewrites: Set(disabled))
      try expectAgreement(model, options: options)
    }
    let kept = try model.compile(
      parameters: SeededParameters(), options: CompileOptions(keep: ["c", "d"]))
    #expect(kept.report.places(name) == 2)
    let values = (0..<35).map(Float.init)
    let predictions = try kept.predict(["x": values])
    let transposed = (0..<35).map { values[$0 % 7 * 5 + $0 / 7] }
    #expect(predictions.kept["c"]?.values == transposed)
    #expect(predictions.kept["d"]?.values == values)
  }

  /// Reshapes that are equal for the longest sequence may differ for others.
  @Test func reshapesOfSequencesOfAnyLengthStayApart() throws {
    func model(_ length: InputSize) -> Model {
      let input = Input(shape: [length, 12], name: "x")
      let outputs = (0..<2).map { _ in
        input --> Permute(order: [1, 0]) --> Permute(order: [1, 0]) --> Reshape(to: [-1, 3, 4])
      }
      return Model(inputs: [input], outputs: outputs)
    }
    let fixed = try report(of: model(.exactly(17)))
    #expect(fixed.places(name) == 3)
    let network = try model(.upTo(17)).compile(parameters: SeededParameters())
    #expect(network.report.places(name) == 2)
    for length in [1, 2, 5, 16, 17] {
      let values = (0..<length * 12).map { Float($0 % 11) }
      let expected = try model(.exactly(length)).compile(parameters: SeededParameters())
        .predict(["x": values])
      #expect(try network.predict(["x": values]) == expected)
    }
  }
}
