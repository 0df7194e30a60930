import Forge
import ForgeTestSupport
import Testing

/// Layers of windows, normalizations, resampling and suppression against ONNX Runtime and Keras, whose
/// results are in single precision.
@Suite struct WindowFixtureTests {
  static let cases: [FixtureCase] = (try? Fixture.load("windows").cases) ?? []

  /// What separates two computations in single precision.
  static let relativeL2 = 2e-6

  @Test func everyCaseHasALayer() throws {
    let names = try Fixture.load("windows").cases.map(\.name)
    #expect(Set(names) == Set(WindowLayers.all.keys))
    #expect(names.count == WindowLayers.all.count)
  }

  @Test(arguments: cases)
  func compiledModelsMatch(_ testCase: FixtureCase) throws {
    let (model, parameters) = try model(testCase)
    let inputs = testCase.inputs.map {
      TensorValues(shape: Shape(sizes: $0.sizes), values: $0.values)
    }
    let expected = try #require(testCase.outputs["layer"])
    for set in CompileOptions.InstructionSet.present {
      var single: [Float]?
      for threads in [1, 3] {
        let network = try model.compile(
          parameters: parameters,
          options: CompileOptions(instructionSet: set, threads: .exactly(threads)))
        let results = try network.predict(ordered: inputs, crops: [:])
        let actual = try #require(results.outputs.values.first)
        #expect(actual.shape.sizes == expected.sizes)
        expectClose(
          actual.values, expected.values, relativeL2: Self.relativeL2, "\(set), \(threads)")
        #expect(single == nil || single == actual.values, "threads change bits")
        single = actual.values
      }
    }
  }

  /// The reference executor and each plan, without rewrites too.
  @Test(arguments: cases)
  func planAgreesWithTheReference(_ testCase: FixtureCase) throws {
    let (model, _) = try model(testCase)
    for disabled in [[], Set(Rewrites.names)] {
      try expectAgreement(
        model, options: CompileOptions(disabledRewrites: disabled), "\(disabled.sorted())")
    }
  }

  /// A model of the case's layer and its parameters as the framework stores them.
  private func model(_ testCase: FixtureCase) throws -> (Model, NamedParameters) {
    let inputs = testCase.inputs.enumerated().map {
      Input(shape: $1.sizes, name: "input\($0)")
    }
    let layer = try #require(WindowLayers.all[testCase.name])
    let model = Model(inputs: inputs, outputs: [inputs.chained(to: layer)])
    let layout: ParameterLayout = testCase.source.hasPrefix("keras") ? .keras : .pytorch
    var values: [ParameterType: any ParameterData] = [:]
    for (type, tensor) in testCase.parameters["layer"] ?? [:] {
      values[ParameterType(type)] = StoredValues(
        tensor.values, layout: layout, sizes: tensor.sizes)
    }
    return (model, NamedParameters(values: ["layer": values]))
  }
}
