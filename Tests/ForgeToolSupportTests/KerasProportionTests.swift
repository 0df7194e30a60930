import Forge
import ForgeImporters
import ForgeToolSupport
import Foundation
import Testing

/// Layers whose edges follow from the sizes of their input, against Keras on JAX.
@Suite struct KerasProportionTests {
  @Test(arguments: [("resizing", 2), ("steps", 1), ("output_padding", 1)])
  func equalsKeras(_ name: String, outputs: Int) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/Keras/\(name)").path
    let imported = try ImportedModel(keras: "\(folder)/model.keras")
    let run = try NetworkRun(imported) { try imported.model.compile() }
    let input = try #require(imported.inputs.first)
    let examples = try run.examples(
      [input.name: .array(try StoredTensor(numPy: "\(folder)/in_x.npy"))], isBatch: true)
    let arrays = try run.arrays(of: try run.results(examples), isBatch: true)
    #expect(examples.count == 2 && arrays.count == outputs)
    for (index, found) in arrays.enumerated() {
      let expected = try StoredTensor(numPy: "\(folder)/expected_\(index).npy")
      #expect(found.array.sizes == expected.sizes)
      for (a, b) in zip(found.array.floats, expected.floats) {
        #expect(abs(a - b) <= 1e-5, "\(name) \(index)")
      }
    }
  }
}
