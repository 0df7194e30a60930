import Forge
import ForgeImporters
import Testing

/// Quantized weights and values, integers and float16, against ONNX Runtime;
/// Scripts/references/make_onnx_quantized.py made them.
@Suite struct ONNXQuantizedTests {
  static let cases = ONNXCase.all(in: "Quantized")

  @Test func thereAreCases() { #expect(Self.cases.count == 28) }

  @Test(arguments: cases)
  func equalsONNXRuntime(_ test: ONNXCase) throws { try test.check(in: "Quantized") }

  /// The mean of four quantized values is often the middle of two, where the last bit decides.
  @Test func verificationAllowsForTies() throws {
    let imported = try ImportedModel(
      onnx: ImporterFixtures.path("ONNX/Quantized/ties.onnx"))
    let rewritten = try imported.model.compile(options: CompileOptions(verify: .samples(3)))
    let exact = try #require(rewritten.report.verification)
    #expect(exact.errors.allSatisfy { $0.relativeL2 <= exact.bound })
    let network = try imported.model.compile(
      options: CompileOptions(
        verify: .samples(3), disabledRewrites: ["recognizeQuantization"]))
    let verification = try #require(network.report.verification)
    #expect(verification.errors.allSatisfy { $0.checked <= verification.bound })
    // Real numbers have ties that the plan decides in another way than the reference.
    #expect(verification.errors.contains { $0.relativeL2 > verification.bound })
  }

  /// Weights that the graph quantizes are known while importing: the plan has one convolution and
  /// no step for them.
  @Test func storedWeightsAreQuantisedWhileImporting() throws {
    let imported = try ImportedModel(
      onnx: ImporterFixtures.path("ONNX/Quantized/weights_i8.onnx"))
    #expect(imported.model.layers.count { $0.type == "Convolution" } == 1)
    #expect(!imported.model.layers.contains { $0.type == "Unary" })
  }
}
