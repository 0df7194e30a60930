import Forge
import ForgeImporters
import ForgeTestSupport
import Testing

/// Recurrent layers of Keras that keep their state, against what Keras computes part by part;
/// Scripts/references/make_stateful_references.py made the files.
@Suite struct KerasStatefulTests {
  private func array(_ name: String) throws -> [Float] {
    try NumPyArray(path: ImporterFixtures.path("KerasStateful/\(name).npy")).values
  }

  @Test(arguments: [1, 2])
  func partsGoOnAsInKeras(threads: Int) throws {
    let imported = try ImportedModel(keras: ImporterFixtures.path("KerasStateful/network.keras"))
    let network = try imported.model.compile(options: .init(threads: .exactly(threads)))
    #expect(network.stateNames == ["lstm.hidden", "lstm.cells", "gru.hidden", "rnn.hidden"])
    let parts = try array("parts")
    let answers = try array("answers")
    let context = try Context(network)
    for _ in 0..<2 {
      var results: [Float] = []
      for part in 0..<4 { results += try context.predict(Array(parts[part * 18..<part * 18 + 18])) }
      expectClose(results, answers, relativeL2: 1e-5, "parts")
      try context.state.reset()
    }
  }

  @Test(arguments: [
    (
      #"{"class_name": "GRU", "config": {"name": "g", "units": 2, "stateful": true, "#
        + #""go_backwards": true}}"#, "stateful and go_backwards of a recurrent layer"
    ),
    (
      #"{"class_name": "Bidirectional", "config": {"name": "b", "layer": {"class_name": "LSTM", "#
        + #""config": {"name": "l", "units": 2, "stateful": true}}}}"#,
      "stateful of a layer in Bidirectional"
    ),
    (
      #"{"class_name": "LSTM", "config": {"name": "l", "units": 2, "stateful": true, "#
        + #""return_state": true}}"#, "stateful and return_state of a recurrent layer"
    ),
  ])
  func whatKeepsNoStateIsRefused(layer: String, what: String) throws {
    let error = #expect(throws: ImportError.self) {
      _ = try ImportedModel(
        kerasDescription: #"{"class_name": "Sequential", "config": {"name": "net", "layers": ["#
          + #"{"class_name": "InputLayer", "config": {"name": "x", "batch_shape": [1, 8, 6]}}, "#
          + layer + "]}}", generation: 3)
    }
    #expect(error?.kind == .unsupported)
    #expect(error?.received?.contains(what) == true, "\(String(describing: error))")
  }
}
