import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Transformers that PyTorch and tf2onnx export, against ONNX Runtime;
/// Scripts/references/make_transformer_exports.py made them.
@Suite struct ONNXTransformerTests {
  struct Expected: Decodable {
    struct Values: Decodable {
      let sizes: [Int]
      @Numbers var values: [Float]
    }

    let attentions: Int
    let inputs: [String: Values]
    let outputs: [String: Values]
  }

  static let folder = "ONNX/Transformers"
  static let expected = Result {
    try ImporterFixtures.decode("\(folder)/expected.safetensors", as: [String: Expected].self)
  }

  @Test(
    arguments: [
      "operators", "formulas", "keras_attention", "encoder_script", "encoder_dynamo",
      "encoder_rows_script", "encoder_rows_dynamo", "bert_sdpa_script", "bert_sdpa_dynamo",
      "bert_eager_script", "bert_eager_dynamo", "vit_script", "vit_dynamo", "gpt2_dynamo",
      "llama_dynamo",
    ])
  func models(name: String) throws {
    let expected = try #require(try Self.expected.get()[name])
    let imported = try ImportedModel(
      onnx: ImporterFixtures.path("\(Self.folder)/\(name).onnx"))
    #expect(Set(imported.inputs.map(\.name)) == Set(expected.inputs.keys))
    #expect(Set(imported.outputs.map(\.name)) == Set(expected.outputs.keys))
    var inputs: [String: TensorValues] = [:]
    for port in imported.inputs {
      let input = try #require(expected.inputs[port.name])
      #expect(port.sizes == input.sizes)
      inputs[port.name] = port.tensor(input.values)
    }
    for disabled: Set<String> in [[], ["recognizeAttention"]] {
      let network = try imported.model.compile(
        options: CompileOptions(disabledRewrites: disabled, threads: .exactly(2)))
      let predictions = try network.predict(inputs)
      for port in imported.outputs {
        let output = try #require(expected.outputs[port.name])
        #expect(port.sizes == output.sizes)
        let result: TensorValues = try #require(predictions[port.name])
        expectClose(
          port.values(result), output.values, relativeL2: 1e-5, maximum: 1e-4,
          "\(name): \(port.name) without \(disabled)")
      }
      guard disabled.isEmpty else { continue }
      // An attention is one step, which leaves no softmax.
      let steps = network.report.description.split(separator: "\n")
      #expect(steps.count { $0.contains(". attention") } == expected.attentions, "\(name)")
      #expect(!steps.contains { $0.contains(". softmax") }, "\(name): \(steps)")
    }
  }

  /// Embeddings, normalizations and their like are single operations.
  @Test(arguments: ["bert_sdpa_script", "bert_sdpa_dynamo"])
  func singleOperations(name: String) throws {
    let imported = try ImportedModel(
      onnx: ImporterFixtures.path("\(Self.folder)/\(name).onnx"))
    #expect(imported.model.layers.contains { $0.type == "Embedding" })
    let kernels = try imported.model.compile().report.steps.map(\.kernel)
    #expect(kernels.count { $0.hasPrefix("normalize") } == 5, "\(kernels)")
    #expect(kernels.count { $0.contains("1×1") } == 12, "\(kernels)")
    for other in ["matrix", "errorFunction", "reduce", "permute"] {
      #expect(!kernels.contains { $0.hasPrefix(other) }, "\(kernels)")
    }
  }
}
