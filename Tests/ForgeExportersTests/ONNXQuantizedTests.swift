import Forge
import ForgeExporters
import ForgeImporters
import ForgeTestSupport
import Testing

/// Networks that are written with tensors and weights of 8-bit integers, and read back.
@Suite struct ONNXQuantizedTests {
  private static let size = (width: 13, height: 11)

  /// A network with every kind of step that computes with integers.
  private func model() -> Model {
    var model = Model.withIntegerSteps()
    model.parameters = RandomParameters(seed: 3)
    return model
  }

  private func samples(_ count: Int, seed: UInt64 = 7) -> [[Float]] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      let scale = Float(random.next() % 100) / 50 + 0.1
      return (0..<Self.size.width * Self.size.height * 3).map { _ in
        random.nextSymmetric() * scale
      }
    }
  }

  private func table(_ model: Model, bound: Double = 1) throws -> QuantizedNetwork {
    try model.compile().quantized(
      calibration: samples(9), bound: bound, onlyFaster: false)
  }

  /// The values of an image with its channels first.
  private func fileOrder(_ values: [Float]) -> [Float] {
    (0..<3).flatMap { channel in
      (0..<Self.size.width * Self.size.height).map { values[$0 * 3 + channel] }
    }
  }

  /// The file computes the same integers in the same steps.
  @Test(arguments: [1.0, 0.01, 1e-9])
  func fileHasTheSameNumbers(bound: Double) throws {
    let model = model()
    let quantized = try table(model, bound: bound)
    let bytes = try model.onnx(options: ONNXOptions(quantization: quantized.table))
    let imported = try ImportedModel(onnx: bytes)
    let network = try imported.model.compile()
    let kernels = { (network: CompiledModel) in network.report.steps.map(\.kernel).sorted() }
    #expect(kernels(network) == kernels(quantized.network))
    for sample in samples(9) + samples(5, seed: 99) {
      let given = try imported.inputs[0].forgeValues(fileOrder(sample))
      let (own, read) = (try quantized.network.predict(sample), try network.predict(given))
      #expect(own.map(\.bitPattern) == read.map(\.bitPattern))
    }
  }

  /// Weights are bytes in the file.
  @Test func weightsAreBytes() throws {
    let input = Input(shape: [64], name: "x")
    var model = Model(input: input, output: input --> Dense(neurons: 500, name: "fc"))
    model.parameters = RandomParameters(seed: 2)
    let samples = (0..<5).map { seededValues(count: 64, seed: UInt64($0)) }
    let quantized = try model.compile().quantized(
      calibration: samples, bound: 1, onlyFaster: false)
    #expect(quantized.table.products == ["fc"])
    let (real, integers) = (
      try model.onnx(), try model.onnx(options: ONNXOptions(quantization: quantized.table))
    )
    #expect(real.count > 64 * 500 * 4 && integers.count < 64 * 500 + 500 * 20)
  }

  /// What a file has quantized is written quantized.
  @Test func quantizedFilesAreWrittenAgain() throws {
    let model = model()
    let quantized = try table(model)
    let first = try ImportedModel(
      onnx: try model.onnx(options: ONNXOptions(quantization: quantized.table)))
    let second = try ImportedModel(onnx: try first.model.onnx())
    let networks = try (first.model.compile(), second.model.compile())
    for sample in samples(4) {
      let values = fileOrder(sample)
      let results = try (
        networks.0.predict(try first.inputs[0].forgeValues(values)),
        networks.1.predict(try second.inputs[0].forgeValues(values))
      )
      #expect(results.0.map(\.bitPattern) == results.1.map(\.bitPattern))
    }
  }

  /// Tables of other models, and tables that are damaged, are errors.
  @Test func mistakes() throws {
    let model = model()
    var table = try table(model).table
    table.products.insert("nothing")
    let error = #expect(throws: CompileError.self) {
      try model.onnx(options: ONNXOptions(quantization: table))
    }
    #expect(error?.description.contains("nothing") == true)
  }
}
