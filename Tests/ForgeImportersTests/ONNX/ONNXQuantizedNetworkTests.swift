import Forge
import ForgeImporters
import Foundation
import Testing

/// Networks that ONNX Runtime quantized, against what it computes with them;
/// Scripts/references/make_quantized_networks.py made them.
@Suite struct ONNXQuantizedNetworkTests {
  private static let folder = ImporterFixtures.folder.appending(path: "ONNX/QuantizedNetworks")
  static let files: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".onnx") }.map { String($0.dropLast(5)) }.sorted()

  /// What ONNX Runtime was given and made.
  private static let values = Result {
    try SafeTensors(folder.appending(path: "values.safetensors").path)
  }

  private static func values(_ name: String) throws -> [Float] {
    var result: [Float] = []
    try values.get().data(named: name).withUnsafeBytes {
      result = Array($0.bindMemory(to: Float.self))
    }
    return result
  }

  private static func imported(_ file: String) throws -> ImportedModel {
    try ImportedModel(onnx: folder.appending(path: "\(file).onnx").path)
  }

  /// The outputs of a sample by name, in the order of the file.
  private static func predict(
    _ imported: ImportedModel, _ network: CompiledModel, _ file: String, sample: Int
  ) throws -> [String: [Float]] {
    var inputs: [String: TensorValues] = [:]
    for port in imported.inputs {
      inputs[port.name] = port.tensor(try values("\(file)/\(sample)/\(port.name)"))
    }
    let found = try network.predict(inputs)
    var outputs: [String: [Float]] = [:]
    for port in imported.outputs {
      let result: TensorValues = try #require(found[port.name])
      outputs[port.name] = port.values(result)
    }
    return outputs
  }

  @Test func thereAreFiles() { #expect(Self.files.count == 92) }

  /// No number is off by more than one quantum, and nine of ten are equal.
  @Test(arguments: files)
  func equalsONNXRuntime(_ file: String) throws {
    let imported = try Self.imported(file)
    let network = try imported.model.compile()
    var (equal, count) = (0, 0)
    for sample in 0..<3 {
      for (name, found) in try Self.predict(imported, network, file, sample: sample) {
        let expected = try Self.values("\(file)/\(sample)/\(name)")
        let quantum = try #require(try Self.values("\(file)/quantum/\(name)").first)
        #expect(found.count == expected.count)
        for (value, other) in zip(found, expected) {
          let off = abs(value - other) / quantum
          #expect(off <= 1.001, "\(name) of sample \(sample): \(value) is not \(other)")
          if off < 0.01 { equal += 1 }
          count += 1
        }
      }
    }
    // The last bit of a tanh decides about an integer of the next range.
    #expect(equal * 10 >= count * (file == "dense_dynamic_s8" ? 6 : 9))
  }

  /// Every instruction set and number of threads has the same bits, on integers.
  @Test(arguments: [
    "plain_qdq_u8s8", "separable_qdq_u8s8", "residual_qdq_s8s8", "squeeze_qdq_s8s8",
  ])
  func everyInstructionSetIsEqual(_ file: String) throws {
    let imported = try Self.imported(file)
    let present = Device.all[0].instructionSets
    let sets = CompileOptions.InstructionSet.allCases.filter { present.contains($0.rawValue) }
    for sample in 0..<3 {
      var first: [String: [Float]]?
      for set in sets {
        for threads in [1, 2] {
          let network = try imported.model.compile(
            options: CompileOptions(instructionSet: set, threads: .exactly(threads)))
          let found = try Self.predict(imported, network, file, sample: sample)
          #expect(first == nil || found == first, "\(set), \(threads) threads")
          first = first ?? found
        }
      }
    }
  }

  /// Convolutions, sums and poolings between quantizations are steps on integers.
  @Test func islandsAreIntegers() throws {
    func kernels(_ file: String) throws -> [String] {
      try Self.imported(file).model.compile().report.steps.map {
        String($0.kernel.prefix { !$0.isNumber }).trimmingCharacters(in: .whitespaces)
      }
    }
    #expect(
      try kernels("separable_qdq_u8s8") == [
        "quantize pixels", "integer convolution", "integer depthwise", "integer convolution",
        "integer convolution", "integer depthwise", "integer convolution", "integer add",
        "dequantize", "unblock",
      ])
    let residual = try kernels("residual_operators_u8s8")
    #expect(residual.count { $0 == "integer convolution" } == 2)
    #expect(residual.count { $0 == "integer pooling" } == 2)
  }

  /// A sequence that became integers is not computed as real numbers again.
  @Test func recurrentCellsReadIntegers() throws {
    for file in ["recurrent_dynamic_s8", "recurrent_dynamic_u8"] {
      let kernels = try Self.imported(file).model.compile().report.steps.map(\.kernel)
      #expect(kernels.contains("integer lstm"))
      #expect(!kernels.contains("subtract") && !kernels.contains("dequantize"), "\(kernels)")
    }
  }

  /// Recurrent weights that are not integers are an error that names the layer.
  @Test func otherRecurrentWeightsAreAnError() throws {
    let model = try Self.imported("recurrent_dynamic_s8").model
    #expect(model.hasIntegerWeights)
    let error = #expect(throws: CompileError.self) {
      _ = try model.compile(parameters: RandomParameters(seed: 1))
    }
    #expect(
      error?.problems.first?.headline
        == "the recurrent weights are not integers times the scales of the layer")
    #expect(error?.problems.first?.layer != nil)
  }
}
