import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Masks of `mask_zero` and `Masking`, and the last states of layers, by Keras 2 and 3;
/// Scripts/references/make_keras_masks.py made them.
@Suite struct KerasMaskTests {
  static let names = [
    "lstm", "gru", "simple", "both", "mean", "lost", "attention", "causal", "dropout", "cross",
    "translation", "masking", "states", "masked_states", "merged", "nested", "sequential",
  ]

  private static let files = names.flatMap { ["\($0)-2", "\($0)-3"] } + ["grouped-3"]

  @Test(arguments: files)
  func equalsKeras(_ file: String) throws {
    let version = file.suffix(1)
    let arrays = ImporterFixtures.path("KerasMasks/arrays-\(version).npz")
    let imported = try ImportedModel(keras: ImporterFixtures.path("KerasMasks/\(file).keras"))
    let network = try imported.model.compile(options: CompileOptions(threads: .exactly(1)))
    // Three samples in one array: hidden positions at the start, inside, at the end, and none.
    let inputs = try network.inputNames.map { input in
      try (input, NumPyArray(path: arrays, entry: "\(file).in.\(input)").values)
    }
    for sample in 0..<3 {
      let values = inputs.map { name, all in
        (name, Array(all[sample * all.count / 3..<(sample + 1) * all.count / 3]))
      }
      let found = try network.predict(Dictionary(uniqueKeysWithValues: values))
      for (index, output) in network.outputNames.enumerated() {
        let all = try NumPyArray(path: arrays, entry: "\(file).out.\(index)").values
        let expected = Array(all[sample * all.count / 3..<(sample + 1) * all.count / 3])
        expectClose(
          found[output]?.values ?? [], expected, relativeL2: 1e-6,
          "\(file), sample \(sample), output \(output)")
      }
    }
  }

  /// Layers that compute something else with a mask are named.
  @Test func masksThatAreNotFollowed() throws {
    func message(_ layer: String) -> String {
      let json = """
        {"class_name": "Sequential", "config": {"name": "net", "layers": [
          {"class_name": "InputLayer", "config": {"batch_shape": [null, 5], "name": "in"}},
          {"class_name": "Embedding", "config": {"name": "e", "input_dim": 4, "output_dim": 3,
            "mask_zero": true}}, \(layer)]}}
        """
      do {
        _ = try ImportedModel(kerasDescription: json)
        return "none"
      } catch {
        return "\(error)"
      }
    }
    let softmax =
      #"{"class_name": "Softmax", "config": {"name": "s", "trainable": true, "axis": 1}}"#
    #expect(message(softmax).contains("a mask of its input, from mask_zero or Masking"))
    let stateful = """
      {"class_name": "LSTM", "config": {"name": "l", "units": 2, "stateful": true}}
      """
    #expect(message(stateful).contains("stateful and a mask"))
  }
}
