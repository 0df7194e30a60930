import Forge
import ForgeTestSupport
import Testing

/// Compiled networks against results of Keras, ONNX Runtime, NumPy and Pillow.
@Suite struct FixtureTests {
  /// What separates single precision from double, in which most outputs were made.
  static let relativeL2 = 5e-7
  /// What a kernel may add by the default accuracy: Winograd's convolutions are less exact than others.
  static let winogradL2 = 2.5e-6
  /// TensorFlow resizes in single precision, the places it samples included.
  static let tensorFlowResizeL2 = 3e-6

  /// Every case on each available instruction set.
  @Test(arguments: CompileOptions.InstructionSet.present, [true, false])
  func compiledModelsMatchFixtures(_ set: CompileOptions.InstructionSet, winograd: Bool) throws {
    for testCase in try Fixture.load("layers").cases {
      let isTensorFlowResize =
        testCase.source.hasPrefix("keras") && ["resize", "upSampling"].contains(testCase.family)
      let fixture = try FixtureModel(testCase)
      let network = try fixture.model.compile(
        parameters: fixture.parameters,
        options: CompileOptions(
          disabledRewrites: winograd ? [] : ["winograd"], instructionSet: set))
      let usesWinograd = network.report.steps.contains { $0.kernel.hasPrefix("winograd") }
      #expect(winograd || !usesWinograd)
      let bound = usesWinograd ? Self.winogradL2 : Self.relativeL2
      #expect(network.instructionSet == set)
      let results = try network.predict(ordered: fixture.inputs, crops: fixture.crops)
      for name in fixture.outputNames {
        let expected = try #require(testCase.outputs[name])
        let actual = try #require(results.outputs[name])
        #expect(actual.shape.sizes == expected.sizes, "\(testCase.name)")
        expectClose(
          actual.values, expected.values,
          relativeL2: isTensorFlowResize ? Self.tensorFlowResizeL2 : bound,
          "\(testCase.name), \(set)")
      }
    }
  }

  @Test func unavailableInstructionSetsAreReported() {
    for set in CompileOptions.InstructionSet.absent { print("not tested, absent here: \(set)") }
    #expect(CompileOptions.InstructionSet.present.contains(.scalar))
  }
}
