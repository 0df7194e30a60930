import Forge
import ForgeImporters
import Testing

/// What the metadata of a network hold of its file.
@Suite struct FileInterfaceTests {
  /// A network of two inputs and one output with metadata.
  private func network(interface: [UInt8]) throws -> CompiledModel {
    let (a, b) = (Input(shape: [3], name: "a"), Input(shape: [3], name: "b"))
    var model = Model(inputs: [a, b], outputs: [[a, b] --> Add()])
    model.metadata.interface = interface
    return try model.compile(options: CompileOptions(threads: .exactly(1)))
  }

  private func bytes(of name: String) throws -> [UInt8] {
    try ModelFile(ImporterFixtures.path(name)).imported().model.metadata.interface
  }

  @Test(arguments: [
    "ONNX/classifier.onnx", "ONNX/encoder.onnx", "Keras/Activation.keras",
    "CoreML/classifier.mlmodel", "Darknet/classifier.cfg", "Darknet/detector.cfg",
  ])
  func travelsWithTheNetwork(_ name: String) throws {
    let imported = try ModelFile(ImporterFixtures.path(name)).imported()
    let network = try imported.model.compile(
      parameters: RandomParameters(seed: 1), options: CompileOptions(threads: .exactly(1)))
    #expect(FileInterface(of: network) == FileInterface(imported))
    #expect(FileInterface(imported).detections.isEmpty == (name != "Darknet/detector.cfg"))
  }

  /// A model that was changed is not that of the file.
  @Test func endsWithAChange() throws {
    let imported = try ModelFile(ImporterFixtures.path("ONNX/classifier.onnx")).imported()
    let model = imported.model
    #expect(!model.metadata.interface.isEmpty)
    #expect((model --> Activation(.relu)).metadata.interface.isEmpty)
    let name = try #require(imported.inputs.first?.name)
    let renamed = try model.renaming([name: "other"])
    #expect(renamed.metadata.interface.isEmpty)
  }

  /// Those of another network are not used.
  @Test func fitsItsNetwork() throws {
    #expect(FileInterface(of: try network(interface: [])) == nil)
    #expect(FileInterface(of: try network(interface: [1, 2, 3])) == nil)
    let other = try bytes(of: "ONNX/classifier.onnx")
    #expect(FileInterface(of: try network(interface: other)) == nil)
  }

  /// Altered bytes are refused, or lead to no index out of range.
  @Test(arguments: ["ONNX/classifier.onnx", "Darknet/detector.cfg"])
  func alteredBytesDoNotTrap(_ name: String) throws {
    let bytes = try bytes(of: name)
    #expect(FileInterface(bytes: bytes) != nil)
    for count in bytes.indices {
      #expect(FileInterface(bytes: Array(bytes.prefix(count))) == nil)
    }
    for index in bytes.indices {
      for value: UInt8 in [0, 1, 2, 0x7f, 0x80, 0xff] {
        var altered = bytes
        altered[index] = value
        FileInterface(bytes: altered).map(Self.use)
      }
    }
  }

  /// Uses all axes of what was read.
  private static func use(_ interface: FileInterface) {
    for port in interface.inputs + interface.outputs {
      _ = port.description
      _ = try? port.forgeValues([1, 2, 3])
      _ = try? port.fileValues([1, 2, 3])
    }
    for detection in interface.detections {
      _ = try? detection.boxes(
        in: TensorValues(shape: Shape([1, 1, 6]), values: [0, 0, 0, 0, 0, 0]), minimumScore: 0)
    }
  }
}
