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
    let model = try ModelFile(ImporterFixtures.path("ONNX/classifier.onnx")).imported().model
    #expect(!model.metadata.interface.isEmpty)
    #expect((model --> Activation(.relu)).metadata.interface.isEmpty)
    let names = model.inputs.compactMap(\.givenName)
    let renamed = try model.renaming([names[0]: "other"])
    #expect(renamed.metadata.interface.isEmpty)
  }

  /// Bytes of another network, and altered ones, are refused or read without a trap.
  @Test func takesNoOtherBytes() throws {
    #expect(FileInterface(of: try network(interface: [])) == nil)
    #expect(FileInterface(of: try network(interface: [1, 2, 3])) == nil)
    for name in ["ONNX/classifier.onnx", "Darknet/detector.cfg"] {
      let bytes = try bytes(of: name)
      #expect(FileInterface(of: try network(interface: bytes)) == nil)
      let imported = try ModelFile(ImporterFixtures.path(name)).imported()
      for index in bytes.indices {
        for value: UInt8 in [0, 1, 0x7f, 0xff] where bytes[index] != value {
          var model = imported.model
          model.metadata.interface[index] = value
          let network = try #require(Self.unplanned(model))
          _ = FileInterface(of: network).map(Self.use)
        }
      }
    }
  }

  /// A network with the metadata of a model, which is compiled quickly: its shapes alone count.
  private static func unplanned(_ model: Model) throws -> CompiledModel? {
    let inputs = model.inputs.compactMap { $0.shape.map { Input(shape: $0.sizes ?? []) } }
    var small = Model(
      inputs: inputs,
      outputs: inputs.map { $0 --> Activation(.relu) })
    small.metadata = model.metadata
    return try small.compile(options: CompileOptions(threads: .exactly(1)))
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
