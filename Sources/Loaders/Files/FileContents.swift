/// What a file is by its first bytes, whatever its name says.
///
/// All commands and readers tell a file of another kind with it, so that a web page that was saved
/// under the name of a model is called a web page.
package struct FileContents: Sendable {
  /// What a reader may do with such a file.
  package enum Role: Hashable, Sendable {
    /// A model of a format that is imported, by the name of the format.
    case model(String)
    /// Weights without a network.
    case weights
    /// A container whose first bytes do not tell what is in it.
    case container
    /// Text whose meaning the extension may tell.
    case text
    /// Anything else, which no reader takes.
    case other
  }

  /// The file with an article: `a gzip file`.
  package let name: String
  /// What a reader may do with it.
  package let role: Role
  /// What to do with it.
  package let remedy: String
  private let recognizes: @Sendable ([UInt8]) -> Bool

  private init(
    _ name: String, _ role: Role = .other, remedy: String,
    recognizes: @escaping @Sendable ([UInt8]) -> Bool
  ) {
    (self.name, self.role, self.remedy, self.recognizes) = (name, role, remedy, recognizes)
  }

  /// A kind of file with fixed bytes at a place.
  private init(
    _ name: String, _ role: Role = .other, bytes: [UInt8], at offset: Int = 0, remedy: String
  ) {
    self.init(name, role, remedy: remedy) { $0.dropFirst(offset).starts(with: bytes) }
  }

  /// Recognizes a file by its first bytes, 4096 if there are as many; `nil` if they do not tell.
  package init?(_ bytes: [UInt8]) {
    guard let found = Self.all.first(where: { $0.recognizes(bytes) }) else { return nil }
    self = found
  }

  /// Recognizes an open file; `nil` if its bytes do not tell, or cannot be read.
  init?(_ file: InputFile) {
    guard let bytes = try? file.prefix(FileHead.count) else { return nil }
    self.init(bytes)
  }

  /// Whether the bytes are surely those of a different kind of file than an extension names.
  package var isCertain: Bool { role != .container && role != .text }

  /// Whether no reader of weights takes such a file.
  var isReadByNone: Bool { [.other, .text, .model("ONNX")].contains(role) }

  // MARK: Kinds

  private static let describe =
    "describe the network in Swift and compile it with WeightFile(path).parameters()"
  /// What to do with a file of llama.cpp, whose weights no reader takes.
  package static let remedyForGGUF = """
    take the model that it was made from: an ONNX export of it
    or its safetensors file with the network described in Swift
    """
  /// The first bytes of a compiled file.
  package static let compiledSignature = Array("FORGEnet".utf8)
  private static let exportFromPyTorch = """
    in PyTorch, torch.onnx.export(model, (example,), "net.onnx")
    or for weights alone safetensors.torch.save_file(model.state_dict(), "net.safetensors")
    """

  /// All kinds; the more specific come first.
  private static let all: [FileContents] = [
    FileContents("an empty file", remedy: "download or write it again") { $0.isEmpty },
    FileContents(
      "a Git LFS pointer, which stands for the file",
      bytes: Array("version https://git-lfs".utf8),
      remedy: "git lfs pull fetches the file itself"),
    FileContents(
      "a web page (HTML)",
      remedy: "the link leads to a page about the file; download the file itself"
    ) { bytes in
      let text = FileText(bytes).lowercased
      return ["<!doctype html", "<html", "<head", "<body"].contains { text.starts(with: $0.utf8) }
    },
    FileContents(
      "an XML file", .text, remedy: "take the .onnx file that it was made from"
    ) { FileText($0).rest.starts(with: "<?xml".utf8) },
    FileContents(
      "a JSON file", .text,
      remedy: "take the file of the whole model; in Keras, model.save(\"net.keras\")"
    ) { bytes in
      let text = FileText(bytes)
      return text.isText && text.rest.first == UInt8(ascii: "{")
    },
    FileContents(
      "a PDF document", bytes: Array("%PDF-".utf8),
      remedy: "download the file that the document describes"),
    FileContents(
      "a gzip file", bytes: [0x1f, 0x8b], remedy: "unpack it first, with gunzip or tar -xzf"),
    FileContents(
      "an xz file", bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0],
      remedy: "unpack it first, with unxz or tar -xJf"),
    FileContents(
      "a bzip2 file", bytes: Array("BZh".utf8),
      remedy: "unpack it first, with bunzip2 or tar -xjf"),
    FileContents(
      "a Zstandard file", bytes: [0x28, 0xb5, 0x2f, 0xfd], remedy: "unpack it first, with unzstd"),
    FileContents(
      "a 7-Zip archive", bytes: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c],
      remedy: "unpack it and pass the file in it"),
    FileContents(
      "a tar archive", bytes: Array("ustar".utf8), at: 257,
      remedy: "unpack it with tar -xf and pass the file in it"),
    FileContents("a PyTorch file", remedy: exportFromPyTorch) { bytes in
      ZipHead(bytes)?.isOfPyTorch ?? false
        // The magic number of the form before archives, as a pickle.
        || bytes.starts(with: [0x80, 2, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9])
    },
    FileContents("a Python pickle", remedy: exportFromPyTorch) { bytes in
      bytes.count > 2 && bytes[0] == 0x80 && (2...5).contains(bytes[1])
        && [0x63, 0x7d, 0x5d, 0x28, 0x95, 0x8a].contains(bytes[2])
    },
    FileContents(
      "a Keras archive", .model("Keras"),
      remedy: "ModelFile, with ForgeImporters, reads models of Keras"
    ) { bytes in
      ZipHead(bytes).map { ["metadata.json", "config.json"].contains($0.firstName) } ?? false
    },
    FileContents("an archive of NumPy arrays", .weights, remedy: describe) { bytes in
      ZipHead(bytes)?.firstName.hasSuffix(".npy") ?? false
    },
    FileContents("a packed Core ML package", remedy: "unpack it and pass the folder") { bytes in
      ZipHead(bytes)?.firstName.contains(".mlpackage/") ?? false
    },
    FileContents("a ZIP archive", .container, remedy: "unpack it and pass the file in it") {
      ZipHead($0) != nil
    },
    FileContents(
      "an HDF5 file", .model("Keras"), bytes: [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a],
      remedy: describe),
    FileContents(
      "a TensorFlow Lite file", bytes: Array("TFL3".utf8), at: 4,
      remedy: "python -m tf2onnx.convert --tflite net.tflite --output net.onnx"),
    FileContents(
      "an ONNX Runtime file", bytes: Array("ORTM".utf8), at: 4,
      remedy: "take the .onnx file that it was made from"),
    FileContents("a GGUF file", bytes: Array("GGUF".utf8), remedy: remedyForGGUF),
    FileContents(
      "a compiled file of Forge", bytes: compiledSignature,
      remedy: "CompiledModel(contentsOf:) opens it; pass the model that it was made from"),
    FileContents(
      "a NumPy array", .weights, bytes: [0x93] + Array("NUMPY".utf8),
      remedy: "--input takes arrays"),
    FileContents("a safetensors file", .weights, remedy: describe) { bytes in
      SafeTensorsHeader.begins(bytes)
    },
    FileContents(
      "a JPEG picture", bytes: [0xff, 0xd8, 0xff], remedy: "--input takes pictures"),
    FileContents(
      "a PNG picture", bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
      remedy: "--input takes pictures"),
    FileContents(
      "an ONNX model", .model("ONNX"),
      remedy: "ModelFile, with ForgeImporters, reads models of ONNX", recognizes: ONNXHead.begins),
  ]
}

/// The beginning of a file as text.
private struct FileText {
  /// The bytes behind a byte order mark and spaces.
  let rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    rest = bytes.dropFirst(bytes.starts(with: mark) ? 3 : 0).drop {
      $0 == 32 || (9...13).contains($0)
    }
  }

  /// The bytes with ASCII letters in lower case.
  var lowercased: [UInt8] { rest.prefix(64).map { (65...90).contains($0) ? $0 + 32 : $0 } }

  /// Whether there are no control characters but those between lines.
  var isText: Bool { rest.prefix(256).allSatisfy { $0 >= 32 || (9...13).contains($0) } }
}

/// The beginning of a zip archive.
private struct ZipHead {
  /// The name of the first entry; empty if there is none.
  let firstName: String
  private let bytes: [UInt8]

  init?(_ bytes: [UInt8]) {
    guard ZipArchive.begins(bytes) else { return nil }
    self.bytes = bytes
    let header = 30
    guard bytes.count > header, bytes[2] == 3 else {
      firstName = ""
      return
    }
    let length = Int(bytes[26]) | Int(bytes[27]) << 8
    firstName = String(decoding: bytes.dropFirst(header).prefix(length), as: UTF8.self)
  }

  /// Whether it has the entries of PyTorch's files.
  var isOfPyTorch: Bool {
    let endings = ["/data.pkl", "/constants.pkl", "/archive_format", "/byteorder", "/version"]
    if endings.contains(where: { firstName.hasSuffix($0) }) { return true }
    // TorchScript begins with a tensor, NAME/data/0, in any order.
    let parts = firstName.split(separator: "/")
    return firstName.contains("/code/__torch__")
      || parts.count == 3 && ["data", "constants"].contains(parts[1]) && Int(parts[2]) != nil
  }
}

/// The beginning of an ONNX model: a version of the format, then the program that wrote it or the
/// graph.
private enum ONNXHead {
  static func begins(_ bytes: [UInt8]) -> Bool {
    // Field 1, a number; versions are small.
    guard bytes.count > 4, bytes[0] == 0x08, (1...31).contains(bytes[1]) else { return false }
    switch bytes[2] {
    // The graph or the operator sets.
    case 0x3a, 0x42: return true
    // The program that wrote it. In a Core ML model the field is a message, not text.
    case 0x12:
      let length = Int(bytes[3])
      let text = bytes.dropFirst(4).prefix(length)
      return (1..<0x80).contains(length) && text.count == length
        && text.allSatisfy { $0 >= 32 && $0 != 0x7f }
    default: return false
    }
  }
}
