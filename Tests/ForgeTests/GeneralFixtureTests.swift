import Forge
import ForgeTestSupport
import Testing

/// Functions, choices, reductions, rankings, movements, products of matrices, recurrent layers and
/// attention against ONNX Runtime, NumPy, Keras and PyTorch.
@Suite struct GeneralFixtureTests {
  static let files = ["general", "recurrent", "attention"]
  static let cases: [FixtureCase] = files.flatMap {
    (try? Fixture.load($0).cases) ?? []
  }
  static let layers = GeneralLayers.all.merging(RecurrentLayers.all) { first, _ in first }
    .merging(AttentionLayers.all) { first, _ in first }

  /// What separates two computations in single precision.
  static let tolerance = 2e-6

  @Test func everyCaseHasALayer() throws {
    let names = try Self.files.flatMap { try Fixture.load($0).cases.map(\.name) }
    #expect(Set(names) == Set(Self.layers.keys))
    #expect(names.count == Self.layers.count)
  }

  @Test(arguments: cases)
  func compiledModelsMatch(_ testCase: FixtureCase) throws {
    let (model, parameters) = try model(testCase)
    let expected = try #require(testCase.outputs["layer"])
    for set in CompileOptions.InstructionSet.present {
      var single: Bits?
      for threads in [1, 3] {
        let network = try model.compile(
          parameters: parameters,
          options: CompileOptions(instructionSet: set, threads: .exactly(threads)))
        let results = try network.predict(ordered: testCase.tensors)
        let actual = try #require(results.outputs.values.first)
        #expect(actual.shape.sizes == expected.sizes)
        expectMatch(actual.values, testCase, "\(set), \(threads)")
        #expect(single == nil || single == actual.values.bits, "threads change bits")
        single = actual.values.bits
      }
    }
  }

  /// Batches hold independent examples.
  @Test(arguments: cases.filter { $0.inputs.count == 1 })
  func batches(_ testCase: FixtureCase) throws {
    let (model, parameters) = try model(testCase)
    let network = try model.compile(
      parameters: parameters, options: CompileOptions(threads: .exactly(3)))
    let values = testCase.inputs[0].values
    let other = values.reversed().map { $0.isFinite ? 0.5 * $0 : $0 }
    let all = try network.predict(values + other + values, batch: 3)
    let single = try [values, other, values].flatMap { try network.predict($0) }
    #expect(all.bits == single.bits)
  }

  /// The reference executor against the frameworks.
  @Test(arguments: cases.filter { $0.parameters["layer"]?.isEmpty ?? true })
  func referencesMatch(_ testCase: FixtureCase) throws {
    let reference = try ReferenceModel(try model(testCase).0)
    let outputs = try reference.run(testCase.tensors).outputs
    expectMatch(try #require(outputs.first), testCase, "reference")
  }

  /// Each plan against the reference executor, without rewrites too.
  @Test(arguments: cases)
  func plansAgreeWithTheReference(_ testCase: FixtureCase) throws {
    let (model, _) = try model(testCase)
    for disabled in [[], Set(Rewrites.names)] {
      try expectAgreement(
        model, options: CompileOptions(disabledRewrites: disabled), "\(disabled.sorted())")
    }
  }

  /// Expects the numbers of a case; those of special values one by one.
  private func expectMatch(_ actual: [Float], _ testCase: FixtureCase, _ comment: String) {
    let expected = testCase.outputs["layer"]?.values ?? []
    guard testCase.family == "special" else {
      expectClose(actual, expected, relativeL2: Self.tolerance, comment)
      return
    }
    #expect(actual.count == expected.count)
    for (index, (a, e)) in zip(actual, expected).enumerated() {
      let isEqual = a == e || (a.isNaN && e.isNaN)
      let difference = abs(Double(a) - Double(e))
      #expect(
        isEqual || difference <= Self.tolerance * abs(Double(e)),
        "\(comment), \(index): \(a) instead of \(e)")
    }
  }

  /// A model of the case's layer, and its parameters as the framework stores them.
  private func model(_ testCase: FixtureCase) throws -> (Model, NamedParameters) {
    let inputs = testCase.inputs.enumerated().map {
      Input(shape: $1.sizes, name: "input\($0)")
    }
    let layer = try #require(Self.layers[testCase.name])
    let model = Model(inputs: inputs, outputs: [inputs.chained(to: layer)])
    var values: [ParameterType: any ParameterData] = [:]
    for (type, tensor) in testCase.parameters["layer"] ?? [:] {
      values[ParameterType(type)] = StoredValues(
        tensor.values, layout: .keras, sizes: tensor.sizes)
    }
    return (model, NamedParameters(values: ["layer": values]))
  }
}

extension FixtureCase {
  /// The inputs as a prediction takes them.
  fileprivate var tensors: [TensorValues] {
    inputs.map { TensorValues(shape: Shape(sizes: $0.sizes), values: $0.values) }
  }
}
