import Forge
import ForgeImporters
import Foundation
import Testing

/// Files that are not what their names say are told for what they are, by every reader.
@Suite struct FileContentsTests {
  /// A kind of file: its first bytes, and what it is called.
  struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    /// A word of the remedy.
    let remedy: String
    /// Whether readers of weights take it.
    var isOfWeights = false

    init(_ name: String, _ bytes: [UInt8], remedy: String, isOfWeights: Bool = false) {
      (self.name, self.bytes, self.remedy, self.isOfWeights) = (name, bytes, remedy, isOfWeights)
    }

    init(_ name: String, _ text: String, remedy: String) {
      self.init(name, Array(text.utf8), remedy: remedy)
    }

    var testDescription: String { name }
  }

  /// The header of the first entry of a zip archive.
  private static func zip(_ entry: String) -> [UInt8] {
    [0x50, 0x4b, 3, 4] + [UInt8](repeating: 0, count: 22) + [UInt8(entry.utf8.count), 0, 0, 0]
      + Array(entry.utf8) + [UInt8](repeating: 7, count: 40)
  }

  static let foreign = [
    Kind("a gzip file", [0x1f, 0x8b, 8, 0] + [UInt8](repeating: 1, count: 60), remedy: "gunzip"),
    Kind("an xz file", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 1], remedy: "unxz"),
    Kind("a bzip2 file", "BZh91AY&SY", remedy: "bunzip2"),
    Kind("a Zstandard file", [0x28, 0xb5, 0x2f, 0xfd, 4, 0], remedy: "unzstd"),
    Kind("a 7-Zip archive", [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4], remedy: "unpack"),
    Kind(
      "a tar archive", [UInt8](repeating: 97, count: 257) + Array("ustar  ".utf8), remedy: "tar"),
    Kind("a web page (HTML)", "<!DOCTYPE html>\n<html>", remedy: "download the file itself"),
    Kind(
      "a web page (HTML)", "\u{FEFF}\r\n  <HTML lang=en>", remedy: "download the file itself"),
    Kind(
      "a Git LFS pointer, which stands for the file",
      "version https://git-lfs.example/spec/v1\noid sha256:12\nsize 3\n", remedy: "git lfs pull"),
    Kind("a PDF document", "%PDF-1.7\n", remedy: "download"),
    Kind("a JSON file", " {\"class_name\": \"Sequential\"}", remedy: "whole model"),
    Kind("an XML file", "<?xml version=\"1.0\"?><net/>", remedy: ".onnx"),
    Kind("a PyTorch file", zip("archive/data.pkl"), remedy: "torch.onnx.export"),
    Kind("a PyTorch file", zip("net/code/__torch__.py"), remedy: "torch.onnx.export"),
    Kind("a PyTorch file", zip("net/data/0"), remedy: "torch.onnx.export"),
    Kind("a PyTorch file", zip("net/constants/12"), remedy: "torch.onnx.export"),
    Kind(
      "a PyTorch file", [0x80, 2, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20],
      remedy: "torch.onnx.export"),
    Kind("a Python pickle", [0x80, 4, 0x95, 1, 0, 0], remedy: "torch.onnx.export"),
    Kind("a TensorFlow Lite file", [28, 0, 0, 0] + Array("TFL3".utf8), remedy: "tf2onnx"),
    Kind("an ONNX Runtime file", [28, 0, 0, 0] + Array("ORTM".utf8), remedy: ".onnx"),
    Kind("a GGUF file", "GGUF\u{3}\0\0\0", remedy: "Swift"),
    Kind("a compiled file of Forge", "FORGEnet\u{1}\0\0\0", remedy: "CompiledModel"),
    Kind("a packed Core ML package", zip("net.mlpackage/Manifest.json"), remedy: "unpack"),
    Kind("a JPEG picture", [0xff, 0xd8, 0xff, 0xe0], remedy: "--input"),
    Kind("a PNG picture", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], remedy: "--input"),
  ]

  static let weights = [
    Kind(
      "a safetensors file", [2, 0, 0, 0, 0, 0, 0, 0] + Array("{}".utf8), remedy: "Swift",
      isOfWeights: true),
    Kind("an archive of NumPy arrays", zip("a.npy"), remedy: "Swift", isOfWeights: true),
    Kind(
      "a NumPy array", [0x93] + Array("NUMPY\u{1}\0".utf8), remedy: "--input", isOfWeights: true),
  ]

  private func withFile<Result>(
    _ name: String, _ bytes: [UInt8], _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.path + "/\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return try body(path)
  }

  @Test(
    arguments: foreign + weights,
    ["net.onnx", "net.keras", "net.h5", "net.mlmodel", "net.cfg", "net.unknown", "net"])
  func modelsOfOtherContents(_ kind: Kind, _ name: String) throws {
    try withFile(name, kind.bytes) { path in
      let error = #expect(throws: ImportError.self) { try ModelFile(path).imported() }
      #expect(error?.kind == .unsupported)
      #expect(error?.path == path)
      #expect(error?.received == kind.name)
      #expect(error?.remedy?.contains(kind.remedy) == true)
    }
  }

  /// The importers tell the same without `ModelFile`.
  @Test(arguments: foreign)
  func importersOfOtherContents(_ kind: Kind) throws {
    try withFile("net", kind.bytes) { path in
      let importers: [(String) throws -> Void] = [
        { _ = try ImportedModel(onnx: $0) }, { _ = try ImportedModel(keras: $0) },
        { _ = try ImportedModel(coreML: $0) }, { _ = try ImportedModel(darknet: $0) },
      ]
      for importer in importers {
        let error = #expect(throws: ImportError.self) { try importer(path) }
        #expect(error?.received == kind.name)
        #expect(error?.remedy?.contains(kind.remedy) == true)
      }
    }
  }

  @Test(arguments: foreign)
  func weightsOfOtherContents(_ kind: Kind) throws {
    try withFile("net.h5", kind.bytes) { path in
      let unknown = #expect(throws: LoadError.self) { try WeightFile(path) }
      if kind.bytes.starts(with: [0x50, 0x4b]) {
        // A damaged archive is told as such before what it holds.
        #expect(unknown != nil)
        return
      }
      #expect(unknown?.received == kind.name)
      #expect(unknown?.remedy?.contains(kind.remedy) == true)
      let readers: [(String) throws -> Void] = [
        { _ = try HDF5Parameters($0) }, { _ = try SafeTensorsParameters($0) },
        { _ = try NumPyArray(path: $0) }, { _ = try KerasArchive($0) },
      ]
      for reader in readers {
        let error = #expect(throws: LoadError.self) { try reader(path) }
        #expect(error?.headline == "this is \(kind.name)")
        #expect(error?.remedy?.contains(kind.remedy) == true)
      }
    }
  }

  @Test func emptyFiles() throws {
    for name in ["net.onnx", "net.keras", "net.mlmodel", "net.cfg"] {
      try withFile(name, []) { path in
        let error = #expect(throws: ImportError.self) { try ModelFile(path).imported() }
        #expect(error?.received == "an empty file", "\(name)")
      }
    }
    try withFile("net.h5", []) { path in
      let error = #expect(throws: LoadError.self) { try WeightFile(path) }
      #expect(error?.received == "an empty file")
    }
  }

  /// The first bytes choose the importer, not the extension.
  @Test(arguments: ["net.bin", "net.keras", "net.weights", "net", "net.mlmodel"])
  func modelsAreToldByTheirBytes(_ name: String) throws {
    let onnx = try #require(
      FileManager.default.enumerator(atPath: Fixtures.folder)?.compactMap { $0 as? String }
        .filter { $0.hasSuffix(".onnx") }.sorted().first)
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(Fixtures.folder)/\(onnx)")))
    let format = try withFile(name, bytes) { path in try ModelFile(path).format().name }
    #expect(format == "ONNX")
    let keras = try [UInt8](
      Data(contentsOf: URL(fileURLWithPath: "\(Fixtures.folder)/KerasStateful/network.keras")))
    try withFile("net.onnx", keras) { (path: String) throws -> Void in
      let format = try ModelFile(path).format()
      #expect(format.name == "Keras")
      let outputs = try ModelFile(path).imported().outputs
      #expect(!outputs.isEmpty)
      let error = #expect(throws: ImportError.self) { try ImportedModel(onnx: path) }
      #expect(
        error?.description == """
          \(path): the file has a different format
            received  a Keras archive
            needs     a model of ONNX
            remedy    ModelFile, with ForgeImporters, reads models of Keras
          """)
    }
  }

  private enum Fixtures {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().path + "/Fixtures"
  }

  /// A JSON text is told apart from what the decoder says of it.
  @Test(arguments: [
    ("{", "text that is not JSON"), ("[]", "a value of another type at the whole text"),
    (#"{"itemInfoEntries": {}}"#, "no \"rootModelIdentifier\""),
    (
      #"{"itemInfoEntries": {"a": {"path": 3}}, "rootModelIdentifier": "a"}"#,
      "a value of another type at \"itemInfoEntries\", \"a\", \"path\""
    ),
  ])
  func manifestsAreExplainedInForgesWords(_ text: String, _ received: String) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/\(UUID()).mlpackage"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/Manifest.json"))
    let error = #expect(throws: ImportError.self) { try ImportedModel(coreML: folder) }
    #expect(
      error?.description == """
        \(folder)/Manifest.json: this is not the manifest of a Core ML package
          received  \(received)
        """)
  }
}
