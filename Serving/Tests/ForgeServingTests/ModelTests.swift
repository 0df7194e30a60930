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

  /// A row of a batch is bit-identical to its own prediction, however the batch was run.
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

  @Test func fullQueues() async throws {
    var options = ModelOptions()
    options.measuresBatches = false
    (options.slots, options.queue) = (1, 2)
    let model = try model("mlp/1", "", options)
    let request = try #require(try Expected.all()["mlp/1"]).request
    for _ in 0..<3 { _ = model.statistics.began() }
    let error = await #expect(throws: ServingError.self) {
      try await model.infer(request, limit: .seconds(60))
    }
    #expect(error?.kind == .overloaded)
    #expect(error?.retryAfter == 1)
    model.statistics.ended()
    _ = try await model.infer(request, limit: .seconds(60))
    #expect(model.statistics.pending == 2)
  }

  /// A goal of latency bounds the requests that may wait.
  @Test func goals() throws {
    var options = ModelOptions()
    options.p99 = .microseconds(1)
    let model = try model("picture", "", options)
    #expect(model.plan.contains("requests, for 1.0 µs"))
    #expect(model.batched == nil)
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

  /// The states of a sequence follow each other, as in Keras, and sequences do not meet;
  /// Scripts/references/make_stateful_references.py made the numbers.
  @Test func sequences() async throws {
    let root = (0..<4).reduce(Expected.folder) { url, _ in url.deletingLastPathComponent() }
    let folder = root.appending(path: "Tests/ForgeImportersTests/Fixtures/KerasStateful")
    func numbers(_ name: String) throws -> [Float] {
      try NumPyArray(path: folder.appending(path: name).path).values
    }
    let (parts, answers) = (try numbers("parts.npy"), try numbers("answers.npy"))
    let model = try ServedModel(
      "s", version: 1, path: folder.appending(path: "network.keras").path, configuration: .none,
      options: ModelOptions())
    try #require(model.isStateful)
    let port = model.inputs[0]
    let shape = port.shape.map { $0 < 0 ? 1 : $0 }
    try #require(shape.reduce(1, *) == 18 && parts.count == 72 && answers.count == 36)
    func ask(
      _ part: Int, _ id: String?, start: Bool = false, end: Bool = false
    ) async throws -> [Float] {
      let values = Array(parts[part * 18..<(part + 1) * 18])
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
      return try await model.infer(request, limit: .seconds(60)).outputs[0].floats
    }
    func isAnswer(_ values: [Float], _ part: Int) -> Bool {
      let wanted = answers[part * 9..<(part + 1) * 9]
      return values.count == 9 && zip(values, wanted).allSatisfy { abs($0 - $1) <= 2e-6 }
    }
    let alone = try await ask(0, nil)
    #expect(isAnswer(alone, 0))
    for part in 0..<4 {
      // The second sequence is one part behind, and begins in the middle of the first.
      let first = try await ask(part, "a", start: part == 0, end: part == 3)
      #expect(isAnswer(first, part))
      guard part > 0 else { continue }
      let second = try await ask(part - 1, "b", start: part == 1)
      #expect(isAnswer(second, part - 1))
    }
    #expect(!isAnswer(try await ask(1, nil), 1))
    #expect(model.sessions.count == 1)
    await #expect(throws: ServingError.self) { try await ask(0, "a") }
    await #expect(throws: ServingError.self) { try await ask(0, "c") }
  }
}
