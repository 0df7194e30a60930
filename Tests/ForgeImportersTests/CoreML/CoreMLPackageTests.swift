import Forge
import ForgeImporters
import Foundation
import Testing

/// Damaged packages give a model or a typed error; nothing traps or reads outside of the package.
@Suite struct CoreMLPackageTests {
  private static let model = "Data/com.apple.CoreML/model.mlmodel"
  private static let weights = "Data/com.apple.CoreML/weights/weight.bin"
  private static let manifest = "Manifest.json"

  /// A copy of a package in which files can be changed.
  private struct Copy: ~Copyable {
    let folder: URL

    init(_ name: String) throws {
      folder = ImporterFixtures.scratch.appending(path: "forge-\(UUID().uuidString).mlpackage")
      try FileManager.default.copyItem(
        at: URL(filePath: CoreMLProgramTests.path(name)), to: folder)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func bytes(_ file: String) throws -> [UInt8] {
      try [UInt8](Data(contentsOf: folder.appending(path: file)))
    }

    /// Changes a file; the values of the weights are read too.
    func problem(
      _ file: String, _ bytes: some Sequence<UInt8>, limits: ImportLimits = ImportLimits()
    ) throws -> (any Error)? {
      try ImporterFixtures.write(bytes, to: folder.appending(path: file))
      return problem(limits: limits)
    }

    func problem(limits: ImportLimits = ImportLimits()) -> (any Error)? {
      do {
        let options = ImportOptions(limits: limits)
        _ = try ImportedModel(coreML: folder.path, options: options).model.compile()
        return nil
      } catch {
        return error
      }
    }
  }

  /// Every change of the file gives a model or an error of the library's.
  private func damage(_ name: String, _ file: String, step: Int) throws {
    let copy = try Copy(name)
    let bytes = try copy.bytes(file)
    func check(_ bytes: some Sequence<UInt8>) throws {
      let error = try copy.problem(file, bytes)
      #expect(
        error == nil || error is ImportError || error is CompileError || error is LoadError,
        "\(String(describing: error))")
    }
    for count in stride(from: 0, to: bytes.count, by: step) { try check(bytes[..<count]) }
    for index in stride(from: 0, to: bytes.count, by: step) {
      for change: UInt8 in [0x01, 0x80, 0xff] {
        var changed = bytes
        changed[index] ^= change
        try check(changed)
      }
    }
  }

  @Test func everyChangeOfTheManifest() throws { try damage("half", Self.manifest, step: 3) }

  @Test func everyChangeOfTheWeightFile() throws { try damage("half", Self.weights, step: 5) }

  @Test(arguments: ["half", "tagger", "blocks", "compressed", "flexible", "classifier"])
  func everyChangeOfTheModel(name: String) throws { try damage(name, Self.model, step: 19) }

  @Test(arguments: ["functions", "arrangements", "windows", "later", "recurrent", "encoder"])
  func someChangesOfLargerModels(name: String) throws {
    try damage(name, Self.model, step: 211)
  }

  /// The entry of the first weight: sentinel, type, size and place.
  @Test func numbersOfTheWeightFile() throws {
    let copy = try Copy("half")
    let bytes = try copy.bytes(Self.weights)
    func changed(_ offset: Int, _ values: [UInt8]) throws -> ImportError? {
      var changed = bytes
      changed.replaceSubrange(offset..<(offset + values.count), with: values)
      return try copy.problem(Self.weights, changed) as? ImportError
    }
    let full = [UInt8](repeating: 0xff, count: 8)
    #expect(try changed(4, [1])?.received?.contains("a weight file of version 1") == true)
    #expect(try changed(64, [0])?.received == "no entry of the weight file at 64")
    #expect(try changed(68, [99])?.received?.contains("stored element type 99") == true)
    #expect(try changed(68, [2])?.received == "weights of another element type, number 2")
    #expect(try changed(72, full)?.kind == .invalidNode)
    #expect(try changed(80, full)?.kind == .invalidNode)
    #expect(try changed(80, [1])?.kind == .invalidNode)
    // A place at the end of all numbers, and one behind the file.
    #expect(try changed(80, [0xC0] + full.dropFirst(2) + [0x7f])?.kind != nil)
    #expect(try changed(80, [0, 0, 0, 1, 0, 0, 0, 0])?.kind != nil)
  }

  @Test func missingFilesAreNamed() throws {
    for file in [Self.weights, Self.model, Self.manifest] {
      let copy = try Copy("half")
      try FileManager.default.removeItem(at: copy.folder.appending(path: file))
      let error = copy.problem() as? ImportError
      #expect(error?.kind == .fileMissing)
      #expect(error?.path?.hasSuffix(file) == true, "\(String(describing: error))")
    }
  }

  @Test(arguments: ["../outside.mlmodel", "/etc/passwd", "a/../../b", "", "a//b", "./a"])
  func pathsStayInThePackage(path: String) throws {
    let copy = try Copy("half")
    let text = """
      {"fileFormatVersion": "1.0.0", "rootModelIdentifier": "1",
       "itemInfoEntries": {"1": {"path": "\(path)"}}}
      """
    let error = try copy.problem(Self.manifest, Array(text.utf8)) as? ImportError
    #expect(error?.headline == "the manifest names a file outside of the package")
    #expect(error?.received == "\"\(path)\"")
  }

  @Test func weightsStayInThePackage() throws {
    let copy = try Copy("half")
    let bytes = try copy.bytes(Self.model)
    let name = Array("@model_path/weights/weight.bin".utf8)
    let other = Array("@model_path/../outside/abc.bin".utf8)
    #expect(name.count == other.count)
    var changed = bytes
    var index = 0
    while index + name.count <= changed.count {
      if Array(changed[index..<(index + name.count)]) == name {
        changed.replaceSubrange(index..<(index + name.count), with: other)
      }
      index += 1
    }
    let error = try copy.problem(Self.model, changed) as? ImportError
    #expect(error?.received?.contains("which is outside of the model's folder") == true)
  }

  @Test func manifestsWithoutAModel() throws {
    let copy = try Copy("half")
    let none = try copy.problem(Self.manifest, Array("{}".utf8)) as? ImportError
    #expect(none?.headline == "this is not the manifest of a Core ML package")
    let text = #"{"rootModelIdentifier": "2", "itemInfoEntries": {"1": {"path": "a"}}}"#
    let other = try copy.problem(Self.manifest, Array(text.utf8)) as? ImportError
    #expect(other?.headline == "the manifest does not list the model of the package")
  }

  @Test func limitsHold() throws {
    let copy = try Copy("tagger")
    func kind(_ limits: ImportLimits) -> ImportError.Kind? {
      (copy.problem(limits: limits) as? ImportError)?.kind
    }
    #expect(copy.problem() == nil)
    #expect(kind(ImportLimits(nodes: 2)) == .tooLarge)
    #expect(kind(ImportLimits(tensors: 2)) == .tooLarge)
    #expect(kind(ImportLimits(fileBytes: 100)) == .tooLarge)
    #expect(kind(ImportLimits(foldedElements: 0)) == nil)
  }
}
