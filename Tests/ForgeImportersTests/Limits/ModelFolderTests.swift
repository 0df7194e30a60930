import Forge
import ForgeImporters
import Foundation
import Testing

/// What is opened beside a model file: files in its folder, and links that stay there.
@Suite struct ModelFolderTests {
  /// A folder with a model whose weights are in another file.
  private struct Place: ~Copyable {
    let folder = ImporterFixtures.scratch.appending(path: "forge-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(
        at: folder.appending(path: "model/sub"), withIntermediateDirectories: true)
      for name in ["outside.bin", "model/w.bin", "model/sub/w.bin"] {
        try ImporterFixtures.write([UInt8](repeating: 0, count: 64), to: file(name))
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func file(_ name: String) -> URL { folder.appending(path: name) }

    func link(_ name: String, to target: String) throws {
      try FileManager.default.createSymbolicLink(
        atPath: file(name).path, withDestinationPath: target)
    }

    /// The error of importing a model with external data at a place.
    func error(
      _ location: String, sizes: [Int] = [1, 4], model: String = "model/net.onnx"
    ) throws
      -> ImportError?
    {
      try ImporterFixtures.write(
        ONNXWriter.model(
          [ONNXWriter.node("Add", ["x", "c"], ["y"])],
          stored: [ONNXWriter.external("c", at: location, sizes: sizes)],
          inputs: [ONNXWriter.value("x", sizes)]), to: file(model))
      do throws(ImportError) {
        _ = try ImportedModel(onnx: file(model).path)
        return nil
      } catch { return error }
    }
  }

  @Test func linksStayInTheFolder() throws {
    let place = try Place()
    try place.link("model/inside", to: "w.bin")
    try place.link("model/deeper", to: "sub/w.bin")
    try place.link("model/folder", to: "sub")
    for location in ["w.bin", "inside", "deeper", "folder/w.bin", "sub/w.bin"] {
      #expect(try place.error(location) == nil, "\(location)")
    }
    try place.link("model/out", to: "../outside.bin")
    try place.link("model/absolute", to: place.file("outside.bin").path)
    try place.link("model/up", to: "..")
    try place.link("model/device", to: "/dev/zero")
    try place.link("model/loop", to: "loop")
    for location in ["out", "absolute", "up/outside.bin"] {
      let error = try #require(try place.error(location), "\(location)")
      #expect(error.kind == .unreadable)
      #expect(
        (error.cause as? LoadError)?.headline == "a symbolic link leads out of the folder")
    }
    for location in ["device", "loop", "../outside.bin", "/etc/passwd", ""] {
      #expect(try place.error(location) != nil, "\(location)")
    }
  }

  /// A model that is itself a link has its data beside the link or beside the file.
  @Test func linkedModels() throws {
    let place = try Place()
    #expect(try place.error("w.bin") == nil)
    try FileManager.default.createDirectory(
      at: place.file("links"), withIntermediateDirectories: true)
    try place.link("links/net.onnx", to: "../model/net.onnx")
    try place.link("links/w.bin", to: "../model/w.bin")
    #expect(throws: Never.self) {
      try ImportedModel(onnx: place.file("links/net.onnx").path)
    }
    try FileManager.default.removeItem(at: place.file("links/w.bin"))
    try place.link("links/w.bin", to: "../outside.bin")
    #expect(throws: ImportError.self) {
      try ImportedModel(onnx: place.file("links/net.onnx").path)
    }
  }

  /// A hole takes no room on the disk, but memory.
  @Test func holes() throws {
    let place = try Place()
    #expect(truncate(place.file("model/w.bin").path, 1 << 42) == 0)
    let hole = try #require(try place.error("w.bin", sizes: [1 << 13, 1 << 13]))
    #expect(hole.kind == .unreadable)
    #expect((hole.cause as? LoadError)?.headline == "the file is sparse")
    let huge = try #require(try place.error("w.bin", sizes: [1 << 20, 1 << 18]))
    #expect((huge.cause as? LoadError)?.kind == .outOfMemory)
    #expect((huge.cause as? LoadError)?.needs == "1099511627776 bytes")
    // A file of zeros that are stored is a file.
    try ImporterFixtures.write([UInt8](repeating: 0, count: 1 << 24), to: place.file("model/w.bin"))
    #expect(try place.error("w.bin", sizes: [1 << 11, 1 << 11]) == nil)
  }

  /// Model files that are holes are refused before they are read.
  @Test(arguments: ["onnx", "mlmodel", "keras", "h5", "cfg"]) func modelsOfHoles(
    suffix: String
  ) throws {
    let place = try Place()
    let path = place.file("model/hole.\(suffix)").path
    try ImporterFixtures.write([], to: place.file("model/hole.\(suffix)"))
    #expect(truncate(path, (1 << 33) - 10) == 0)
    let start = ContinuousClock.now
    #expect(throws: ImportError.self) { try ModelFile(path).imported() }
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  @Test func packages() throws {
    let place = try Place()
    let source = ImporterFixtures.folder.appending(path: "CoreML/Programs/chain.mlpackage")
    let copy = place.file("net.mlpackage")
    try FileManager.default.copyItem(at: source, to: copy)
    #expect(throws: Never.self) { try ImportedModel(coreML: copy.path) }
    // The manifest of a package names a few files.
    let manifest = copy.appending(path: "Manifest.json")
    let bytes = try Data(contentsOf: manifest)
    #expect(truncate(manifest.path, 7 << 30) == 0)
    let large = #expect(throws: ImportError.self) { try ImportedModel(coreML: copy.path) }
    #expect(large?.kind == .tooLarge)
    try bytes.write(to: manifest)
    // The model may be a link in the package, and none that leads out.
    let model = copy.appending(path: "Data/com.apple.CoreML/model.mlmodel")
    let other = copy.appending(path: "Data/com.apple.CoreML/other.mlmodel")
    try FileManager.default.moveItem(at: model, to: other)
    try FileManager.default.createSymbolicLink(
      atPath: model.path, withDestinationPath: "other.mlmodel")
    #expect(throws: Never.self) { try ImportedModel(coreML: copy.path) }
    try FileManager.default.moveItem(at: other, to: place.file("other.mlmodel"))
    try FileManager.default.removeItem(at: model)
    try FileManager.default.createSymbolicLink(
      atPath: model.path, withDestinationPath: "../../../other.mlmodel")
    let out = #expect(throws: ImportError.self) { try ImportedModel(coreML: copy.path) }
    #expect(out?.headline == "a symbolic link leads out of the folder")
  }
}
