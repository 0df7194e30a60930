import Forge
import ForgeImporters
import ForgeTestSupport
import Testing

/// Inputs of several sizes against PyTorch; Scripts/references/make_coreml_sizes.py computed the
/// numbers.
@Suite struct CoreMLSizesTests {
  private static let expected = Result {
    try ImporterFixtures.decode(
      "CoreML/Sizes/expected.safetensors", as: [String: ReferenceCase].self)
  }

  private static func path(_ name: String) -> String {
    ImporterFixtures.path("CoreML/Sizes/\(name).mlpackage")
  }

  private func imported(
    _ name: String, _ sizes: [String: [InputSize]] = [:], largest: Int? = 512
  ) throws -> ImportedModel {
    var options = ImportOptions(sizes: sizes)
    options.largestOpenSize = largest
    return try ImportedModel(coreML: Self.path(name), options: options)
  }

  /// A port with other sizes.
  private static func sized(_ port: ImportedModel.Port, _ sizes: [Int]) -> ImportedModel.Port {
    ImportedModel.Port(
      name: port.name, elementType: port.elementType, sizes: sizes, axes: port.axes)
  }

  /// Predicts at every size that the fixture has, twice, with one compiled network.
  private func expectAllSizes(
    _ imported: ImportedModel, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let network = try imported.model.compile()
    let cases = try Self.expected.get().filter { $0.key.hasPrefix(name + " ") }
    #expect(cases.count > 1, sourceLocation: sourceLocation)
    for (key, expected) in cases.sorted(by: { $0.key < $1.key }) + cases {
      var inputs: [String: TensorValues] = [:]
      for port in imported.inputs {
        let input = try #require(expected.inputs[port.name])
        inputs[port.name] = Self.sized(port, input.sizes).tensor(input.values)
      }
      let predictions = try network.predict(inputs)
      for port in imported.outputs {
        let output = try #require(expected.outputs[port.name])
        let result: TensorValues = try #require(predictions[port.name])
        expectClose(
          Self.sized(port, output.sizes).values(result), output.values, relativeL2: 1e-5,
          maximum: 1e-4, "\(key): \(port.name)", sourceLocation: sourceLocation)
      }
    }
  }

  /// Ranges are taken as they are, up to the largest size that is assumed.
  @Test func ranges() throws {
    let imported = try imported("ranges")
    #expect(
      imported.assumedSizes == ["x": [1, 2, .open("x.2", 4...20), .open("x.3", 4...512)]])
    #expect(imported.inputs.map(\.sizes) == [[1, 2, 20, 512]])
    try expectAllSizes(imported, "ranges")
    #expect(
      try self.imported("ranges", largest: 3).assumedSizes
        == ["x": [1, 2, .open("x.2", 4...6), .open("x.3", 4...5)]])
  }

  /// Enumerated sizes are those of the progression that holds them.
  @Test func enumeration() throws {
    let imported = try imported("enumerated")
    #expect(
      imported.assumedSizes == [
        "x": [1, .open("x.1", 8...24, step: 4), 6], "y": [1, .open("y.1", 8...24, step: 4), 1],
      ])
    try expectAllSizes(imported, "enumerated")
    let network = try imported.model.compile()
    let wrong = Dictionary(
      uniqueKeysWithValues: imported.inputs.map { port in
        let sizes = [1, 10, port.sizes[2]]
        let values = Array(repeating: Float(1), count: 10 * sizes[2])
        return (port.name, Self.sized(port, sizes).tensor(values))
      })
    #expect(throws: PredictionError.self) { try network.predict(wrong) }
  }

  /// An image has its default size unless others are stated, fixed or open ones.
  @Test func pictures() throws {
    #expect(try imported("picture").inputs.map(\.sizes) == [[1, 3, 24, 32]])
    #expect(try imported("picture").assumedSizes.isEmpty)
    #expect(
      try imported("picture", ["x": [1, 3, 17, 41]]).inputs.map(\.sizes) == [[1, 3, 17, 41]])
    try expectAllSizes(
      imported("picture", ["x": [1, 3, .open("h", 16...64), .open("w", 16...64)]]), "picture")
    for sizes: [InputSize] in [[3, 17, 41], [1, 1, 17, 41], [2, 3, 17, 41]] {
      let error = #expect(throws: ImportError.self) { try imported("picture", ["x": sizes]) }
      #expect(error?.received?.contains("[1, 3, height, width]") == true, "\(sizes)")
    }
  }

  /// Without a largest size, and for sizes that the caller states, nothing is assumed.
  @Test func defaultSizes() throws {
    for largest: Int? in [nil, 0, -1] {
      let plain = try imported("ranges", largest: largest)
      #expect(plain.inputs.map(\.sizes) == [[1, 2, 6, 5]])
      #expect(plain.assumedSizes.isEmpty)
    }
    let stated = try imported("ranges", ["x": [1, 2, 4, 9]])
    #expect(stated.inputs.map(\.sizes) == [[1, 2, 4, 9]])
    #expect(stated.assumedSizes.isEmpty)
  }
}
