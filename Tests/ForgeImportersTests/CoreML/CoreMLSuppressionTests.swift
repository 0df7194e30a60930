import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Suppression of boxes as a stage of a pipeline and in programs, against NumPy;
/// Scripts/references/make_coreml_suppression.py made them.
@Suite struct CoreMLSuppressionTests {
  struct Case: Decodable, Sendable {
    struct Output: Decodable, Sendable {
      @Numbers var values: [Float]
    }

    @Numbers var boxes: [Float]
    @Numbers var scores: [Float]
    let outputs: [String: Output]
  }

  static let cases =
    (try? ImporterFixtures.decode(
      "CoreML/Suppression/expected.safetensors", as: [String: Case].self)) ?? [:]

  private static func imported(
    _ file: String, _ options: ImportOptions = .init()
  ) throws -> ImportedModel {
    try ImportedModel(
      coreML: ImporterFixtures.path("CoreML/Suppression/\(file)"), options: options)
  }

  @Test func thereAreCases() { #expect(Self.cases.count == 7) }

  @Test(arguments: cases.keys.sorted())
  func equalsTheSpecification(_ file: String) throws {
    let known = try #require(Self.cases[file])
    let imported = try Self.imported(file)
    let network = try imported.model.compile()
    var given: [String: TensorValues] = [:]
    for port in imported.inputs {
      given[port.name] = try port.forgeValues(port.name == "boxes" ? known.boxes : known.scores)
    }
    let found = try network.predict(given)
    for (name, expected) in known.outputs {
      let port = try #require(imported.outputs.first { $0.name == name })
      let values = try port.fileValues(try #require(found[name]).values)
      expectClose(values, expected.values, relativeL2: 1e-5, "\(file), \(name)")
      if name == "places" || name == "counts" { #expect(values == expected.values) }
    }
  }

  @Test func labelsAndThresholdsOfAPipeline() throws {
    let file = "pipeline_all.mlmodel"
    let known = try #require(Self.cases[file])
    let imported = try Self.imported(file)
    #expect(imported.model.metadata.labels == (0..<5).map { "class \($0)" })
    #expect(imported.inputs.map(\.name).sorted() == ["boxes", "scores"])
    #expect(
      imported.ignoredInputs.sorted() == ["confidenceThreshold", "iouThreshold"])
    // A threshold of the caller: every box is kept, the best first.
    var options = ImportOptions()
    options.constants["iouThreshold"] = try StoredTensor(floats: [1])
    options.constants["confidenceThreshold"] = try StoredTensor(floats: [0])
    let all = try Self.imported(file, options)
    #expect(all.ignoredInputs.isEmpty)
    let found = try all.model.compile().predict(["boxes": known.boxes, "scores": known.scores])
    let scores = try #require(found["confidence"]).values
    let best = stride(from: 0, to: scores.count, by: 5).map { scores[$0..<$0 + 5].max() ?? 0 }
    #expect(best.allSatisfy { $0 > 0 } && best == best.sorted(by: >))
  }

  /// Scores that are not numbers, and boxes that are not finite, keep the others apart.
  @Test func hostileNumbers() throws {
    let file = "nms_15.mlpackage"
    let known = try #require(Self.cases[file])
    let network = try Self.imported(file).model.compile()
    for value in [Float.nan, .infinity, -.infinity, 0, .greatestFiniteMagnitude] {
      let boxes = [Float](repeating: value, count: known.boxes.count)
      let found = try network.predict(["boxes": boxes, "scores": known.scores])
      let counts = try #require(found["counts"]).values
      #expect(counts.count == 1 && (1...6).contains(counts[0]), "\(value): \(counts)")
      let scores = [Float](repeating: value, count: known.scores.count)
      let other = try network.predict(["boxes": known.boxes, "scores": scores])
      let places = try #require(other["places"]).values
      #expect(places.allSatisfy { (-1..<23).contains($0) }, "\(value): \(places)")
    }
  }
}
