import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// A small graph that reads `x` and makes `y`, against ONNX Runtime.
///
/// A folder of `Fixtures/ONNX` has `cases.safetensors` and a file for each case, which a script in
/// `Scripts/references` has written.
struct ONNXCase: Decodable, Sendable, CustomTestStringConvertible {
  struct Run: Decodable {
    let sizes, outputSizes: [Int]
    @Numbers var x: [Float]
    @Numbers var y: [Float]
  }

  let name: String
  /// The sizes of the input; −1 for that which a prediction chooses, −2 in steps of 2.
  let sizes: [Int]
  let runs: [Run]
  /// A part of the error of a file that is not valid.
  let error: String
  var testDescription: String { name }

  /// The cases of a folder; none if they cannot be read.
  static func all(in folder: String) -> [ONNXCase] {
    (try? ImporterFixtures.decode("ONNX/\(folder)/cases.safetensors", as: [ONNXCase].self)) ?? []
  }

  /// Imports the file and compares its results, or its error.
  func check(in folder: String) throws {
    let sizes = sizes.map { size -> InputSize in
      switch size {
      case -1: .upTo(20)
      case -2: .stepping(from: 2, through: 20, by: 2)
      default: .exactly(size)
      }
    }
    let options =
      self.sizes.contains { $0 < 0 } ? ImportOptions(sizes: ["x": sizes]) : ImportOptions()
    let path = ImporterFixtures.path("ONNX/\(folder)/\(name).onnx")
    guard !runs.isEmpty else {
      let error = #expect(throws: ImportError.self) {
        try ImportedModel(onnx: path, options: options)
      }
      #expect(error?.description.contains(self.error) == true, "\(error?.description ?? "")")
      return
    }
    let imported = try ImportedModel(onnx: path, options: options)
    // No drawn numbers are places that the network computes.
    let network = try imported.model.compile(
      options: CompileOptions(
        verify: name.hasPrefix("computed_") ? .none : .samples(2), threads: .exactly(1)))
    let batch = imported.inputs[0].batchSize ?? 1
    for run in runs.reversed() + runs {
      // Forge has the axes in an order of its own.
      let input = Self.port(imported.inputs[0], run.sizes)
      let output = Self.port(imported.outputs[0], run.outputSizes)
      let count = run.x.count / batch
      let found = try (0..<batch).flatMap { index in
        let example = Array(run.x[(index * count)..<((index + 1) * count)])
        let predictions = try network.predict(["x": input.tensor(example)])
        let result: TensorValues = try #require(predictions["y"])
        return output.values(result)
      }
      expectClose(found, run.y, relativeL2: 1e-6, "\(run.sizes)")
    }
  }

  /// The axes of a port with other sizes, those of one example of the file's batch.
  private static func port(_ port: ImportedModel.Port, _ sizes: [Int]) -> ImportedModel.Port {
    var sizes = sizes
    if port.batchSize != nil { sizes[0] = 1 }
    return .init(name: port.name, elementType: port.elementType, sizes: sizes, axes: port.axes)
  }
}
