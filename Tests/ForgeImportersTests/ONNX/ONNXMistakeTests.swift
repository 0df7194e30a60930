import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// What an import refuses, and how it says so.
@Suite struct ONNXMistakeTests {
  private func problem(
    _ bytes: some Sequence<UInt8>, _ options: ImportOptions = ImportOptions()
  ) throws -> ImportError? {
    try ImporterFixtures.withFile(bytes, ending: "onnx") { path in
      do throws(ImportError) {
        _ = try ImportedModel(onnx: path, options: options)
        return nil
      } catch {
        return error
      }
    }
  }

  @Test func noModel() throws {
    #expect(try problem([])?.kind == .malformed)
    #expect(try problem("not a model".utf8)?.kind == .malformed)
    #expect(try problem(Array(repeating: 255, count: 1000))?.kind == .malformed)
    #expect(throws: ImportError.self) { try Model(onnx: "/nowhere/net.onnx") }
  }

  /// Damaged files give a model or a typed error, and never trap.
  @Test(
    arguments: [
      "classifier", "shuffle", "decoder", "encoder", "sequence", "channels_last", "rare", "shapes",
      "large", "Transformers/operators", "Transformers/formulas",
    ])
  func truncationsAndChanges(name: String) throws {
    let bytes = try ImporterFixtures.bytes("ONNX/\(name).onnx")
    let url = ImporterFixtures.scratch
      .appending(path: "forge-\(UUID().uuidString).onnx")
    defer { try? FileManager.default.removeItem(at: url) }
    func check(_ changed: some Sequence<UInt8>) throws {
      try ImporterFixtures.write(changed, to: url)
      do throws(ImportError) { _ = try ImportedModel(onnx: url.path) } catch {
        #expect(!error.headline.isEmpty)
      }
    }
    // Weights fill most of the larger files; every thirteenth place is enough for them.
    let step = bytes.count < 3000 ? 1 : 13
    for count in bytes.indices where count % step == 0 { try check(bytes[..<count]) }
    for index in bytes.indices where index % step == 0 || index > bytes.count - 100 {
      for change: UInt8 in [1, 0x08, 0x80, 0xff] {
        var changed = bytes
        changed[index] ^= change
        try check(changed)
      }
    }
  }

  @Test func limitsAndNames() throws {
    let bytes = try ImporterFixtures.bytes("ONNX/encoder.onnx")
    #expect(try problem(bytes) == nil)
    var options = ImportOptions()
    options.limits = ImportLimits(nodes: 3)
    #expect(try problem(bytes, options)?.kind == .tooLarge)
    options.limits = ImportLimits(fileBytes: 100)
    #expect(try problem(bytes, options)?.kind == .tooLarge)
    options.limits = ImportLimits()
    options.sizes = ["token": [1, 7, 12]]
    let error = try #require(try problem(bytes, options))
    #expect(error.kind == .unknownName)
    #expect(error.needs == "one of tokens")
    options.sizes = ["tokens": [1, 5, 12]]
    #expect(try problem(bytes, options) == nil)
    options.sizes = ["tokens": [1, 5, 13]]
    #expect(try problem(bytes, options)?.kind == .invalidNode)
  }

  /// Files that contradict themselves; ONNX Runtime refuses them, too.
  ///
  /// Made by Scripts/references/make_onnx_contradictions.py.
  @Test(
    arguments: [
      ("kernel_shape", ImportError.Kind.invalidNode, "kernel_shape [3, 3] with weights of [3, 5]"),
      ("made_twice", .malformed, "\"y\""), ("made_input", .malformed, "\"x\""),
    ])
  func contradictions(name: String, kind: ImportError.Kind, received: String) throws {
    let bytes = try ImporterFixtures.bytes("ONNX/Contradictions/\(name).onnx")
    let error = try #require(try problem(bytes))
    #expect(error.kind == kind)
    #expect(error.received == received)
  }

  @Test(.shared("data/onnx"))
  func realFiles() throws {
    for (name, layers) in [("mnist", 10), ("superres_core", 8), ("tract_keras_example", 6)] {
      let path = SharedFiles.data.appending(path: "onnx/\(name).onnx").path
      let imported = try ImportedModel(onnx: path)
      #expect(imported.model.layers.count >= layers, "\(name)")
      _ = try imported.model.compile()
    }
  }
}
