import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Normalizations and attention as PyTorch and tf2onnx write them, against ONNX Runtime, and
/// against NumPy for hostile numbers; Scripts/references/make_pattern_exports.py and
/// make_keras_patterns.py made them.
@Suite struct ONNXPatternTests {
  struct Expected: Decodable {
    struct Case: Decodable {
      let inputs: [String: ReferenceCase.Output]
      let outputs: [String: ReferenceCase.Output]
    }

    /// How many steps of a kind the plan has.
    let steps: [String: Int]
    /// Kinds of which it has none.
    let absent: [String]
    /// The first one has tame numbers.
    let cases: [Case]
  }

  static let folder = "ONNX/Patterns"
  static let torch = Result {
    try ImporterFixtures.decode("\(folder)/torch.safetensors", as: [String: Expected].self)
  }
  static let keras = Result {
    try ImporterFixtures.decode("\(folder)/keras.safetensors", as: [String: Expected].self)
  }

  private func expectResults(
    _ name: String, _ expected: Expected?, without rewrite: String
  ) throws {
    let expected = try #require(expected)
    let imported = try ImportedModel(onnx: ImporterFixtures.path("\(Self.folder)/\(name).onnx"))
    for disabled: Set<String> in [[], [rewrite]] {
      let network = try imported.model.compile(
        options: CompileOptions(disabledRewrites: disabled, threads: .exactly(2)))
      // As it is written the arithmetic loses digits of hostile numbers.
      for (index, own) in expected.cases.enumerated() where index == 0 || disabled.isEmpty {
        var inputs: [String: TensorValues] = [:]
        for port in imported.inputs {
          inputs[port.name] = port.tensor(try #require(own.inputs[port.name]).values)
        }
        let predictions = try network.predict(inputs)
        #expect(Set(imported.outputs.map(\.name)) == Set(own.outputs.keys))
        for port in imported.outputs {
          let output = try #require(own.outputs[port.name])
          #expect(port.sizes == output.sizes)
          let result: TensorValues = try #require(predictions[port.name])
          expectClose(
            port.values(result), output.values, relativeL2: 1e-5, maximum: 1e-4,
            "\(name), case \(index): \(port.name) without \(disabled)")
        }
      }
      guard disabled.isEmpty else { continue }
      let kernels = network.report.steps.map(\.kernel)
      for (kind, count) in expected.steps {
        #expect(kernels.count { $0.hasPrefix(kind) } == count, "\(name): \(kernels)")
      }
      for kind in expected.absent {
        #expect(!kernels.contains { $0.hasPrefix(kind) }, "\(name): \(kernels)")
      }
    }
  }

  @Test(
    arguments: [
      "llama_script", "llama_dynamo", "t5_script", "t5_dynamo", "gemma_script", "gemma_dynamo",
      "torch_dynamo", "written_root_script", "written_root_dynamo", "written_power_script",
      "written_power_dynamo", "written_scaled_script", "written_scaled_dynamo",
    ])
  func rootMeanSquares(name: String) throws {
    try expectResults(
      "rms_\(name)", try Self.torch.get()["rms_\(name)"], without: "recognizeNormalization")
  }

  @Test(
    arguments: [
      "keras_layer", "keras_plain", "keras_scale", "keras_centre", "keras_rms",
      "tf_batch_normalization",
    ])
  func normalizationsOfTensorFlow(name: String) throws {
    try expectResults(name, try Self.keras.get()[name], without: "recognizeNormalization")
  }

  /// What only looks like a normalization stays arithmetic; what something else reads stays beside
  /// the normalization.
  @Test(
    arguments: [
      "axis", "epsilon", "other", "rows", "mean_read", "mean_output", "root_output",
      "normal_output", "moved", "moved_axis", "moved_variance", "moved_epsilon", "moved_scale",
      "moved_inner", "moved_sign", "moved_mean_output", "moved_shift_output",
    ])
  func nearMisses(name: String) throws {
    try expectResults(
      "near_\(name)", try Self.torch.get()["near_\(name)"], without: "recognizeNormalization")
  }

  /// One product makes queries, keys and values, and nothing is gathered.
  @Test(
    arguments: [
      "mha", "mha_blocks", "mha_rows", "mha_time_first", "mha_no_bias", "mha_weights", "mha_cross",
    ], ["script", "dynamo"])
  func attentions(name: String, exporter: String) throws {
    let name = "\(name)_\(exporter)"
    try expectResults(name, try Self.torch.get()[name], without: "sliceProducts")
  }
}
