import Forge
import ForgeImporters
import ForgeTestSupport
import Testing

/// Files of scikit-learn, LightGBM and XGBoost, against ONNX Runtime and the models themselves;
/// Scripts/references/make_sklearn_models.py made them.
@Suite struct ONNXSklearnTests {
  struct Output: Decodable, Sendable {
    let sizes: [Int]
    @Numbers var values: [Float]
    let whole: Bool
    /// What the model itself computes in double precision, and how far ONNX Runtime is from it.
    let own: Numbers?
    let distance: Float?
  }

  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let sizes: [Int]
    @Numbers var rows: [Float]
    let outputs: [String: Output]
    let labels: [String]
    var testDescription: String { name }
  }

  static let cases =
    (try? ImporterFixtures.decode("ONNX/Sklearn/cases.safetensors", as: [Case].self)) ?? []

  @Test func thereAreCases() { #expect(Self.cases.count == 80) }

  /// All rows at once: the batch of the file has a size.
  @Test(arguments: cases)
  func batch(_ test: Case) throws {
    let name = try ImportedModel(onnx: path(test)).inputs[0].name
    let options = ImportOptions(sizes: [name: test.sizes.map { .exactly($0) }])
    let imported = try ImportedModel(onnx: path(test), options: options)
    let network = try imported.model.compile(options: CompileOptions(threads: .exactly(1)))
    let rows = imported.inputs[0].tensor(test.rows)
    let found = try network.predict([name: rows])
    #expect(Set(imported.outputs.map(\.name)) == Set(test.outputs.keys))
    for port in imported.outputs {
      let wanted = try #require(test.outputs[port.name])
      #expect(port.sizes == wanted.sizes)
      try compare(port.values(try #require(found[port.name])), wanted, port.name)
    }
    #expect(test.labels.isEmpty || imported.model.metadata.labels == test.labels)
  }

  /// One row at a time, as a file with an open batch is imported.
  @Test(arguments: cases)
  func rows(_ test: Case) throws {
    let imported = try ImportedModel(onnx: path(test))
    let network = try imported.model.compile(options: CompileOptions(threads: .exactly(1)))
    let (port, count) = (imported.inputs[0], test.sizes[0])
    let columns = test.rows.count / count
    #expect(imported.model.metadata.exampleMixer == nil)
    var all: [String: [Float]] = [:]
    for row in 0..<count {
      let values = Array(test.rows[(row * columns)..<((row + 1) * columns)])
      let found = try network.predict([port.name: port.tensor(values)])
      for output in imported.outputs {
        all[output.name, default: []] += output.values(try #require(found[output.name]))
      }
    }
    for (name, values) in all { try compare(values, try #require(test.outputs[name]), name) }
  }

  private func path(_ test: Case) -> String {
    ImporterFixtures.path("ONNX/Sklearn/\(test.name).onnx")
  }

  /// Labels are equal, numbers within 10⁻⁵ of their size.
  private func compare(_ found: [Float], _ wanted: Output, _ name: String) throws {
    let values = wanted.values
    try #require(found.count == values.count)
    if wanted.whole {
      #expect(found == values, "\(name)")
      if let own = wanted.own { #expect(found == own.wrappedValue, "\(name), of the model") }
      return
    }
    // A number close to 0 is the difference of larger ones.
    let columns = max(wanted.sizes.dropFirst().reduce(1, *), 1)
    let size = (0..<columns).map { column in
      stride(from: column, to: values.count, by: columns)
        .map { values[$0].isFinite ? abs(values[$0]) : 0 }.max() ?? 0
    }
    for (index, pair) in zip(found, values).enumerated() {
      let close = abs(pair.0 - pair.1) <= 1e-5 * abs(pair.1) + 1e-6 * size[index % columns]
      #expect(
        pair.0 == pair.1 || close || pair.0.isNaN && pair.1.isNaN,
        "\(name)[\(index)]: \(pair.0), ONNX Runtime has \(pair.1)")
    }
    guard let own = wanted.own?.wrappedValue, let distance = wanted.distance else { return }
    let largest = own.map { abs($0) }.max() ?? 0
    for (index, pair) in zip(found, own).enumerated() {
      #expect(
        abs(pair.0 - pair.1) <= max(1e-5, 2 * distance) * largest,
        "\(name)[\(index)]: \(pair.0), the model has \(pair.1)")
    }
  }
}
