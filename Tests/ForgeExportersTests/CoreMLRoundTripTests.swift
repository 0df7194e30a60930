import Forge
import ForgeExporters
import ForgeImporters
import ForgeModels
import ForgeTestSupport
import Foundation
import Testing

/// Models that are written as Core ML files and read back.
@Suite struct CoreMLRoundTripTests {
  /// The results of a model for seeded inputs, and those of the model that its file holds, in the
  /// order of the file.
  private func results(
    _ model: Model, options: CoreMLOptions = CoreMLOptions(), seed: UInt64 = 5
  ) throws -> (own: [Float], read: [Float], imported: ImportedModel) {
    let imported = try ImportedModel(coreML: try model.coreML(options: options), name: "net")
    let shape = try #require(model.inputs[0].shape)
    let values = seededValues(count: try #require(shape.elementCount), seed: seed)
    let own = try model.compile().predict(values)
    // The axes of the network that is read may be others: its file has those of the written one.
    let port = imported.inputs[0]
    let given = try port.forgeValues(Self.fileOrder(values, try #require(shape.sizes)))
    let read = try imported.model.compile().predict([port.name: given])
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

  /// Whether results are equal within some roundings.
  private static func areClose(_ own: [Float], _ read: [Float]) -> Bool {
    guard own.count == read.count else { return false }
    let largest = own.filter(\.isFinite).map(abs).max() ?? 0
    let bound = 1e-6 * max(largest, 0.1)
    return zip(own, read).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) || abs($0 - $1) <= bound }
  }

  private func seeded(_ model: Model) -> Model {
    var model = model
    model.parameters = RandomParameters(seed: 3)
    return model
  }

  private var lenet: Model {
    let input = Input(width: 28, height: 28, channels: 1, name: "image")
    return seeded(
      Model(
        input: input,
        output: input --> Convolution(kernel: 5, channels: 20, activation: .relu, name: "conv1")
          --> MaxPooling(2)
          --> Convolution(kernel: 5, channels: 50, activation: .relu, name: "conv2")
          --> MaxPooling(2) --> Dense(neurons: 320, activation: .relu, name: "fc1")
          --> Dense(neurons: 10, name: "fc2") --> Softmax(name: "digits")))
  }

  @Test func lenetIsAClassifier() throws {
    var model = lenet
    model.metadata.labels = (0..<10).map { "digit \"\($0)\"" }
    model.metadata.author = "Forge's tests"
    model.metadata.about = "Digits"
    model.metadata.license = "CC0"
    model.metadata.version = "3"
    model.metadata.values = ["key": "value\n"]
    let (own, read, imported) = try results(model)
    #expect(Self.areClose(own, read))
    #expect(imported.inputs[0].name == "image")
    #expect(imported.inputs[0].sizes == [1, 1, 28, 28])
    #expect(imported.outputs.map(\.name) == ["digits"])
    let metadata = imported.model.metadata
    #expect(metadata.labels == model.metadata.labels)
    #expect(metadata.author == "Forge's tests")
    #expect(metadata.about == "Digits")
    #expect(metadata.license == "CC0")
    #expect(metadata.version == "3")
    #expect(metadata.values == ["key": "value\n"])
    #expect(imported.model.parameterCount == model.parameterCount)
    // Labels that do not fit, or are no keys of a dictionary, are metadata.
    for labels in [["a", "b"], Array(repeating: "same", count: 10)] {
      model.metadata.labels = labels
      let imported = try ImportedModel(coreML: try model.coreML(), name: "net")
      #expect(imported.model.metadata.labels.isEmpty)
      #expect(imported.model.metadata.values["labels"]?.contains(labels[0]) == true)
    }
  }

  @Test func mobileNetIsClose() throws {
    let (own, read, imported) = try results(
      seeded(.mobileNetV1(alpha: 0.25, size: 96, classes: 11)))
    #expect(Self.areClose(own, read))
    // Nothing is transposed.
    #expect(!imported.model.layers.contains { $0.type == "Permute" })
  }

  @Test func picturesAreImages() throws {
    let input = Input(width: 9, height: 7, channels: 3, name: "photo")
    var model = seeded(
      Model(input: input, output: input --> Convolution(kernel: 3, channels: 4, name: "conv")))
    let pixels = seededValues(count: 9 * 7 * 3, seed: 8).map { (($0 + 1) * 127).rounded() }
    for scale in [[1 / 127.5], [0.01, 0.02, 0.03]] {
      for colors in [PicturePreparation.Colors.rgb, .bgr] {
        let bias = [-1.0, -0.5, 0.25]
        model.metadata.pictures["photo"] = PicturePreparation(
          colors: colors, scale: scale, bias: bias)
        let imported = try ImportedModel(coreML: try model.coreML(), name: "net")
        #expect(imported.model.metadata.pictures["photo"] != nil)
        // The picture's channels are red, green, blue; those of the network as stated.
        let prepared = pixels.indices.map { index -> Float in
          let (pixel, channel) = (index / 3, index % 3)
          let source = pixel * 3 + (colors == .rgb ? channel : 2 - channel)
          let factor = scale.count == 1 ? scale[0] : scale[channel]
          return Float(Double(pixels[source]) * factor + bias[channel])
        }
        let own = try model.compile().predict(prepared)
        let read = try imported.model.compile().predict(pixels)
        #expect(Self.areClose(own, read), "\(colors) \(scale)")
      }
    }
    // Without images, and for a size that the network does not have, the input is an array.
    let options = CoreMLOptions(hasImages: false)
    let array = try ImportedModel(coreML: try model.coreML(options: options), name: "net")
    #expect(array.model.metadata.pictures.isEmpty)
    model.metadata.pictures["photo"] = PicturePreparation(width: 8, height: 7)
    let other = try ImportedModel(coreML: try model.coreML(), name: "net")
    #expect(other.model.metadata.pictures.isEmpty)
  }

  @Test func encoderIsClose() throws {
    let input = Input(shape: [.upTo(12), 16], name: "tokens")
    let model = seeded(
      Model(
        input: input,
        output: input --> TransformerEncoder(heads: 4, hidden: 24).named("layer1")
          --> LayerNormalization(name: "norm")))
    let fixed = Input(shape: [7, 16], name: "tokens")
    let (own, read, _) = try results(seeded(model.replacing(input: "tokens", with: fixed)))
    #expect(Self.areClose(own, read))
    #expect(throws: ExportError.self) { try model.coreML() }
    let written = try model.coreML(options: CoreMLOptions(length: 7))
    #expect(try ImportedModel(coreML: written, name: "net").inputs[0].sizes == [7, 16])
  }

  @Test func recurrentLayersAreClose() throws {
    let input = Input(shape: [9, 5], name: "steps")
    // Those that Core ML has a layer for, and those that are written step by step.
    for (layer, hasLayer) in [
      (LSTM(units: 6, returnSequences: true, peepholes: true, name: "r") as any Layer, true),
      (LSTM(units: 6, isReversed: true, form: .pytorch, name: "r"), true),
      (LSTM(units: 6, activation: .relu, name: "r"), false),
      (GRU(units: 4, resetAfter: false, form: .onnx, name: "r"), true),
      (GRU(units: 4, returnSequences: true, name: "r"), false),
      (SimpleRNN(units: 3, name: "r"), true),
      (SimpleRNN(units: 3, activation: .relu, name: "r"), false),
      (Bidirectional(GRU(units: 4, returnSequences: true), name: "r"), false),
    ] {
      let output = Tensor.applying(layer, to: [input])
      let (own, read, imported) = try results(seeded(Model(input: input, output: output)))
      #expect(Self.areClose(own, read), "\(layer)")
      #expect(
        imported.model.layers.contains { $0.type.contains("Recurrent") } == hasLayer, "\(layer)")
    }
    let long = Input(shape: [600, 2], name: "steps")
    let model = seeded(Model(input: long, output: long --> GRU(units: 2, name: "r")))
    let error = #expect(throws: ExportError.self) { try model.coreML() }
    #expect(error?.problems[0].layer?.name == "r")
  }

  @Test func embeddingsTakeIntegers() throws {
    let ids = Input(shape: [6], name: "ids")
    let model = seeded(
      Model(
        input: ids,
        output: ids --> Embedding(vocabulary: 10, channels: 4, name: "words")
          --> GlobalAveragePooling1D(name: "mean")))
    let imported = try ImportedModel(coreML: try model.coreML(), name: "net")
    #expect(imported.inputs[0].elementType == .int32)
    let values: [Float] = [0, 3, 9, 9, 1, 4]
    let read = try imported.model.compile().predict(["ids": values])
    #expect(Self.areClose(try model.compile().predict(values), read["mean"]?.values ?? []))
  }

  @Test func halfWeightsAreTheNearest() throws {
    let model = lenet
    let (whole, half) = (
      try model.coreML(), try model.coreML(options: CoreMLOptions(weights: .float16))
    )
    #expect(half.count < whole.count * 11 / 20)
    let (own, read, _) = try results(model, options: CoreMLOptions(weights: .float16))
    #expect(zip(own, read).allSatisfy { abs($0 - $1) < 0.01 })
    #expect(!Self.areClose(own, read))
    let input = Input(width: 1, height: 1, channels: 2, name: "x")
    let output = input --> Dense(neurons: 1, name: "fc")
    var large = Model(input: input, output: output)
    large.parameters = ParameterDictionary(["fc": [.weights: [70_000, 1], .biases: [0]]])
    _ = try large.coreML()
    let error = #expect(throws: ExportError.self) {
      try large.coreML(options: CoreMLOptions(weights: .float16))
    }
    #expect(error?.problems[0].received == "70000.0")
  }

  @Test func cutModelsAreWritten() throws {
    let whole = seeded(.mobileNetV1(alpha: 0.25, size: 64, classes: 5))
    let model = try whole.cut(after: "conv_pw_3_relu").renaming(["input": "photo"])
    let (own, read, imported) = try results(model)
    #expect(Self.areClose(own, read))
    #expect(imported.inputs[0].name == "photo")
    #expect(imported.outputs[0].name == "conv_pw_3_relu")
  }

  /// Layers of these files have names such as `scale/2`, which are read back although a layer
  /// `scale` becomes two.
  @Test(arguments: ["activations", "defaults", "single_exact"])
  func likeNamesAreReadBack(file: String) throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../ForgeImportersTests/Fixtures/CoreML").standardized
    let path = fixtures.appending(path: "\(file).mlmodel").path
    let first = try ImportedModel(coreML: path).model
    let second = try ImportedModel(coreML: try first.coreML(), name: "net").model
    #expect(second.inputs.map(\.shape) == first.inputs.map(\.shape))
    let (one, other) = (try first.compile(), try second.compile())
    var named: [String: [Float]] = [:]
    for (name, input) in zip(one.inputNames, first.inputs) {
      named[name] = seededValues(count: try #require(input.shape?.elementCount), seed: 7)
    }
    let (own, read) = (try one.predict(named), try other.predict(named))
    for output in first.tensors where output.isOutput {
      let (a, b) = (own[output.name]?.values, read[output.name]?.values)
      #expect(Self.areClose(try #require(a), try #require(b)), "\(output.name)")
    }
  }
}
