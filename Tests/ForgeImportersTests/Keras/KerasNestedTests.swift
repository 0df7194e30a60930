import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Models inside of models, and layers of layers, by Keras 2 and 3;
/// Scripts/references/make_keras_nested.py made them.
@Suite struct KerasNestedTests {
  static let files = [
    "alone.h5", "recurrent.h5", "norm.h5", "both_inside.h5", "deep.h5", "both.h5", "both.keras",
    "attention.keras",
  ]
  private static let legacy = ["both.h5", "both.keras", "attention.keras"]

  @Test(arguments: files)
  func equalsKeras(_ file: String) throws {
    let arrays = ImporterFixtures.path(
      "KerasNested/arrays-\(Self.legacy.contains(file) ? 2 : 3).npz")
    func array(_ name: String) throws -> NumPyArray {
      try NumPyArray(path: arrays, entry: "\(file).\(name)")
    }
    let imported = try ImportedModel(keras: ImporterFixtures.path("KerasNested/\(file)"))
    let network = try imported.model.compile(options: CompileOptions(threads: .exactly(1)))
    let found = try network.predict(array("in").values)
    expectClose(found, try array("out").values, relativeL2: 1e-6, file)
  }
}
