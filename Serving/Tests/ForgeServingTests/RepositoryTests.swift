import ForgeServing
import Foundation
import Logging
import Testing

@Suite struct RepositoryTests {
  /// A folder that is removed at the end of a test.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "serving-\(UUID())")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func add(_ model: String, as path: String) throws {
      let target = url.appending(path: path)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        at: Expected.folder.appending(path: "models/\(model)"), to: target)
    }

    func write(_ text: String, to path: String) throws {
      let target = url.appending(path: path)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: target)
    }

    func repository(_ mode: ModelRepository.Mode = .none) throws -> ModelRepository {
      var logger = Logger(label: "test")
      logger.logLevel = .critical
      return try ModelRepository(url.path, mode: mode, logger: logger)
    }
  }

  @Test func filesAndFolders() async throws {
    let folder = try Folder()
    try folder.add("pair.onnx", as: "pair.onnx")
    try folder.add("mlp/1/model.onnx", as: "deep/2/model.onnx")
    try folder.add("mlp/3/model.onnx", as: "deep/10/model.onnx")
    try folder.add("mlp/1/model.onnx", as: "deep/notaversion/model.onnx")
    try folder.add("pair.onnx", as: "named/1/other.onnx")
    try folder.write("default_model_filename: \"other.onnx\"", to: "named/config.pbtxt")
    try folder.write("x", to: "notes.txt")
    try folder.add("pair.onnx", as: ".hidden.onnx")
    let repository = try folder.repository()
    #expect(!repository.isReady)
    #expect(await repository.loadAll() == [:])
    #expect(repository.isReady)
    #expect(repository.ready.map(\.name) == ["deep", "named", "pair"])
    #expect(repository.versions(of: "deep") == [10])
    #expect(try repository.model("deep", version: "10").version == 10)
    for version in ["2", "x", "-1", "010"] where version != "010" {
      let error = #expect(throws: ServingError.self) {
        try repository.model("deep", version: version)
      }
      #expect(error?.kind == .notFound)
    }
    let error = #expect(throws: ServingError.self) { try repository.model("other") }
    #expect(error?.kind == .notFound)
  }

  @Test func noPathLeavesTheRepository() async throws {
    let folder = try Folder()
    let outside = try Folder()
    try outside.add("pair.onnx", as: "pair.onnx")
    try folder.add("pair.onnx", as: "good.onnx")
    try FileManager.default.createSymbolicLink(
      at: folder.url.appending(path: "link.onnx"),
      withDestinationURL: outside.url.appending(path: "pair.onnx"))
    try FileManager.default.createSymbolicLink(
      at: folder.url.appending(path: "folder"), withDestinationURL: outside.url)
    try FileManager.default.createSymbolicLink(
      at: folder.url.appending(path: "inner.onnx"),
      withDestinationURL: folder.url.appending(path: "good.onnx"))
    try folder.write("default_model_filename: \"../../good.onnx\"", to: "up/config.pbtxt")
    try folder.add("pair.onnx", as: "up/1/model.onnx")
    let repository = try folder.repository(.explicit)
    await repository.loadAll([])
    for name in ["../good", "link", "folder", "up", "", ".", "..", "/etc/passwd", "good.onnx"] {
      let error = await #expect(throws: ServingError.self) { try await repository.load(name) }
      #expect(error.map { [.notFound, .invalid].contains($0.kind) } == true, "\(name)")
    }
    try await repository.load("good")
    try await repository.load("inner")
    #expect(repository.ready.map(\.name) == ["good", "inner"])
  }

  @Test func loadsThatFailKeepTheOldVersion() async throws {
    let folder = try Folder()
    try folder.add("mlp/1/model.onnx", as: "m/1/model.onnx")
    let repository = try folder.repository(.explicit)
    await repository.loadAll(["m"])
    let old = try repository.model("m")
    try folder.write("broken", to: "m/1/model.onnx")
    let error = await #expect(throws: ServingError.self) { try await repository.load("m") }
    #expect(error?.kind == .invalid)
    #expect(error?.message.contains(folder.url.path) == false)
    #expect(try repository.model("m") === old)
    let request = try #require(try Expected.all()["mlp/1"]).request
    _ = try await old.infer(request, limit: .seconds(60))
    #expect(await repository.index().map(\.state) == ["READY"])
    try await repository.unload("m")
    let gone = #expect(throws: ServingError.self) { try repository.model("m") }
    #expect(gone?.kind == .unavailable)
    let closed = await #expect(throws: ServingError.self) {
      try await old.infer(request, limit: .seconds(60))
    }
    #expect(closed?.kind == .unavailable)
    #expect(await repository.index().map(\.state) == ["UNAVAILABLE"])
  }

  @Test func polling() async throws {
    let folder = try Folder()
    try folder.add("mlp/1/model.onnx", as: "m/1/model.onnx")
    let repository = try folder.repository(.poll)
    await repository.loadAll()
    let first = try repository.model("m")
    await repository.poll()
    #expect(try repository.model("m") === first)
    try folder.add("mlp/3/model.onnx", as: "m/2/model.onnx")
    try folder.add("pair.onnx", as: "pair.onnx")
    await repository.poll()
    #expect(repository.versions(of: "m") == [2])
    #expect(repository.ready.map(\.name) == ["m", "pair"])
    try FileManager.default.removeItem(at: folder.url.appending(path: "m"))
    await repository.poll()
    #expect(repository.ready.map(\.name) == ["pair"])
  }

  @Test func modelsThatAreNone() async throws {
    let folder = try Folder()
    try folder.write("name: \"other\"", to: "a/config.pbtxt")
    try folder.add("pair.onnx", as: "a/1/model.onnx")
    try folder.write("name: \"b", to: "b/config.pbtxt")
    try folder.write("", to: "c/config.pbtxt")
    try folder.write("broken", to: "d.onnx")
    try folder.write("backend: \"python\"", to: "e/config.pbtxt")
    let repository = try folder.repository()
    let failed = await repository.loadAll()
    #expect(failed.keys.sorted() == ["a", "b", "c", "d", "e"])
    #expect(!repository.isReady)
    #expect(await repository.index().allSatisfy { !$0.reason.isEmpty })
    #expect(throws: ServingError.self) {
      try ModelRepository(folder.url.appending(path: "none").path)
    }
  }

  @Test func metricsHaveTheNamesOfTriton() async throws {
    let folder = try Folder()
    try folder.add("mlp/1/model.onnx", as: "m\"1/1/model.onnx")
    let repository = try folder.repository()
    await repository.loadAll()
    let request = try #require(try Expected.all()["mlp/1"]).request
    _ = try await repository.model("m\"1").infer(request, limit: .seconds(60))
    let text = MetricsText(repository).text
    #expect(text.contains("nv_inference_request_success{model=\"m\\\"1\",version=\"1\"} 1\n"))
    #expect(text.contains("nv_inference_count{model=\"m\\\"1\",version=\"1\"} 5\n"))
    #expect(
      text.contains("forge_request_duration_seconds_count{model=\"m\\\"1\",version=\"1\"} 1\n"))
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      #expect(line.wholeMatch(of: /[a-z_]+\{.*\} [0-9.e+-]+/) != nil, "\(line)")
    }
    let page = StatusPage(repository).html
    #expect(page.contains("<h2>m&quot;1, version 1</h2>"))
  }
}
