import Forge
import ForgeImporters
import ForgeLoaders
import ForgeTestSupport
import Testing

/// Models that Keras's `quantize` has changed, against what Keras predicts from the same files;
/// Scripts/references/make_keras_quantized.py made them.
@Suite struct KerasQuantizedTests {
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether a quantized layer reads what another one computes, whose last bits may change the
    /// integer of a number.
    let isChained: Bool
    /// What the error says if the file is refused.
    let refused: String?

    var testDescription: String { name }
    var path: String { ImporterFixtures.path("KerasQuantized/\(name).keras") }
  }

  private static let all =
    (try? ImporterFixtures.load("KerasQuantized/list.json", as: [Case].self)) ?? []
  static let cases = all.filter { $0.refused == nil }
  static let refused = all.filter { $0.refused != nil }
  private static let samples = 3

  private static func array(_ name: String) throws -> NumPyArray {
    try NumPyArray(path: ImporterFixtures.path("KerasQuantized/arrays.npz"), entry: name)
  }

  @Test func thereAreCases() { #expect(Self.cases.count > 80 && Self.refused.count == 6) }

  /// Every row of an output is compared by its own largest number: rows differ by 60 orders of
  /// magnitude.
  @Test(arguments: cases)
  func equalsKeras(_ expected: Case) throws {
    let model = try ImportedModel(keras: expected.path).model
    let inputs = try Self.array("\(expected.name).in").values
    let outputs = try Self.array("\(expected.name).out")
    let results = try outputs.values
    let row = try #require(outputs.sizes.last)
    for threads in [1, 3] {
      let network = try model.compile(options: .init(threads: .exactly(threads)))
      for sample in 0..<Self.samples {
        func part(_ values: [Float]) -> [Float] {
          let count = values.count / Self.samples
          return Array(values[sample * count..<(sample + 1) * count])
        }
        let predicted = try network.predict(part(inputs))
        let wanted = part(results)
        try #require(predicted.count == wanted.count)
        for start in stride(from: 0, to: wanted.count, by: row) {
          let rows = (predicted[start..<start + row], wanted[start..<start + row])
          let size = rows.1.reduce(0) { max($0, abs($1)) }
          let difference = zip(rows.0, rows.1).reduce(0) { max($0, abs($1.0 - $1.1)) }
          #expect(
            difference <= size * (expected.isChained ? 2e-2 : 2e-6),
            "\(expected.name), sample \(sample), row \(start / row): \(difference) of \(size)")
        }
      }
    }
  }

  @Test(arguments: refused)
  func refuses(_ expected: Case) throws {
    let text = try #require(expected.refused)
    #expect {
      _ = try ImportedModel(keras: expected.path).model.compile()
    } throws: {
      "\($0)".contains(text)
    }
  }

  /// Products of quantized rows are those of integers, and 4-bit weights of a few rows stay so.
  @Test(arguments: [
    ("dense_int8", "integer convolution"), ("dense_vector_int8", "integer convolution"),
    ("dense_image_int8", "integer convolution"), ("einsum_int8", "integer convolution"),
    ("einsum_back_int8", "integer convolution"), ("dense_int4_inputs", "integer convolution"),
    ("lora_dense", "integer convolution"), ("reversible_int8", "integer convolution"),
    ("dense_few_int4", "4-bit product"), ("dense_few_int4_blocks", "4-bit product"),
    ("dense_few_int4_channel", "4-bit product"),
  ])
  func computesWith(_ name: String, _ kernel: String) throws {
    let path = ImporterFixtures.path("KerasQuantized/\(name).keras")
    let network = try ImportedModel(keras: path).model.compile()
    #expect(network.report.steps.contains { $0.kernel.hasPrefix(kernel) })
  }

  @Test func factsTellStoredTypes() throws {
    let file = ModelFile(ImporterFixtures.path("KerasQuantized/network_int4.keras"))
    let facts = try file.facts() + (try file.imported().metadataFacts)
    #expect(facts.contains { $0.label == "quantized" && $0.text == "int4/128_from_float32 5" })
    // Bytes of two integers, and the normalization and the biases.
    #expect(facts.contains { $0.label == "weights" && $0.text.contains("of i8") })
  }

  /// What is not finite stays in its row, and no result of that row is finite.
  @Test func rowsAreApart() throws {
    let path = ImporterFixtures.path("KerasQuantized/dense_few_int8.keras")
    let network = try ImportedModel(keras: path).model.compile()
    let (inputs, outputs) = (37, 17)
    var values = seededValues(count: 3 * inputs, seed: 5)
    let clean = try network.predict(values)
    for hostile in [Float.nan, .infinity, -.infinity] {
      values[inputs + 4] = hostile
      let results = try network.predict(values)
      #expect(results[..<outputs] == clean[..<outputs])
      #expect(results[(2 * outputs)...] == clean[(2 * outputs)...])
      #expect(results[outputs..<2 * outputs].allSatisfy { !$0.isFinite })
    }
  }

  /// Descriptions that Keras does not write are errors.
  @Test(arguments: [
    #""units": 0, "dtype": "int8_from_float32""#, #""units": -1, "dtype": "int4_from_float32""#,
    #""units": 9223372036854775807, "dtype": "int4/5_from_float32""#,
    #""units": 3, "dtype": {"config": {"mode": "int4/0"}}"#,
    #""units": 3, "dtype": {"config": {"mode": "int4/x"}}"#,
    #""units": 3, "dtype": {"config": {"mode": ""}}"#,
    #""units": 3, "dtype": {"config": {"policy_map": {"d": {"config": {"mode": "int8"}}}}}"#,
    #"""
    "units": 3, "dtype": "int8_from_float32", "quantization_config":
    {"config": {"activation_quantizer": {"class_name": "AbsMaxQuantizer", "config":
    {"value_range": [5, 1e30], "epsilon": -1}}}}
    """#,
  ])
  func refusesDescriptions(_ arguments: String) throws {
    let text = #"""
      {"class_name": "Sequential", "config": {"name": "net", "layers": [
      {"class_name": "InputLayer", "config": {"name": "x", "batch_shape": [null, 5]}},
      {"class_name": "Dense", "config": {"name": "d", \#(arguments)}}]}}
      """#
    #expect(throws: ImportError.self) { try ImportedModel(kerasDescription: text) }
  }
}
