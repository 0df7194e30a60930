import ForgeServing
import Foundation
import Logging
import Testing

/// Vectors of texts are those of sentence-transformers, which
/// Scripts/references/make_hub_references.py wrote down.
@Suite struct EmbeddingsTests {
  private struct Answers: Decodable {
    let texts: [String]
    let vectors: [[Float]]
  }

  private static let folder = (0..<4).reduce(Expected.folder) { url, _ in
    url.deletingLastPathComponent()
  }.appending(path: "Tests/ForgeHubTests/Fixtures")

  private func answers(_ name: String) throws -> Answers {
    let url = Self.folder.appending(path: "\(name)/answers.json")
    return try JSONDecoder().decode(Answers.self, from: Data(contentsOf: url))
  }

  private func encoder(
    _ name: String, _ options: ModelOptions = ModelOptions()
  ) throws -> ServedEncoder {
    try ServedEncoder(
      "e", version: 1, path: Self.folder.appending(path: name).path, configuration: .none,
      options: options)
  }

  private func request(_ texts: [String], shape: [Int]? = nil) -> InferenceRequest {
    var content: [UInt8] = []
    for text in texts { TensorData.append(text.utf8, to: &content) }
    return InferenceRequest(
      inputs: [
        TensorData(
          name: "text", datatype: .bytes, shape: shape ?? [texts.count], content: content[...])
      ], isBinaryOutput: true)
  }

  @Test(arguments: ["sentence-mean", "sentence-modes", "sentence-cls", "sentence-roberta"])
  func vectors(_ name: String) async throws {
    let answers = try answers(name)
    let encoder = try encoder(name)
    let width = answers.vectors[0].count
    #expect(encoder.outputFacts[0].shape == [-1, width])
    let output = try await encoder.infer(request(answers.texts), limit: .seconds(60)).outputs[0]
    #expect(output.shape == [answers.texts.count, width])
    let found = output.floats
    let wanted = Array(answers.vectors.joined())
    let difference = zip(found, wanted).map { abs($0 - $1) }.max() ?? .infinity
    #expect(found.count == wanted.count && difference < 1e-5)
    #expect(encoder.statistics.current.success.count == 1)
    #expect(encoder.statistics.current.examples == answers.texts.count)
    #expect(encoder.statistics.pending == 0)
  }

  @Test func refusals() async throws {
    var options = ModelOptions()
    options.maximumBatch = 3
    let encoder = try encoder("sentence-mean", options)
    func kind(_ request: InferenceRequest) async -> ServingError.Kind? {
      do {
        _ = try await encoder.infer(request, limit: .seconds(60))
        return nil
      } catch { return error.kind }
    }
    #expect(await kind(request(["a", "b", "c"])) == nil)
    #expect(await kind(request(["a", "b"], shape: [2, 1])) == nil)
    #expect(await kind(request(["a", "b", "c", "d"])) == .invalid)
    #expect(await kind(request(["a"], shape: [2])) == .invalid)
    var other = request(["a"])
    other.inputs[0].name = "x"
    #expect(await kind(other) == .invalid)
    other = request(["a"])
    other.inputs[0].content = [1, 0, 0, 0, 255]
    #expect(await kind(other) == .invalid)
    other = request(["a"])
    other.inputs[0].datatype = .uint8
    #expect(await kind(other) == .invalid)
    other = request(["a"])
    other.outputs = [InferenceRequest.Output(name: "vector")]
    #expect(await kind(other) == .invalid)
    other = request(["a"])
    other.parameters["timeout"] = .text("soon")
    #expect(await kind(other) == .invalid)
    await #expect(throws: ServingError.self) {
      try await encoder.infer(request(["a"]), limit: .zero)
    }
    for _ in 0..<encoder.capacity { _ = encoder.statistics.began() }
    #expect(await kind(request(["a"])) == .overloaded)
    await encoder.shutDown()
    for _ in 0..<encoder.capacity { encoder.statistics.ended() }
    #expect(await kind(request(["a"])) == .unavailable)
  }

  /// A folder of the Hub is a model by itself, or a version in a folder.
  @Test func foldersOfTheHub() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "serving-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = Self.folder.appending(path: "sentence-mean")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "deep"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: source, to: folder.appending(path: "plain"))
    try FileManager.default.copyItem(at: source, to: folder.appending(path: "deep/7"))
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let repository = try ModelRepository(folder.path, mode: .poll, logger: logger)
    #expect(await repository.loadAll() == [:])
    #expect(repository.ready.map(\.name) == ["deep", "plain"])
    #expect(repository.versions(of: "deep") == [7])
    #expect(try repository.model("plain").platform == "forge_hub")
    let old = try repository.model("plain")
    await repository.poll()
    #expect(try repository.model("plain") === old)
    // A change in the folder of a module is seen as well.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)],
      ofItemAtPath: folder.appending(path: "plain/1_Pooling/config.json").path)
    await repository.poll()
    #expect(try repository.model("plain") !== old)
  }

  @Test func requests() throws {
    func request(_ json: String) throws -> EmbeddingsRequest {
      try EmbeddingsRequest(body: Array(json.utf8)[...])
    }
    let one = try request(#"{"input": "a\u00e9", "model": "m", "user": {"x": [1]}}"#)
    #expect(one.model == "m" && one.texts == ["aé"] && !one.isBase64 && one.dimensions == nil)
    let two = try request(
      #"{"model": "m", "input": ["a", ""], "encoding_format": "base64", "dimensions": 5}"#)
    #expect(two.texts == ["a", ""] && two.isBase64 && two.dimensions == 5)
    for json in [
      "", "{}", #"{"model": "m"}"#, #"{"input": "a"}"#, #"{"model": "m", "input": []}"#,
      #"{"model": "m", "input": 1}"#, #"{"model": "m", "input": null}"#,
      #"{"model": "m", "input": "a", "dimensions": -1}"#,
      #"{"model": "m", "input": "a", "encoding_format": "hex"}"#,
      #"{"model": "m", "input": "a"}x"#,
    ] {
      let error = #expect(throws: ServingError.self) { try request(json) }
      #expect(error?.kind == .invalid, "\(json)")
    }
    let ids = #expect(throws: ServingError.self) {
      try request(#"{"model": "m", "input": [1, 2]}"#)
    }
    #expect(ids?.kind == .unsupported)
    let many = Array(repeating: "\"a\"", count: 2049).joined(separator: ",")
    #expect(throws: ServingError.self) { try request("{\"model\": \"m\", \"input\": [\(many)]}") }
  }
}
