import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Small models against ONNX Runtime; Scripts/references/make_onnx_models.py made them.
@Suite struct ONNXReferenceTests {
  static let expected = Result {
    try ImporterFixtures.decode("ONNX/expected.safetensors", as: [String: ReferenceCase].self)
  }

  @Test(
    arguments: [
      "classifier", "shuffle", "decoder", "encoder", "sequence", "channels_last", "rare",
      "large",
    ])
  func models(name: String) throws {
    let expected = try #require(try Self.expected.get()[name])
    // Stated sizes keep the batch of 2 that one file fixes.
    let sizes = expected.inputs.filter { _ in name == "decoder" }.mapValues { input in
      input.sizes.map { InputSize.exactly($0) }
    }
    let imported = try ImportedModel(
      onnx: ImporterFixtures.path("ONNX/\(name).onnx"), options: ImportOptions(sizes: sizes))
    #expect(Set(imported.inputs.map(\.name)) == Set(expected.inputs.keys))
    let names = imported.outputs.map(\.name) + imported.constants.map(\.name)
    #expect(Set(names) == Set(expected.outputs.keys))
    for constant in imported.constants {
      let output = try #require(expected.outputs[constant.name])
      #expect(constant.values.sizes == output.sizes && constant.values.floats == output.values)
    }
    var inputs: [String: TensorValues] = [:]
    for port in imported.inputs {
      let input = try #require(expected.inputs[port.name])
      #expect(port.sizes == input.sizes)
      inputs[port.name] = port.tensor(input.values)
    }
    for threads in [1, 3] {
      let network = try imported.model.compile(options: .init(threads: .exactly(threads)))
      let predictions = try network.predict(inputs)
      for port in imported.outputs {
        let output = try #require(expected.outputs[port.name])
        #expect(port.sizes == output.sizes)
        let result: TensorValues = try #require(predictions[port.name])
        #expect(result.shape.sizes == port.forgeSizes)
        if port.elementType.isInteger {
          #expect(port.values(result) == output.values)
        } else {
          expectClose(
            port.values(result), output.values, relativeL2: 1e-5, maximum: 1e-4,
            "\(name): \(port.name)")
        }
      }
    }
  }

  /// Outputs that no input changes are known after the import, and the model need not compile.
  @Test func constantOutputs() throws {
    let imported = try ImportedModel(onnx: ImporterFixtures.path("ONNX/shapes.onnx"))
    #expect(imported.outputs.isEmpty && imported.inputs.isEmpty)
    #expect(Set(imported.ignoredInputs) == ["image", "nothing"])
    let constants = Dictionary(
      uniqueKeysWithValues: imported.constants.map { ($0.name, $0.values) })
    let expected = try #require(try Self.expected.get()["shapes"])
    #expect(Set(constants.keys) == Set(expected.outputs.keys))
    for (name, output) in expected.outputs {
      #expect(constants[name]?.sizes == output.sizes, "\(name)")
      #expect(constants[name]?.floats == output.values, "\(name)")
    }
  }

  /// Large weights are read when the model is compiled; the file must still be the same then.
  @Test func largeWeightsStayInTheFile() throws {
    let bytes = try ImporterFixtures.bytes("ONNX/large.onnx")
    let model = try ImporterFixtures.withFile(bytes, ending: "onnx") { path in
      let model = try Model(onnx: path)
      #expect(throws: Never.self) { try model.compile() }
      return model
    }
    #expect(throws: CompileError.self) { try model.compile() }
    // A length beyond the end of the file, and a weight that is shorter than its sizes.
    try ImporterFixtures.withFile(bytes.dropLast(300), ending: "onnx") { path in
      _ = #expect(throws: ImportError.self) { try Model(onnx: path) }
    }
  }

  /// A flattening of channels first before a dense layer moves weights, not the image.
  @Test func nothingMovesAtRunTime() throws {
    for (name, most) in [
      ("classifier", 0), ("shuffle", 2), ("channels_last", 0),
    ] {
      let imported = try ImportedModel(onnx: ImporterFixtures.path("ONNX/\(name).onnx"))
      let permutes = imported.model.layers.count { $0.type == "Permute" }
      #expect(permutes <= most, "\(name)")
    }
  }

  @Test func elementTypesAndAxes() throws {
    let imported = try ImportedModel(onnx: ImporterFixtures.path("ONNX/encoder.onnx"))
    #expect(imported.outputs.map(\.elementType) == [.float32, .int64, .bool])
    #expect(imported.inputs.map(\.axes) == [[2, 1]] || imported.inputs.map(\.axes) == [[1, 2]])
  }
}
