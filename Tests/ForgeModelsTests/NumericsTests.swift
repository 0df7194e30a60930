import Forge
import ForgeModels
import ForgeTestSupport
import Testing

@Suite("Network outputs match Keras")
struct NumericsTests {
  @Test("Seeded parameters match the Python script", arguments: Network.all)
  func samples(_ network: Network) throws {
    let computation = try ModelFixture.load(network).small
    let specs = try parameterSpecs(of: network.model(computation.arguments))
    #expect(computation.samples.count >= 7)
    for sample in computation.samples {
      let spec = try #require(
        specs.first { $0.layer == sample.layer && $0.type.name == sample.type })
      let data = try #require(SeededParameters(gain: computation.gain).parameter(for: spec))
      try data.withUnsafeBytes { bytes in
        #expect(bytes.bindMemory(to: Float.self)[sample.index] == sample.value)
      }
    }
  }

  @Test("Small networks match Keras", arguments: Network.all)
  func small(_ network: Network) throws {
    try compare(network, with: try ModelFixture.load(network).small)
  }

  @Test(
    "Full-size networks match Keras",
    .enabled(
      if: ModelFixture.fullSizeFolder != nil,
      "FORGE_MODEL_REFERENCES names no folder; make_model_references.py --full writes one"),
    arguments: Network.all)
  func fullSize(_ network: Network) throws {
    let folder = try #require(ModelFixture.fullSizeFolder)
    let errors = try compare(network, with: try ModelFixture.fullSize(network, folder: folder))
    for (layer, error) in errors { print("\(network.name), \(layer): relative L2 \(error)") }
  }

  @Test("Other heads omit only the last layers", arguments: Network.classifiers)
  func heads(_ network: Network) throws {
    let computation = try ModelFixture.load(network).small
    let source = SeededParameters(gain: computation.gain)
    let arguments = computation.arguments
    let input = SeededParameters.pixels(count: arguments.size * arguments.size * 3)
    let predict = { (head: Model.Head) in
      try network.model(arguments.with(head: head)).compile(parameters: source).predict(input)
    }

    let logits = try predict(.logits).map(Double.init)
    let greatest = try #require(logits.max())
    let powers = logits.map { exponential($0 - greatest) }
    let sum = powers.reduce(0, +)
    let expected = try #require(computation.outputs["output"])
    expectClose(powers.map { Float($0 / sum) }, expected.values, relativeL2: 1e-5, "logits")

    let features = try #require(computation.outputs.first { $0.key != "output" })
    expectClose(try predict(.features), features.value.values, relativeL2: 1e-5, features.key)
  }

  /// Predicts and compares the output and the layer of features.
  @discardableResult
  private func compare(
    _ network: Network, with expected: ModelFixture.Computation
  ) throws -> [String: Double] {
    let model = network.model(expected.arguments)
    let features = expected.outputs.keys.filter { $0 != "output" }
    let compiled = try model.compile(
      parameters: SeededParameters(gain: expected.gain),
      options: CompileOptions(
        maximumBatch: 1, keep: network.name == "lenet" ? [] : features, checks: .finiteOutputs))
    let shape = try #require(compiled.inputShapes.first)
    let pixels = SeededParameters.pixels(count: try #require(shape.elementCount))
    let inputName = try #require(compiled.inputNames.first)
    let found = try compiled.predict([inputName: TensorValues(shape: shape, values: pixels)])

    var results = found.kept
    results["output"] = found.outputs[compiled.outputNames[0]]
    var errors: [String: Double] = [:]
    for (name, tensor) in results {
      let values = try #require(expected.outputs[name]).values
      expectClose(tensor.values, values, relativeL2: 1e-5, "\(network.name) \(name)")
      errors[name] = Closeness(tensor.values, values).relativeL2
    }
    return errors
  }
}
