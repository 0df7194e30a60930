import Forge
import ForgeImporters
import Testing

/// Dynamic ranges of sequences of open length; Scripts/references/make_onnx_dynamic_lengths.py made
/// the files.
@Suite struct ONNXDynamicLengthTests {
  private func imported(_ file: String, _ size: InputSize) throws -> ImportedModel {
    var options = ImportOptions()
    options.sizes["x"] = [1, size, 48]
    return try ImportedModel(
      onnx: ImporterFixtures.path("ONNX/DynamicLengths/\(file).onnx"), options: options)
  }

  private func values(_ length: Int) -> [Float] {
    (0..<length * 48).map { Float(($0 * 7919) % 1009) / 500 - 0.9 }
  }

  /// Every length is bit-identical to a network of that length.
  @Test(arguments: ["attention", "recurrent"], [1, 2])
  func lengthsAreThoseOfFixedSizes(_ file: String, _ threads: Int) throws {
    let options = CompileOptions(threads: .exactly(threads))
    let open = try imported(file, .upTo(70)).model.compile(options: options)
    for length in [70, 1, 2, 7, 16, 17, 33, 64] {
      let fixed = try imported(file, .exactly(length)).model.compile(options: options)
      let x = values(length)
      #expect(try open.predict(x) == fixed.predict(x), "\(length)")
      #expect(
        fixed.report.steps.contains { $0.kernel.hasPrefix("integer") }, "\(length)")
    }
  }
}
