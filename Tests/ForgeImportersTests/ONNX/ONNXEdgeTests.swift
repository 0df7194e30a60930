import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Graphs at the edges of operators, against ONNX Runtime; Scripts/references/make_onnx_edges.py
/// made them.
@Suite struct ONNXEdgeTests {
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    struct Run: Decodable {
      let sizes, outputSizes: [Int]
      let x, y: [Float]
    }

    let name: String
    /// The sizes of the input; −1 for that which a prediction chooses.
    let sizes: [Int]
    let runs: [Run]
    /// A part of the error of a file that is not valid.
    let error: String
    var testDescription: String { name }
  }

  static let cases =
    (try? ImporterFixtures.load("ONNX/Edges/cases.json", as: [Case].self)) ?? []

  @Test func thereAreCases() { #expect(Self.cases.count == 19) }

  @Test(arguments: cases)
  func equalsONNXRuntime(_ test: Case) throws {
    let sizes = test.sizes.map { $0 < 0 ? InputSize.upTo(20) : .exactly($0) }
    let options = test.sizes.contains(-1) ? ImportOptions(sizes: ["x": sizes]) : ImportOptions()
    let path = ImporterFixtures.path("ONNX/Edges/\(test.name).onnx")
    guard !test.runs.isEmpty else {
      let error = #expect(throws: ImportError.self) {
        try ImportedModel(onnx: path, options: options)
      }
      #expect(error?.description.contains(test.error) == true, "\(error?.description ?? "")")
      return
    }
    let imported = try ImportedModel(onnx: path, options: options)
    let network = try imported.model.compile(options: CompileOptions(threads: .exactly(1)))
    for run in test.runs.reversed() + test.runs {
      // Forge has the axes in an order of its own.
      let input = Self.port(imported.inputs[0], run.sizes)
      let output = Self.port(imported.outputs[0], run.outputSizes)
      let found = try network.predict(["x": input.tensor(run.x)])
      let result: TensorValues = try #require(found["y"])
      expectClose(output.values(result), run.y, relativeL2: 1e-6, "\(run.sizes)")
    }
  }

  /// The axes of a port with other sizes.
  private static func port(_ port: ImportedModel.Port, _ sizes: [Int]) -> ImportedModel.Port {
    .init(name: port.name, elementType: port.elementType, sizes: sizes, axes: port.axes)
  }
}
