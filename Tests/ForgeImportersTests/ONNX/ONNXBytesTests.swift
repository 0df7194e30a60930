import Forge
import ForgeImporters
import Foundation
import Testing

/// Models whose bytes come from somewhere else than files.
@Suite struct ONNXBytesTests {
  private typealias Writer = ONNXWriter

  /// `y = x + c` with the constant in another file.
  private let model = Writer.model(
    [Writer.node("Add", ["x", "c"], ["y"])],
    stored: [Writer.external("c", at: "weights/c.bin", offset: 4, sizes: [1, 4])])
  /// The file: one number before the constant.
  private let weights = ([9, 10, 20, 30, 40] as [Float]).flatMap { value in
    (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
  }

  @Test(arguments: ["classifier", "encoder", "large", "rare"])
  func bytesAreAsGoodAsFiles(_ name: String) throws {
    let bytes = try ImporterFixtures.bytes("ONNX/\(name).onnx")
    let file = try ImportedModel(onnx: ImporterFixtures.path("ONNX/\(name).onnx"))
    let memory = try ImportedModel(onnx: bytes, name: "in memory")
    #expect(memory.inputs == file.inputs)
    #expect(memory.outputs == file.outputs)
    #expect(memory.model.summary() == file.model.summary())
    let networks = (try file.model.compile(), try memory.model.compile())
    var inputs: [String: TensorValues] = [:]
    for (name, shape) in zip(networks.0.inputNames, networks.0.inputShapes) {
      let sizes = try #require(shape.sizes)
      let count = sizes.reduce(1, *)
      inputs[name] = TensorValues(
        shape: shape, values: (0..<count).map { Float($0 % 3) * 0.5 })
    }
    let expected = try networks.0.predict(inputs)
    let results = try networks.1.predict(inputs)
    #expect(!networks.0.outputNames.isEmpty)
    for output in networks.0.outputNames {
      #expect(results[output]?.values == expected[output]?.values)
    }
  }

  @Test func mistakesNameTheBytes() {
    let error = #expect(throws: ImportError.self) {
      try Model(onnx: [0x3a, 0xff], name: "row 7")
    }
    #expect(
      error?.description == """
        row 7: the file is not an ONNX model, or it is damaged
          received  a file that begins with 3a ff
        """)
    let zip = #expect(throws: ImportError.self) {
      try Model(onnx: Array("PK\u{3}\u{4}".utf8) + [UInt8](repeating: 0, count: 60))
    }
    #expect(zip?.path == "model.onnx")
  }

  @Test func externalDataInMemory() throws {
    let weights = weights
    let options = ImportOptions(externalData: { name in
      #expect(name == "weights/c.bin")
      return ExternalData(weights)
    })
    let network = try Model(onnx: model, options: options).compile()
    #expect(try network.predict([1, 2, 3, 4]) == [11, 22, 33, 44])
    // A file takes it from there, too.
    try ImporterFixtures.withFile(model, ending: "onnx") { path in
      let network = try Model(onnx: path, options: options).compile()
      #expect(try network.predict([1, 2, 3, 4]) == [11, 22, 33, 44])
    }
  }

  @Test func externalDataInRanges() throws {
    let weights = weights
    let options = ImportOptions(externalData: { _ in
      ExternalData(byteCount: weights.count) { range in
        #expect(range == 4..<20)
        return Array(weights[range])
      }
    })
    let network = try Model(onnx: model, options: options).compile()
    #expect(try network.predict([1, 2, 3, 4]) == [11, 22, 33, 44])
  }

  @Test func missingExternalData() {
    let error = #expect(throws: ImportError.self) { try Model(onnx: model, name: "net") }
    #expect(
      error?.description == """
        net: the model is in memory and names a file of weights
          received  "weights/c.bin"
          remedy    pass its bytes through ImportOptions.externalData
        """)
  }

  @Test func shortExternalData() throws {
    let short = ImportOptions(externalData: { _ in ExternalData([UInt8](repeating: 0, count: 19)) })
    let error = #expect(throws: ImportError.self) { try Model(onnx: model, options: short) }
    #expect(error?.kind == .parameter)
    #expect(error?.headline == "the external data \"weights/c.bin\" is too short")
    #expect(error?.needs == "16 bytes from byte 4 on")
    // A range that is not all there is an error when it is read.
    let part = ImportOptions(externalData: { _ in ExternalData(byteCount: 20) { _ in [1, 2, 3] } })
    #expect(throws: (any Error).self) { try Model(onnx: model, options: part).compile() }
  }

  @Test func errorsOfTheClosureAreCauses() {
    struct Gone: Error {}
    let options = ImportOptions(externalData: { _ in throw Gone() })
    let error = #expect(throws: ImportError.self) { try Model(onnx: model, options: options) }
    #expect(error?.kind == .unreadable)
    #expect(error?.cause is Gone)
    #expect(error?.headline == "the values of initializer \"c\" cannot be read")
  }

  /// Names that lead out of the folder reach no closure.
  @Test func placesOutside() {
    let bytes = Writer.model(
      [Writer.node("Add", ["x", "c"], ["y"])],
      stored: [Writer.external("c", at: "../c.bin", sizes: [1, 4])])
    let options = ImportOptions(externalData: { _ in
      Issue.record("the closure is called")
      return ExternalData([])
    })
    let error = #expect(throws: ImportError.self) { try Model(onnx: bytes, options: options) }
    #expect(error?.kind == .malformed)
  }
}
