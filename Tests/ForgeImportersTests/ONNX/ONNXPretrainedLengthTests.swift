import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Architectures of PyPI's transformers with sequences of any length, against ONNX Runtime;
/// Scripts/references/make_pretrained_lengths.py made them.
@Suite struct ONNXPretrainedLengthTests {
  static let folder = "ONNX/Pretrained"
  static let expected = Result {
    try ImporterFixtures.decode(
      "\(folder)/expected.safetensors", as: ONNXLongLengthTests.Models.self)
  }

  private static func port(_ port: ImportedModel.Port, _ sizes: [Int]) -> ImportedModel.Port {
    .init(name: port.name, elementType: port.elementType, sizes: sizes, axes: port.axes)
  }

  private static func sizes(_ name: String) -> [String: [InputSize]] {
    name.hasPrefix("wav2vec2")
      ? ["x": [1, .stepping(from: 400, through: 3280, by: 320)]]
      : ["x": [1, .upTo(40)], "mask": [1, .upTo(40)]]
  }

  @Test(
    arguments: [
      "bert", "roberta", "mpnet", "t5", "gpt2", "llama", "wav2vec2", "deberta", "cliptext",
    ],
    ["script", "dynamo"])
  func lengthsGiveTheResultsOfONNXRuntime(_ network: String, _ exporter: String) throws {
    let name = "\(network)_\(exporter)"
    let expected = try #require(try Self.expected.get()[name])
    let path = ImporterFixtures.path("\(Self.folder)/\(name).onnx")
    let imported = try ImportedModel(
      onnx: path, options: ImportOptions(sizes: Self.sizes(name)))
    let compiled = try imported.model.compile(
      options: CompileOptions(verify: .samples(2), threads: .exactly(2)))
    #expect(compiled.report.steps.map(\.kernel).contains { $0.hasPrefix("attention") })
    let lengths = try expected.keys.map { try #require(Int($0)) }.sorted()
    // Down and up, so that a length follows longer and shorter ones.
    for length in lengths.reversed() + lengths {
      let given = try #require(expected["\(length)"])
      let output = try #require(given.outputs["y"])
      func results(_ imported: ImportedModel, _ network: CompiledModel) throws -> [Float] {
        var inputs: [String: TensorValues] = [:]
        for port in imported.inputs {
          let input = try #require(given.inputs[port.name])
          inputs[port.name] = Self.port(port, input.sizes).tensor(input.all)
        }
        let found: TensorValues = try #require(try network.predict(inputs)["y"])
        return Self.port(imported.outputs[0], output.sizes).values(found)
      }
      expectClose(
        try results(imported, compiled), output.values, relativeL2: 1e-5, maximum: 1e-4,
        "\(name), length \(length)")
      // The same file with one length.
      let fixed = try ImportedModel(
        onnx: path,
        options: ImportOptions(sizes: given.inputs.mapValues { $0.sizes.map { .exactly($0) } }))
      expectClose(
        try results(fixed, try fixed.model.compile()), output.values, relativeL2: 1e-5,
        maximum: 1e-4, "\(name), fixed length \(length)")
    }
  }
}
