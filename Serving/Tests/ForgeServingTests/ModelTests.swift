import Forge
import ForgeServing
import Foundation
import Testing

/// Numbers of ONNX Runtime for the models of the fixtures: Serving/Scripts/make_models.py.
struct Expected: Decodable {
  struct Tensor: Decodable {
    let shape: [Int]
    let data: [Float]
  }

  let inputs: [String: Tensor]
  let outputs: [String: Tensor]

  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures")

  static func all() throws -> [String: Expected] {
    let data = try Data(contentsOf: folder.appending(path: "expected.json"))
    return try JSONDecoder().decode([String: Expected].self, from: data)
  }

  /// The inputs as a request.
  var request: InferenceRequest {
    InferenceRequest(
      inputs: inputs.map { name, tensor in
        TensorData(
          name: name, datatype: .float32, shape: tensor.shape,
          content: tensor.data.withUnsafeBytes { Array($0) }[...])
      }, isBinaryOutput: true)
  }

  /// The path of a model.
  static func path(_ model: String) -> String {
    let name = model.contains("/") ? "\(model)/model.onnx" : "\(model).onnx"
    return folder.appending(path: "models/\(name)").path
  }
}

extension TensorData {
  var floats: [Float] {
    content.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map {
        bytes.loadUnaligned(fromByteOffset: $0, as: Float.self)
      }
    }
  }
}

@Suite struct ModelTests {
  private func model(
    _ name: String, _ configuration: String = "", _ options: ModelOptions = ModelOptions()
  ) throws -> ServedModel {
    try ServedModel(
      "m", version: 1, path: Expected.path(name),
      configuration: try ModelConfiguration(configuration), options: options)
  }

  @Test(arguments: ["mlp/1", "mlp/3", "picture", "pair"])
  func numbersOfONNXRuntime(_ name: String) async throws {
    let expected = try #require(try Expected.all()[name])
    let model = try model(name)
    let response = try await model.infer(expected.request, limit: .seconds(60))
    #expect(Set(response.outputs.map(\.name)) == Set(expected.outputs.keys))
    for output in response.outputs {
      let wanted = try #require(expected.outputs[output.name])
      #expect(output.shape == wanted.shape)
      #expect(output.datatype == .float32)
      let difference = zip(output.floats, wanted.data).map { abs($0 - $1) }.max() ?? .infinity
      #expect(output.floats.count == wanted.data.count && difference <= 2e-6)
    }
    #expect(model.statistics.current.success.count == 1)
    #expect(
      model.statistics.current.examples == expected.request.inputs[0].shape[0] || name == "pair")
    #expect(model.statistics.pending == 0)
  }

  @Test func portsOfTheMetadata() throws {
    let model = try model("picture")
    #expect(model.inputs.map(\.name) == ["image"])
    #expect(model.inputs[0].shape == [-1, 3, 5, 7])
    #expect(model.outputs.map(\.name) == ["features", "mean"])
    #expect(model.outputs.map(\.shape) == [[-1, 5, 7, 2], [-1, 2, 1, 1]])
    #expect(model.configuredBatch == 64)
    let pair = try self.model("pair")
    #expect(pair.inputs.map(\.shape) == [[2, 3], [2, 5]])
    #expect(pair.configuredBatch == 0)
  }

  /// Rows of a batch have the bits that they have by themselves, however they were run.
  @Test(arguments: ["dynamic_batching { preferred_batch_size: [ 4 ] }", ""])
  func batchesChangeNoBit(_ configuration: String) async throws {
    let expected = try #require(try Expected.all()["mlp/1"])
    var options = ModelOptions()
    options.measuresBatches = false
    let model = try model("mlp/1", configuration, options)
    #expect((model.batched?.batch ?? 1) == (configuration.isEmpty ? 1 : 4))
    let whole = try await model.infer(expected.request, limit: .seconds(60)).outputs[0]
    let input = expected.request.inputs[0]
    for row in 0..<input.shape[0] {
      let start = input.content.startIndex + row * 28
      let request = InferenceRequest(
        inputs: [
          TensorData(
            name: "x", datatype: .float32, shape: [1, 7], content: input.content[start..<start + 28]
          )
        ])
      let part = try await model.infer(request, limit: .seconds(60)).outputs[0]
      #expect(Array(part.content) == Array(whole.content.dropFirst(row * 12).prefix(12)))
    }
  }

  @Test(arguments: [
    (Datatype.bool, [1, 0, 1] as [UInt8]), (.uint8, [0, 1, 255]), (.int8, [128, 0, 127]),
    (.int32, [255, 255, 255, 255, 0, 0, 0, 0, 7, 0, 0, 0]),
    (
      .int64,
      [
        255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 0, 0, 0, 0,
        0,
      ]
    ),
    (.float16, [0, 60, 255, 123, 1, 128]), (.bfloat16, [128, 63, 127, 127, 160, 192]),
    (.float32, [0, 0, 192, 127, 1, 0, 0, 0, 0, 0, 128, 255]),
  ])
  func everyDatatype(_ datatype: Datatype, _ bytes: [UInt8]) async throws {
    let model = try model("same_\(datatype.rawValue)")
    #expect(model.inputs[0].datatype == datatype)
    let request = InferenceRequest(
      inputs: [TensorData(name: "x", datatype: datatype, shape: [1, 3], content: bytes[...])])
    let output = try await model.infer(request, limit: .seconds(60)).outputs[0]
    #expect(output.datatype == datatype)
    #expect(output.shape == [1, 3])
    #expect(Array(output.content) == bytes)
  }

  @Test func refusals() async throws {
    let model = try model("mlp/1", "max_batch_size: 4")
    func error(_ inputs: [(String, Datatype, [Int], Int)], output: String? = nil) async -> String {
      var request = InferenceRequest(
        inputs: inputs.map { name, type, shape, bytes in
          TensorData(
            name: name, datatype: type, shape: shape,
            content: Array(repeating: 0, count: bytes)[...])
        })
      if let output { request.outputs = [InferenceRequest.Output(name: output)] }
      do {
        _ = try await model.infer(request, limit: .seconds(60))
        return ""
      } catch {
        #expect(error.kind == .invalid)
        return error.message
      }
    }
    let good = ("x", Datatype.float32, [1, 7], 28)
    #expect(await error([good]) == "")
    #expect(await error([]).contains("the input \"x\" is missing: [-1, 7] of FP32"))
    #expect(await error([good, good]).contains("twice"))
    #expect(await error([("z", .float32, [1, 7], 28)]).contains("no input \"z\"; it has \"x\""))
    #expect(await error([("x", .float64, [1, 7], 56)]).contains("the model takes FP32"))
    #expect(await error([("x", .float32, [7], 28)]).contains("the model takes [-1, 7]"))
    #expect(await error([("x", .float32, [0, 7], 0)]).contains("the model takes [-1, 7]"))
    #expect(await error([("x", .float32, [1, 7], 27)]).contains("27 bytes"))
    #expect(await error([("x", .float32, [5, 7], 140)]).contains("takes 4 at once"))
    #expect(await error([good], output: "z").contains("no output \"z\"; it has \"y\""))
    let wide = try self.model("same_INT64")
    let request = InferenceRequest(
      inputs: [
        TensorData(
          name: "x", datatype: .int64, shape: [1, 3],
          content: ([0, 0, 0, 1] + Array(repeating: 0, count: 20))[...])
      ])
    await #expect(throws: ServingError.self) { try await wide.infer(request, limit: .seconds(60)) }
    #expect(model.statistics.current.fail.count == 9)
    #expect(model.statistics.current.failures == [.invalid: 9])
  }

  @Test func timesThatAreOver() async throws {
    let model = try model("mlp/1")
    var request = try #require(try Expected.all()["mlp/1"]).request
    await #expect(throws: ServingError.self) { try await model.infer(request, limit: .zero) }
    #expect(model.statistics.current.failures == [.timedOut: 1])
    request.parameters["timeout"] = .text("soon")
    await #expect(throws: ServingError.self) { try await model.infer(request, limit: .seconds(60)) }
    request.parameters["timeout"] = .integer(0)
    _ = try await model.infer(request, limit: .seconds(60))
  }

  @Test func classes() throws {
    let values: [Float] = [0.5, 2, -1, .nan, 1, 1]
    let output = TensorData(
      name: "y", datatype: .float32, shape: [2, 3],
      content: values.withUnsafeBytes { Array($0) }[...])
    let tensor = try Classification(output, count: 2, labels: ["a", "b", "c"]).tensor
    #expect(tensor.shape == [2, 2])
    let texts = try tensor.strings(4).map { String(decoding: $0, as: UTF8.self) }
    #expect(texts.prefix(2) == ["2.000000:1:b", "0.500000:0:a"])
  }

  /// The states of a GRU follow each other within a sequence, and sequences do not meet.
  @Test func sequences() async throws {
    let folder = Expected.folder.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Tests/ForgeImportersTests/Fixtures/KerasStateful")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let file = try #require(files.sorted().first { $0.hasSuffix(".keras") || $0.hasSuffix(".h5") })
    let model = try ServedModel(
      "s", version: 1, path: folder.appending(path: file).path, configuration: .none,
      options: ModelOptions())
    try #require(model.isStateful)
    let port = model.inputs[0]
    let shape = port.shape.map { $0 < 0 ? 1 : $0 }
    let count = shape.reduce(1, *)
    func ask(
      _ id: String?, _ value: Float, start: Bool = false, end: Bool = false
    ) async throws
      -> [UInt8]
    {
      let values = Array(repeating: value, count: count)
      var request = InferenceRequest(
        inputs: [
          TensorData(
            name: port.name, datatype: .float32, shape: shape,
            content: values.withUnsafeBytes { Array($0) }[...])
        ])
      if let id {
        request.parameters = [
          "sequence_id": .text(id), "sequence_start": .flag(start), "sequence_end": .flag(end),
        ]
      }
      return Array(try await model.infer(request, limit: .seconds(60)).outputs[0].content)
    }
    let alone = try await ask(nil, 0.5)
    let first = try await ask("a", 0.5, start: true)
    #expect(first == alone)
    let second = try await ask("a", 0.5)
    #expect(second != first)
    #expect(try await ask("b", 0.5, start: true) == first)
    #expect(try await ask("b", 0.5, end: true) == second)
    #expect(model.sessions.count == 1)
    await #expect(throws: ServingError.self) { try await ask("b", 0.5) }
    await #expect(throws: ServingError.self) { try await ask("c", 0.5) }
    #expect(try await ask("a", 0.5, start: true) == first)
  }
}
