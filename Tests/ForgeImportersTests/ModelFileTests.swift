import Forge
import ForgeImporters
import Foundation
import Testing

/// A format of these tests.
private enum PretendFormat: ModelFormat {
  static let name = "Pretend"
  static let extensions = ["pretend", "prt"]
  static let weightExtensions = ["pweights"]

  static func recognizes(_ head: ArraySlice<UInt8>) -> Bool? {
    head.starts(with: "PRETEND".utf8)
  }

  static func imported(_ file: ModelFile) throws(ImportError) -> ImportedModel {
    throw ImportError(.malformed, "pretended", path: file.path)
  }
}

@Suite struct ModelFileTests {
  /// Writes a file or a folder into an empty folder and removes it afterwards.
  private func withFile<Result>(
    _ name: String, _ contents: String? = "", _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.path + "/\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/\(name)"
    if let contents {
      try Data(contents.utf8).write(to: URL(fileURLWithPath: path))
    } else {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    return try body(path)
  }

  private func error(_ name: String, _ contents: String? = "") throws -> ImportError? {
    try withFile(name, contents) { path in
      var error = #expect(throws: ImportError.self) {
        try ModelFile(path).format(of: [PretendFormat.self])
      }
      error?.path = name
      return error
    }
  }

  @Test(arguments: ["a.pretend", "a.b.PRT", "noExtension", "a.unknown"])
  func aFormatIsToldByItsBytes(_ name: String) throws {
    try withFile(name, "PRETEND…") { path in
      let format = try ModelFile(path).format(of: [PretendFormat.self])
      #expect(format.name == "Pretend")
    }
  }

  @Test func otherContentsAreNamed() throws {
    #expect(
      try error("net.pretend", "hello")?.description == """
        net.pretend: the contents are not those of Pretend
          received  a file that begins with 68 65 6c 6c 6f
        """)
    #expect(try error("net.pretend", "")?.description.contains("an empty file") == true)
    #expect(
      try error("net.pretend", nil)?.description
        == "net.pretend: this is a folder, not a file of Pretend")
  }

  @Test func unknownFormatsListTheKnown() throws {
    #expect(
      try error("net.abc", "hello")?.description == """
        net.abc: the format of the model is not known
          received  the extension .abc
          needs     Pretend (.pretend, .prt)
        """)
    #expect(try error("net", "hello")?.received == "no extension")
    #expect(try error("net", nil)?.received == "a folder")
  }

  @Test(arguments: [
    "net.tflite", "net.pb", "net.pt", "net.pth", "net.ckpt", "net.caffemodel", "net.ort", "net.xml",
    "net.engine", "net.pdmodel", "net.gguf", "net.pt2",
  ])
  func otherFormatsSayWhatToDo(_ name: String) throws {
    let error = try error(name)
    #expect(error?.kind == .unsupported)
    #expect(error?.headline == "this format is not imported")
    #expect(error?.remedy?.isEmpty == false)
  }

  @Test(arguments: ["net.safetensors", "net.npz", "net.npy", "net.weights", "net.bin"])
  func filesOfWeightsSayThatTheNetworkIsMissing(_ name: String) throws {
    #expect(try error(name)?.headline == "the file holds weights, but no network")
  }

  @Test func foldersAreToldByTheirFiles() throws {
    try withFile("saved", nil) { path in
      try Data().write(to: URL(fileURLWithPath: path + "/saved_model.pb"))
      let error = #expect(throws: ImportError.self) { try ModelFile(path).imported() }
      #expect(error?.received == "a TensorFlow SavedModel")
      #expect(ModelFile(path).isForeign)
      // The file alone is told by its name.
      let inside = ModelFile(path + "/saved_model.pb")
      let other = #expect(throws: ImportError.self) { try inside.imported() }
      #expect(other?.received == "a TensorFlow SavedModel")
      #expect(other?.remedy?.contains("--saved-model") == true)
      #expect(inside.isForeign)
    }
    try withFile("net.mlpackage", nil) { path in
      let error = #expect(throws: ImportError.self) { try ModelFile(path).imported() }
      #expect(error?.kind == .fileMissing)
      #expect(error?.path == path + "/Manifest.json")
    }
    try withFile("net.mlmodelc", nil) { path in
      let error = #expect(throws: ImportError.self) { try ModelFile(path).imported() }
      #expect(error?.received == "a compiled Core ML model")
      #expect(ModelFile(path).isForeign)
    }
  }

  /// Archives of weights may be those of a ready architecture; others are told for what they are.
  @Test func filesOfWeightsAreNotForeign() throws {
    for name in ["net.safetensors", "net.npz", "net.bin", "net.h5"] {
      try withFile(name, "hello") { #expect(!ModelFile($0).isForeign) }
    }
    for name in ["net.pt", "net.tflite", "net.gguf"] {
      try withFile(name, "hello") { #expect(ModelFile($0).isForeign) }
    }
  }

  @Test func aMissingFileIsMissing() {
    let error = #expect(throws: ImportError.self) { try ModelFile("/no/such/net.onnx").imported() }
    #expect(error?.kind == .fileMissing)
    #expect(error?.description == "/no/such/net.onnx: there is no such file")
  }

  @Test func weightsBelongToFormatsThatTakeThem() {
    #expect(PretendFormat.takesWeights(at: "a.PWEIGHTS"))
    #expect(!PretendFormat.takesWeights(at: "a.safetensors"))
  }

  /// Documents and fuzzers name each format.
  @Test func formatsAreDocumentedAndFuzzed() throws {
    let root = ImporterFixtures.folder.appending(path: "../../..").standardized
    for path in [
      "README.md", "Docs/BringYourModel/README.md", "Fuzz/Sources/ForgeFuzz/ModelReaders.swift",
    ] {
      let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
      #expect(ModelFile.formats.map { $0.name }.filter { !text.contains($0) } == [], "\(path)")
    }
  }

  @Test func extensionsOfFormatsAreDistinct() {
    let all = ModelFile.formats.flatMap { $0.extensions + $0.weightExtensions }
    #expect(Set(all).count == all.count)
    #expect(all.allSatisfy { $0 == $0.lowercased() && !$0.hasPrefix(".") })
  }
}
