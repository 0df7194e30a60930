import Forge
import ForgeLayers
import ForgeOperations
import ForgeTestSupport
import Testing

/// Products of a few rows with weights that stay in 4 bits.
@Suite struct RunBlockProductsTests {
  /// Weights of 4 bits: their blocks, and the real numbers.
  private struct Weights: ParameterSource {
    let blocks: WeightBlocks
    let values: [Float]
    var goesByName: Bool { false }

    init(outputs: Int, inputs: Int, size: Int) {
      let count = (inputs + size - 1) / size
      let drawn = seededValues(count: outputs * inputs, seed: 3, range: 0...15.99)
      let scales = seededValues(count: outputs * count, seed: 4, range: 0.001...0.7)
      let zeros = seededValues(count: outputs * count, seed: 5, range: 0...15.99)
        .map { UInt8($0) }
      blocks = WeightBlocks(size: size, scales: scales, zeros: zeros)
      values = drawn.indices.map { index in
        let (output, input) = index.quotientAndRemainder(dividingBy: inputs)
        let block = output * count + input / size
        return (drawn[index].rounded(.down) - Float(zeros[block])) * scales[block]
      }
    }

    func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
      StoredValues(
        spec.type == .weights ? values : seededValues(count: spec.count, seed: 6, range: -1...1))
    }
  }

  private func model(
    _ shape: [Int], _ weights: Weights, outputs: Int
  ) -> Model {
    let input = Input(shape: shape)
    var layer = LastAxisDense(neurons: outputs, name: "w")
    layer.weightBlocks = weights.blocks
    return Model(input: input, output: input --> layer --> Activation(.swish))
  }

  private func places(_ network: CompiledModel) -> Int? {
    network.report.rewrites.first { $0.name == "runBlockProducts" }?.places
  }

  @Test(arguments: [(1, 16, 16), (5, 37, 16), (67, 200, 32), (33, 301, 128)], [1, 3])
  func resultsAreThoseOfRealNumbers(_ sizes: (Int, Int, Int), _ rows: Int) throws {
    let (outputs, inputs, size) = sizes
    let weights = Weights(outputs: outputs, inputs: inputs, size: size)
    let model = model([rows, inputs], weights, outputs: outputs)
    for set in CompileOptions.InstructionSet.present {
      let network = try model.compile(
        parameters: weights, options: CompileOptions(instructionSet: set))
      #expect(places(network) == 1)
      let plain = try model.compile(
        parameters: weights, options: CompileOptions(disabledRewrites: ["runBlockProducts"]))
      for factor: Float in [1, 1e-20, 1e10] {
        let values = seededValues(count: rows * inputs, seed: 8, range: -1...1).map { $0 * factor }
        let (found, expected) = (try network.predict(values), try plain.predict(values))
        let largest = expected.map(abs).max() ?? 0
        for (value, other) in zip(found, expected) {
          #expect(abs(value - other) <= 2e-6 * largest, "\(set), \(factor)")
        }
      }
      // What is not finite stays in its row.
      var values = seededValues(count: rows * inputs, seed: 8, range: -1...1)
      values[inputs / 2] = .nan
      let found = try network.predict(values)
      #expect(found.prefix(outputs).allSatisfy { $0.isNaN })
      #expect(found.dropFirst(outputs).allSatisfy { $0.isFinite })
    }
  }

  @Test func othersStay() throws {
    let weights = Weights(outputs: 5, inputs: 40, size: 16)
    // Too many rows.
    #expect(places(try model([9, 40], weights, outputs: 5).compile(parameters: weights)) == 0)
    // Other weights than those of the blocks.
    let others = try model([1, 40], weights, outputs: 5).compile(
      parameters: RandomParameters(seed: 3))
    #expect(places(others) == 0)
    let odd = Weights(outputs: 5, inputs: 40, size: 20)
    #expect(places(try model([1, 40], odd, outputs: 5).compile(parameters: odd)) == 0)
  }
}
