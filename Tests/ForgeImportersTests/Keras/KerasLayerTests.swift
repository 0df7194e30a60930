import Forge
import ForgeImporters
import ForgeTestSupport
import Testing

/// Layers with weights, cells and wrappers of Keras 3 against what Keras predicts;
/// Scripts/references/make_keras_layers.py made them.
@Suite struct KerasLayerTests {
  struct Case: Decodable, Sendable {
    let name: String
    let forms: [String]
    let inputs: [String]
    let outputs: Int
  }

  static let cases = (try? ImporterFixtures.load("KerasLayers/list.json", as: [Case].self)) ?? []
  static let files = cases.flatMap { known in known.forms.map { "\(known.name).\($0)" } }

  /// What builds the own layers of the fixture.
  static let builders: [String: ImportOptions.KerasLayerBuilder] = [
    "Own>Swish": { layer in
      let beta = layer.config["beta"]?.number ?? 1
      let gain = try layer.weights[0].values()
      let curve = layer.inputs[0] --> Unary(.swish(beta: beta))
      return [.init(curve --> Multiply(constant: gain, name: layer.outputName))]
    },
    "Lambda": { layer in
      [.init(layer.inputs[0] --> Scale(2, bias: 1, name: layer.outputName))]
    },
    "Pooled": { layer in
      let p = layer.config["p"]?.number ?? 3
      let mean =
        layer.inputs[0] --> Maximum(constant: [1e-6]) --> Power(of: [p])
        --> GlobalAveragePooling() --> Power(of: [1 / p])
      return [.init(mean --> Dense(neurons: 5, name: layer.name + "/mix"), axes: 1)]
    },
  ]

  static func options() -> ImportOptions {
    var options = ImportOptions()
    options.kerasLayers = builders
    return options
  }

  @Test func thereAreCases() { #expect(Self.files.count > 40) }

  @Test(arguments: files)
  func equalsKeras(_ file: String) throws {
    let parts = file.split(separator: ".").map(String.init)
    let expected = try #require(Self.cases.first { $0.name == parts[0] })
    let path = ImporterFixtures.path("KerasLayers/\(file)")
    let imported = try ImportedModel(keras: path, options: Self.options())
    let network = try imported.model.compile(options: .init(threads: .exactly(1)))
    try KerasSamples.check(
      network, "KerasLayers", expected.name, inputs: expected.inputs, outputs: expected.outputs)
    // From the bytes of the file, the same network.
    let bytes = try ImporterFixtures.bytes("KerasLayers/\(file)")
    let inMemory = try ImportedModel(keras: bytes, options: Self.options())
    #expect(inMemory.inputs == imported.inputs)
    #expect(inMemory.outputs == imported.outputs)
    try KerasSamples.check(
      try inMemory.model.compile(options: .init(threads: .exactly(1))), "KerasLayers",
      expected.name, inputs: expected.inputs, outputs: expected.outputs)
  }

  @Test func ownLayersWithoutCode() throws {
    let path = ImporterFixtures.path("KerasLayers/own_layers.keras")
    let error = #expect(throws: ImportError.self) { _ = try ImportedModel(keras: path) }
    #expect(error?.kind == .unsupported)
    for name in ["Swish", "Lambda", "Pooled"] {
      #expect(error?.received?.contains(name) == true, "\(String(describing: error))")
    }
  }

  /// What the code throws, and tensors that it cannot make, end the import.
  @Test func failuresOfTheCode() throws {
    struct Failure: Error {}
    let path = ImporterFixtures.path("KerasLayers/own_layers.keras")
    func error(_ builder: @escaping ImportOptions.KerasLayerBuilder) -> ImportError? {
      var options = Self.options()
      options.kerasLayers["Lambda"] = builder
      return #expect(throws: ImportError.self) {
        _ = try ImportedModel(keras: path, options: options)
      }
    }
    let thrown = error { _ in throw Failure() }
    #expect(thrown?.kind == .invalidNode)
    #expect(thrown?.headline == "the code that builds the layer failed")
    #expect(thrown?.entry == #"layer "twice" (Lambda)"#)
    let shape = error { [.init($0.inputs[0] --> Reshape(to: [5, 5]))] }
    #expect(shape?.kind == .invalidNode)
    let axes = error { [.init($0.inputs[0], axes: 2)] }
    #expect(axes?.headline == "the code that builds the layer states a different number of axes")
    let none = error { _ in [] }
    #expect(none?.kind == .malformed)
  }

  @Test func bytesThatAreNoFile() {
    for bytes in [[], Array("PK".utf8), Array("not a model".utf8)] as [[UInt8]] {
      let error = #expect(throws: ImportError.self) { _ = try ImportedModel(keras: bytes) }
      #expect(error?.kind == .malformed, "\(String(describing: error))")
    }
    var options = ImportOptions()
    options.limits.fileBytes = 3
    let error = #expect(throws: ImportError.self) {
      _ = try ImportedModel(keras: [1, 2, 3, 4], options: options)
    }
    #expect(error?.kind == .tooLarge)
  }
}
