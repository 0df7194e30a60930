import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Small models against ONNX Runtime; Scripts/references/make_onnx_models.py made them.
@Suite struct ONNXReferenceTests {
  struct Expected: Decodable {
    struct Input: Decodable {
      let sizes: [Int]
      let seed: UInt64
      let low: Float
      let high: Float
    }

    struct Output: Decodable {
      let sizes: [Int]
      let values: [Float]
    }

    let inputs: [String: Input]
    let outputs: [String: Output]
  }

  static let expected = Result {
    try ImporterFixtures.load("ONNX/expected.json", as: [String: Expected].self)
  }

  @Test(
    arguments: ["classifier", "shuffle", "decoder", "encoder", "sequence", "channels_last"])
  func models(name: String) throws {
    let expected = try #require(try Self.expected.get()[name])
    let imported = try ImportedModel(onnx: ImporterFixtures.path("ONNX/\(name).onnx"))
    #expect(Set(imported.inputs.map(\.name)) == Set(expected.inputs.keys))
    #expect(Set(imported.outputs.map(\.name)) == Set(expected.outputs.keys))
    var inputs: [String: TensorValues] = [:]
    for port in imported.inputs {
      let input = try #require(expected.inputs[port.name])
      #expect(port.sizes == input.sizes)
      inputs[port.name] = port.tensor(
        seededValues(
          count: input.sizes.reduce(1, *), seed: input.seed, range: input.low...input.high))
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
