import Forge
import ForgeExporters
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Names, refusals and errors of models that are written as Core ML files.
@Suite struct CoreMLExportTests {
  private func seeded(_ model: Model) -> Model {
    var model = model
    model.parameters = RandomParameters(seed: 3)
    return model
  }

  @Test func namesAreKept() throws {
    let names = ["classLabel", "a/b", "\"quoted\"", "späte\u{202E}r", "a\\b", "number_1.0"]
    for name in names {
      let input = Input(width: 3, height: 2, channels: 2, name: "\(name) in")
      let same = input --> Activation(.relu, name: "\(name) relu")
      var model = seeded(
        Model(inputs: [input], outputs: [same, input, same --> Dense(neurons: 2, name: name)]))
      model.metadata.labels = ["yes\u{0}", "no"]
      let imported = try ImportedModel(coreML: try model.coreML(), name: "net")
      #expect(imported.inputs.map(\.name) == ["\(name) in"])
      // An input that is an output, too, has another name there.
      #expect(imported.outputs.map(\.name) == ["\(name) relu", "\(name) in_2", name])
      #expect(imported.model.metadata.labels == model.metadata.labels)
      let values = seededValues(count: 12, seed: 4)
      let port = imported.inputs[0]
      let own = try model.compile().predict(["\(name) in": values])
      let file = (0..<2).flatMap { channel in (0..<6).map { values[$0 * 2 + channel] } }
      let read = try imported.model.compile().predict([port.name: port.forgeValues(file)])
      let (a, b) = (own[name]?.values ?? [], read[name]?.values ?? [])
      #expect(a.count == 2 && zip(a, b).allSatisfy { abs($0 - $1) < 1e-6 })
    }
  }

  @Test func refusedLayersAreNamed() throws {
    let input = Input(width: 4, height: 3, channels: 2, name: "x")
    let own = Custom(shape: { $0[0] }, name: "mine") { inputs, output in
      for index in output.indices { output[index] = inputs[0][index] }
    }
    let model = Model(
      input: input,
      output: input --> own --> Activation(.relu) --> Reshape(to: [4, 6])
        --> GRU(units: 3, stateful: true, name: "gru"))
    let error = #expect(throws: ExportError.self) { try seeded(model).coreML() }
    #expect(error?.problems.count == 2)
    #expect(
      error?.problems.contains { $0.layer?.name == "mine" && $0.received == "arithmetic in Swift" }
        == true)
    #expect(error?.problems.contains { $0.layer?.name == "gru" } == true)
    #expect(error?.description.contains("the layer cannot be written to Core ML") == true)
    // A model without weights, and one of images of any size.
    let fc = Model(input: input, output: input --> Dense(neurons: 2, name: "fc"))
    #expect(throws: CompileError.self) { try fc.coreML() }
    let open = Input()
    let any = Model(input: open, output: open --> Activation(.relu))
    let sizes = #expect(throws: ExportError.self) { try any.coreML() }
    #expect(sizes?.problems[0].remedy?.contains("replacing(input:with:)") == true)
    for length in [-1, 0, 1] {
      #expect(throws: ExportError.self) {
        try seeded(fc).coreML(options: CoreMLOptions(length: length))
      }
    }
    // Tensors of more axes than Core ML has.
    let six = Input(shape: [1, 2, 1, 2, 1, 2], name: "six")
    let deep = Model(input: six, output: six --> Activation(.relu, name: "relu"))
    let axes = #expect(throws: ExportError.self) { try deep.coreML() }
    #expect(axes?.problems[0].received == "a tensor of 6 axes")
  }

  @Test func errorsLeaveTheFile() throws {
    let folder = NSTemporaryDirectory() + "forge-coreml-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/net.mlmodel"
    let input = Input(width: 2, height: 2, channels: 1, name: "x")
    var model = Model(input: input, output: input --> Dense(neurons: 1, name: "fc"))
    model.parameters = ParameterDictionary([
      "fc": [.weights: [1, 2, 3, 70_000], .biases: [0]]
    ])
    try model.write(coreML: path)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(before == Data(try model.coreML()))
    #expect(throws: ExportError.self) {
      try model.write(coreML: path, options: CoreMLOptions(weights: .float16))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["net.mlmodel"])
    #expect(throws: (any Error).self) { try model.write(coreML: folder + "/none/net.mlmodel") }
    let read = try ModelFile(path).imported().model.compile().predict([1, 1, 1, 0])
    #expect(read == [6])
  }

  /// The layers of which no network can be written, with the reason.
  private static let refused: [String: Set<String>] = [
    "MultiHeadAttention": ["a state that is kept from one prediction to the next"],
    "ScaledDotProductAttention": ["a state that is kept from one prediction to the next"],
    "PositionalEncoding": ["a state that is kept from one prediction to the next"],
    "Custom": ["arithmetic in Swift"], "TreeEnsemble": ["decision trees"],
    "NonMaximumSuppression": ["the selection of boxes"],
    "Unary": ["a rounding to numbers of 16 bits"],
    "ScatterElements": ["updates of a part of a tensor"],
  ]

  @Test func everyOtherLayerIsReadBack() throws {
    for layer in LayerCase.all {
      for (name, network) in layer.networks {
        for (width, height, channels) in [(5, 4, 6), (1, 1, 6)] {
          let title = "\(layer) \(name) \(width)×\(height)×\(channels)"
          let input = Input(width: width, height: height, channels: channels, name: "x")
          let output = Tensor.applying(
            Activation(.linear, name: "y"), to: [network(input, channels, 5)])
          let model = seeded(Model(input: input, output: output))
          guard (try? model.check()) != nil else { continue }
          do { try compare(model, title) } catch let error as ExportError {
            for problem in error.problems {
              #expect(
                Self.refused[layer.description]?.contains(problem.received ?? "") == true,
                "\(title): \(problem)")
            }
          }
        }
      }
    }
  }

  /// Compares a model with its file.
  private func compare(_ model: Model, _ title: String) throws {
    let imported = try ImportedModel(coreML: try model.coreML(), name: "net")
    let sizes = try #require(model.inputs[0].shape?.sizes)
    let values = seededValues(count: sizes.reduce(1, *), seed: 3)
    var given: [String: TensorValues] = [:]
    // An input that does not matter is not one of the model that is read.
    for port in imported.inputs {
      given[port.name] = try port.forgeValues(Self.fileOrder(values, sizes))
    }
    let port = imported.outputs[0]
    let read = try imported.model.compile().predict(given)[port.name]?.values ?? []
    let made = try #require(model.outputs[0].shape?.sizes)
    let own = Self.fileOrder(try model.compile().predict(values), made)
    let file = try port.fileValues(read)
    let bound = 1e-6 * max(own.filter(\.isFinite).map(abs).max() ?? 0, 0.1)
    #expect(
      own.count == file.count
        && zip(own, file).allSatisfy {
          $0 == $1 || ($0.isNaN && $1.isNaN) || abs($0 - $1) <= bound
        }, "\(title)")
  }

  private static func fileOrder(_ values: [Float], _ sizes: [Int]) -> [Float] {
    guard sizes.count == 3 else { return values }
    let (pixels, channels) = (sizes[0] * sizes[1], sizes[2])
    return (0..<channels).flatMap { channel in
      (0..<pixels).map { values[$0 * channels + channel] }
    }
  }
}
