import Forge
import ForgeExporters
import ForgeImporters
import ForgeModels
import ForgeTestSupport
import Foundation
import Testing

/// Models that are written as ONNX files and read back.
@Suite struct ONNXRoundTripTests {
  /// The results of a model for seeded inputs, and those of the model that its file holds, in the
  /// order of the file.
  private func results(
    _ model: Model, options: ONNXOptions = ONNXOptions(), seed: UInt64 = 5
  ) throws -> (own: [Float], read: [Float], imported: ImportedModel) {
    let imported = try ImportedModel(onnx: try model.onnx(options: options))
    let shape = try #require(model.inputs[0].shape)
    let values = seededValues(count: try #require(shape.elementCount), seed: seed)
    let own = try model.compile().predict(values)
    // The axes of the network that is read may be others: its file has those of the written one.
    let port = imported.inputs[0]
    let file = Self.fileOrder(values, try #require(shape.sizes))
    let given = try port.forgeValues(file)
    let network = try imported.model.compile()
    let read = try network.predict([port.name: given])
    let output = imported.outputs[0]
    let result = try #require(read[output.name]?.values)
    let made = try #require(model.outputs[0].shape?.sizes)
    return (Self.fileOrder(own, made), try output.fileValues(result), imported)
  }

  /// An image with its channels first.
  private static func fileOrder(_ values: [Float], _ sizes: [Int]) -> [Float] {
    guard sizes.count == 3 else { return values }
    let (pixels, channels) = (sizes[0] * sizes[1], sizes[2])
    return (0..<channels).flatMap { channel in
      (0..<pixels).map { values[$0 * channels + channel] }
    }
  }

  private func seeded(_ model: Model) -> Model {
    var model = model
    model.parameters = RandomParameters(seed: 3)
    return model
  }

  @Test func lenetHasTheSameBits() throws {
    let input = Input(width: 28, height: 28, channels: 1, name: "image")
    var model = seeded(
      Model(
        input: input,
        output: input --> Convolution(kernel: 5, channels: 20, activation: .relu, name: "conv1")
          --> MaxPooling(2)
          --> Convolution(kernel: 5, channels: 50, activation: .relu, name: "conv2")
          --> MaxPooling(2) --> Dense(neurons: 320, activation: .relu, name: "fc1")
          --> Dense(neurons: 10, name: "fc2") --> Softmax(name: "digits")))
    model.metadata.labels = (0..<10).map { "digit \"\($0)\"" }
    model.metadata.author = "Forge's tests"
    let (own, read, imported) = try results(model)
    #expect(own == read)
    #expect(imported.inputs[0].name == "image")
    #expect(imported.outputs[0].name == "digits")
    #expect(imported.model.metadata.labels == model.metadata.labels)
    #expect(imported.model.metadata.author == "Forge's tests")
    #expect(imported.model.parameterCount == model.parameterCount)
  }

  @Test func mobileNetHasTheSameBits() throws {
    let (own, read, imported) = try results(
      seeded(.mobileNetV1(alpha: 0.25, size: 96, classes: 11)))
    #expect(own == read)
    // Nothing is transposed.
    #expect(!imported.model.layers.contains { $0.type == "Permute" })
  }

  @Test func encoderIsClose() throws {
    let input = Input(shape: [.upTo(12), 16], name: "tokens")
    let model = seeded(
      Model(
        input: input,
        output: input --> TransformerEncoder(heads: 4, hidden: 24).named("layer1")
          --> LayerNormalization(name: "norm")))
    let fixed = Input(shape: [7, 16], name: "tokens")
    let same = try seeded(model.replacing(input: "tokens", with: fixed))
    let (own, read, _) = try results(same)
    #expect(zip(own, read).allSatisfy { abs($0 - $1) < 1e-5 })
    #expect(throws: ExportError.self) { try model.onnx() }
    let written = try model.onnx(options: ONNXOptions(length: 7))
    #expect(try ImportedModel(onnx: written).inputs[0].sizes == [1, 7, 16])
  }

  @Test func recurrentLayersAreClose() throws {
    let input = Input(shape: [9, 5], name: "steps")
    for layer in [
      LSTM(units: 6, returnSequences: true, peepholes: true, name: "r") as any Layer,
      LSTM(units: 6, isReversed: true, form: .pytorch, name: "r"),
      GRU(units: 4, returnSequences: true, name: "r"),
      GRU(units: 4, resetAfter: false, form: .onnx, name: "r"),
      SimpleRNN(units: 3, activation: .relu, name: "r"),
      Bidirectional(GRU(units: 4, returnSequences: true), name: "r"),
    ] {
      let output = Tensor.applying(layer, to: [input])
      let (own, read, _) = try results(seeded(Model(input: input, output: output)))
      #expect(zip(own, read).allSatisfy { abs($0 - $1) < 1e-5 }, "\(layer)")
    }
  }

  @Test func embeddingsTakeIntegers() throws {
    let ids = Input(shape: [6], name: "ids")
    let model = seeded(
      Model(
        input: ids,
        output: ids --> Embedding(vocabulary: 10, channels: 4, name: "words")
          --> GlobalAveragePooling1D(name: "mean")))
    let imported = try ImportedModel(onnx: try model.onnx())
    #expect(imported.inputs[0].elementType == .int64)
    let values: [Float] = [0, 3, 9, 9, 1, 4]
    let read = try imported.model.compile().predict(["ids": values])
    #expect(try read["mean"]?.values == model.compile().predict(values))
  }

  @Test func largeConstantsAreBeside() throws {
    let folder = NSTemporaryDirectory() + "forge-onnx-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let input = Input(width: 7, height: 5, channels: 3, name: "x")
    let model = seeded(
      Model(
        input: input,
        output: input --> Convolution(kernel: 3, channels: 40, name: "conv")
          --> Dense(neurons: 30, name: "fc")))
    try model.write(onnx: folder + "/net.onnx", options: ONNXOptions(inlineBytes: 1000))
    let size = try FileManager.default.attributesOfItem(atPath: folder + "/net.onnx.data")[.size]
    // The biases of 160 and 120 bytes stay in the file.
    #expect(size as? Int == (3 * 3 * 3 * 40 + 7 * 5 * 40 * 30) * 4)
    let read = try ModelFile(folder + "/net.onnx").imported()
    let inline = try ImportedModel(onnx: try model.onnx())
    let values = ["x": seededValues(count: 105, seed: 1)]
    #expect(
      try read.model.compile().predict(values)["fc"]
        == inline.model.compile().predict(values)["fc"])
  }

  @Test func cutModelsAreWritten() throws {
    let whole = seeded(.mobileNetV1(alpha: 0.25, size: 64, classes: 5))
    let model = try whole.cut(after: "conv_pw_3_relu").renaming(["input": "photo"])
    let (own, read, imported) = try results(model)
    #expect(own == read)
    #expect(imported.inputs[0].name == "photo")
    #expect(imported.outputs[0].name == "conv_pw_3_relu")
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
    let error = #expect(throws: ExportError.self) { try seeded(model).onnx() }
    #expect(error?.problems.count == 2)
    #expect(
      error?.problems.contains { $0.layer?.name == "mine" && $0.received == "arithmetic in Swift" }
        == true)
    #expect(error?.problems.contains { $0.layer?.name == "gru" } == true)
    #expect(error?.description.contains("the layer cannot be written to ONNX") == true)
    // A model without weights, and one of images of any size.
    let fc = Model(input: input, output: input --> Dense(neurons: 2, name: "fc"))
    #expect(throws: CompileError.self) { try fc.onnx() }
    let open = Input()
    let any = Model(input: open, output: open --> Activation(.relu))
    let sizes = #expect(throws: ExportError.self) { try any.onnx() }
    #expect(sizes?.problems[0].remedy?.contains("replacing(input:with:)") == true)
    for batch in [0, -1] {
      #expect(throws: ExportError.self) {
        try seeded(fc).onnx(options: ONNXOptions(batch: .exactly(batch)))
      }
    }
    for length in [-1, 0, 1] {
      #expect(throws: ExportError.self) {
        try seeded(fc).onnx(options: ONNXOptions(length: length))
      }
    }
  }

  /// The layers of which no network can be written, with the reason.
  @Test func everyOtherLayerIsWritten() throws {
    let state = "a state that is kept from one prediction to the next"
    let refused: [String: Set<String>] = [
      "MultiHeadAttention": [state], "ScaledDotProductAttention": [state],
      "PositionalEncoding": [state],
      "Custom": ["arithmetic in Swift"], "TreeEnsemble": ["decision trees"],
      "NonMaximumSuppression": ["the selection of boxes"],
      "LSTM": ["a recurrent layer with a mask", "a recurrent layer with a projection"],
      "Bidirectional": ["a recurrent layer with a mask"],
    ]
    for layer in LayerCase.all {
      for (name, network) in layer.networks {
        let input = Input(width: 4, height: 5, channels: 6, name: "x")
        let model = seeded(Model(input: input, output: network(input, 6, 5)))
        guard (try? model.check()) != nil else { continue }
        do { _ = try model.onnx() } catch let error as ExportError {
          for problem in error.problems {
            #expect(
              refused[layer.description]?.contains(problem.received ?? "") == true,
              "\(layer) \(name): \(problem)")
          }
        }
      }
    }
  }
}
