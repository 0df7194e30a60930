import Forge
import ForgeImporters
import ForgeTestSupport
import Testing

/// Functions of `keras.ops`, activations and layers without weights, one a model, against what
/// Keras predicts; Scripts/references/make_keras_functions.py made them.
@Suite struct KerasFunctionTests {
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let description: String
    let inputs: Int
    let outputs: Int

    var testDescription: String { name }
  }

  static let cases =
    (try? ImporterFixtures.load("KerasFunctions/list.json", as: [Case].self)) ?? []

  @Test func thereAreCases() { #expect(Self.cases.count > 290) }

  @Test(arguments: cases)
  func equalsKeras(_ expected: Case) throws {
    let imported = try ImportedModel(kerasDescription: expected.description)
    let network = try imported.model.compile(options: .init(threads: .exactly(1)))
    try KerasSamples.check(
      network, "KerasFunctions", expected.name, inputs: (0..<expected.inputs).map { "x\($0)" },
      outputs: expected.outputs)
  }
}

/// Samples of models in the archives of arrays.
enum KerasSamples {
  private static let count = 3

  /// Predicts each sample and compares the outputs: NaN and infinities where Keras has them, other
  /// numbers by their norm.
  static func check(
    _ network: CompiledModel, _ folder: String, _ name: String, inputs: [String], outputs: Int,
    relativeL2: Double = 1e-5, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let arrays = ImporterFixtures.path("\(folder)/arrays.npz")
    func array(_ kind: String, _ index: Int) throws -> NumPyArray {
      try NumPyArray(path: arrays, entry: "\(name).\(kind)\(index)")
    }
    var given: [String: [Float]] = [:]
    for (index, input) in inputs.enumerated() { given[input] = try array("in", index).values }
    var expected: [(sizes: [Int], values: [Float])] = []
    for index in 0..<outputs {
      let all = try array("out", index)
      expected.append((all.sizes, try all.values))
    }
    try check(
      network, name, given, expected, relativeL2: relativeL2, sourceLocation: sourceLocation)
  }

  /// Predicts each sample of inputs by name and compares the outputs, whose first axis is that of
  /// the samples.
  static func check(
    _ network: CompiledModel, _ name: String, _ inputs: [String: [Float]],
    _ expected: [(sizes: [Int], values: [Float])], relativeL2: Double = 1e-5,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    func part(_ values: [Float], _ sample: Int) -> [Float] {
      let count = values.count / Self.count
      return Array(values[sample * count..<(sample + 1) * count])
    }
    #expect(network.outputNames.count == expected.count, sourceLocation: sourceLocation)
    for sample in 0..<Self.count {
      let found = try network.predict(inputs.mapValues { part($0, sample) })
      for (output, all) in zip(network.outputNames, expected) {
        let tensor: TensorValues = try #require(found[output], sourceLocation: sourceLocation)
        let sizes = Array(all.sizes.dropFirst())
        #expect(
          tensor.shape.sizes == (sizes.count == 1 ? [1, 1] + sizes : sizes),
          sourceLocation: sourceLocation)
        let wanted = part(all.values, sample)
        #expect(
          zip(tensor.values, wanted).allSatisfy {
            $1.isNaN ? $0.isNaN : $1.isInfinite ? $0 == $1 : $0.isFinite
          }, "\(name), sample \(sample): other NaN or infinities", sourceLocation: sourceLocation)
        let finite = zip(tensor.values, wanted).filter { $1.isFinite }
        expectClose(
          finite.map(\.0), finite.map(\.1), relativeL2: relativeL2,
          "\(name), sample \(sample), \(output)", sourceLocation: sourceLocation)
      }
    }
  }
}
