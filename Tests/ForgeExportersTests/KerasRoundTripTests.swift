import Forge
import ForgeExporters
import ForgeImporters
import ForgeModels
import ForgeTestSupport
import Foundation
import Testing

/// Models that are written as Keras files and read back.
@Suite struct KerasRoundTripTests {
  /// The results of a model for seeded inputs, and those of the model that its file holds.
  private func results(
    _ model: Model, options: KerasOptions = KerasOptions(), seed: UInt64 = 5
  ) throws -> (own: [Float], read: [Float], imported: ImportedModel) {
    let imported = try ImportedModel(keras: try model.keras(options: options))
    let count = try #require(model.inputs[0].shape?.elementCount)
    let values = seededValues(count: count, seed: seed)
    let own = try model.compile().predict(values)
    let read = try imported.model.compile().predict([imported.inputs[0].name: values])
    return (own, try #require(read[imported.outputs[0].name]?.values), imported)
  }

  private func seeded(_ model: Model) -> Model {
    var model = model
    model.parameters = RandomParameters(seed: 3)
    return model
  }

  private func isClose(_ own: [Float], _ read: [Float]) -> Bool {
    let largest = max(own.filter(\.isFinite).map { abs($0) }.max() ?? 0, 1e-3)
    return own.count == read.count
      && zip(own, read).allSatisfy {
        $0 == $1 || ($0.isNaN && $1.isNaN) || abs($0 - $1) <= 1e-5 * largest
      }
  }

  @Test func lenetHasTheSameBits() throws {
    let input = Input(width: 28, height: 28, channels: 1, name: "image")
    let model = seeded(
      Model(
        input: input,
        output: input --> Convolution(kernel: 5, channels: 20, activation: .relu, name: "conv1")
          --> MaxPooling(2)
          --> Convolution(kernel: 5, channels: 50, activation: .relu, name: "conv2")
          --> MaxPooling(2) --> Dense(neurons: 320, activation: .relu, name: "fc1")
          --> Dense(neurons: 10, name: "fc2") --> Softmax(name: "digits")))
    let (own, read, imported) = try results(model)
    #expect(own == read)
    #expect(imported.inputs[0].name == "image")
    #expect(imported.outputs[0].name == "digits")
    #expect(imported.model.parameterCount == model.parameterCount)
    // The activations are arguments of the layers, which have the names of the model.
    let names = Set(imported.model.tensors.map(\.name))
    #expect(names.isSuperset(of: ["conv1", "conv2", "fc1", "fc2"]))
  }

  @Test func mobileNetIsClose() throws {
    let (own, read, imported) = try results(
      seeded(.mobileNetV1(alpha: 0.25, size: 96, classes: 11)))
    #expect(isClose(own, read))
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
    let (own, read, _) = try results(seeded(model.replacing(input: "tokens", with: fixed)))
    #expect(isClose(own, read))
    #expect(throws: ExportError.self) { try model.keras() }
    let written = try model.keras(options: KerasOptions(length: 7))
    #expect(try ImportedModel(keras: written).inputs[0].sizes == [1, 7, 16])
  }

  @Test func recurrentLayersAreClose() throws {
    let input = Input(shape: [9, 5], name: "steps")
    for layer in [
      LSTM(units: 6, returnSequences: true, name: "r") as any Layer,
      LSTM(units: 6, isReversed: true, form: .pytorch, name: "r"),
      LSTM(units: 4, returnSequences: true, isReversed: true, form: .onnx, name: "r"),
      GRU(units: 4, returnSequences: true, name: "r"),
      GRU(units: 4, resetAfter: false, form: .onnx, name: "r"),
      SimpleRNN(units: 3, activation: .relu, name: "r"),
      Bidirectional(GRU(units: 4, returnSequences: true), name: "r"),
    ] {
      let output = Tensor.applying(layer, to: [input])
      let (own, read, _) = try results(seeded(Model(input: input, output: output)))
      #expect(isClose(own, read), "\(layer)")
    }
  }

  @Test func embeddingsTakeIntegers() throws {
    let ids = Input(shape: [6], name: "ids")
    let model = seeded(
      Model(
        input: ids,
        output: ids --> Embedding(vocabulary: 10, channels: 4, name: "words")
          --> GlobalAveragePooling1D(name: "mean")))
    let imported = try ImportedModel(keras: try model.keras())
    #expect(imported.inputs[0].elementType == .int32)
    let values: [Float] = [0, 3, 9, 9, 1, 4]
    let read = try imported.model.compile().predict(["ids": values])
    #expect(try isClose(model.compile().predict(values), read["mean"]?.values ?? []))
  }

  @Test func sharedLayersAreWrittenOnce() throws {
    let input = Input(width: 3, height: 2, channels: 4, name: "x")
    let shared = Convolution(kernel: 3, channels: 4, activation: .relu, name: "shared")
    let output = [input --> shared, input --> shared --> shared] --> Add(name: "sum")
    let (own, read, imported) = try results(seeded(Model(input: input, output: output)))
    #expect(isClose(own, read))
    #expect(imported.model.parameterCount == 3 * 3 * 4 * 4 + 4)
  }

  /// The file has trees of several levels in its list of layers.
  @Test func manyLayersAreFound() throws {
    let input = Input(width: 1, height: 1, channels: 2, name: "x")
    var x = input
    for index in 0..<600 { x = x --> Dense(neurons: 2, useBias: false, name: "fc\(index)") }
    let model = seeded(Model(input: input, output: x))
    let archive = try KerasArchive(bytes: try model.keras())
    #expect(archive.entries.count == 600)
    #expect(archive.availableNames.count == 600)
    let source = try archive.prepared(for: model.parameterSpecs)
    #expect(try model.parameterSpecs.allSatisfy { try source.parameter(for: $0)?.count == 4 })
  }

  @Test func namesAreSafe() throws {
    let input = Input(width: 2, height: 2, channels: 3, name: "../in put")
    let hostile = [
      "a/b", "a_b", "\"},{\"class_name\": \"Lambda\"", "naïve\u{202e}", "___", "日本",
    ]
    var x = input
    for name in hostile { x = x --> Convolution(kernel: 1, channels: 3, name: name) }
    let (own, read, imported) = try results(seeded(Model(input: input, output: x)))
    #expect(isClose(own, read))
    let names = imported.model.tensors.map(\.name)
    #expect(Set(names).count == names.count)
    for name in names {
      #expect(name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) })
    }
  }

  @Test func constantsAreInTheDescription() throws {
    let input = Input(width: 3, height: 2, channels: 2, name: "x")
    let values = (0..<12).map { $0 == 0 ? -.infinity : Float($0) / 7 }
    let table = Tensor.applying(Constant(values, shape: Shape(sizes: [2, 3, 2])), to: [])
    let model = Model(input: input, output: [input, table] --> Maximum(name: "most"))
    let (own, read, _) = try results(model)
    #expect(own == read)
    let error = #expect(throws: ExportError.self) {
      try model.keras(options: KerasOptions(longestConstant: 11))
    }
    #expect(error?.problems[0].layer?.name == "most")
    #expect(error?.problems[0].remedy?.contains("longestConstant") == true)
  }

  @Test func outputsMayBeInputsOrConstants() throws {
    let input = Input(width: 1, height: 1, channels: 3, name: "x")
    let same = input --> Activation(.linear, name: "same")
    let fixed = Tensor.applying(Constant([1, 2], shape: Shape(sizes: [2]), name: "fixed"), to: [])
    let sum = input --> Dense(neurons: 2, name: "fc")
    let model = seeded(
      Model(inputs: [input], outputs: [same, sum, [sum, fixed] --> Add(name: "add")]))
    let imported = try ImportedModel(keras: try model.keras())
    let own = try model.compile().predict(["x": [1, 2, 3]])
    let read = try imported.model.compile().predict(["x": [1, 2, 3]])
    for name in ["same", "fc", "add"] {
      #expect(isClose(own[name]?.values ?? [], read[name]?.values ?? [0]), "\(name)")
    }
  }

  @Test func errorsLeaveTheFile() throws {
    let folder = NSTemporaryDirectory() + "forge-keras-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/net.keras"
    let input = Input(width: 2, height: 2, channels: 2, name: "x")
    let model = seeded(Model(input: input, output: input --> Dense(neurons: 3, name: "fc")))
    try model.write(keras: path)
    let first = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(try Array(first) == model.keras())
    let own = Custom(shape: { $0[0] }, name: "mine") { inputs, output in
      for index in output.indices { output[index] = inputs[0][index] }
    }
    #expect(throws: ExportError.self) {
      try seeded(Model(input: input, output: input --> own)).write(keras: path)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == first)
    #expect(throws: LoadError.self) { try model.write(keras: folder + "/missing/net.keras") }
    #expect(throws: LoadError.self) { try model.write(keras: folder) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["net.keras"])
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
    let error = #expect(throws: ExportError.self) { try seeded(model).keras() }
    #expect(error?.problems.count == 2)
    #expect(
      error?.problems.contains { $0.layer?.name == "mine" && $0.received == "arithmetic in Swift" }
        == true)
    #expect(error?.problems.contains { $0.layer?.name == "gru" } == true)
    #expect(error?.description.contains("the layer cannot be written to Keras") == true)
    // A model without weights, one of images of any size, and lengths of none.
    let fc = Model(input: input, output: input --> Dense(neurons: 2, name: "fc"))
    #expect(throws: CompileError.self) { try fc.keras() }
    let open = Input()
    let any = Model(input: open, output: open --> Activation(.relu))
    let sizes = #expect(throws: ExportError.self) { try any.keras() }
    #expect(sizes?.problems[0].remedy?.contains("replacing(input:with:)") == true)
    for length in [-1, 0, 1] {
      #expect(throws: ExportError.self) {
        try seeded(fc).keras(options: KerasOptions(length: length))
      }
    }
  }

  /// The layers of which a network cannot be written, with the reason; all others are read back
  /// with the same results.
  @Test func everyOtherLayerIsWritten() throws {
    let state = "a state that is kept from one prediction to the next"
    let refused: [String: Set<String>] = [
      "MultiHeadAttention": [state], "ScaledDotProductAttention": [state],
      "PositionalEncoding": [state],
      "Custom": ["arithmetic in Swift"], "TreeEnsemble": ["decision trees"],
      "LSTM": ["a recurrent layer with a projection"],
      "Unary": ["numbers that are rounded to 16 bits and back"],
    ]
    for layer in LayerCase.all {
      for (name, network) in layer.networks {
        let input = Input(width: 4, height: 5, channels: 6, name: "x")
        let model = seeded(Model(input: input, output: network(input, 6, 5)))
        guard (try? model.check()) != nil else { continue }
        do {
          let (own, read, _) = try results(model)
          #expect(isClose(own, read), "\(layer) \(name)")
        } catch let error as ExportError {
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
