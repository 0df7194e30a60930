import Forge
import ForgeImporters
import ForgeTestSupport
import Testing

/// Calls of several arguments, by position and by name, against what Keras computes;
/// Scripts/references/make_keras_calls.py made the files.
@Suite struct KerasCallTests {
  struct Numbers: Decodable {
    let sizes: [Int]
    let values: [Float]

    var tensor: TensorValues {
      TensorValues(
        shape: Shape(sizes: sizes.count == 1 ? [1, 1] + sizes : sizes), values: values)
    }
  }

  struct Case: Decodable {
    let inputs: [String: Numbers]
    let outputs: [String: Numbers]
  }

  @Test(arguments: ["attention", "recurrent"], ["", "_by_position"])
  func equalsKeras(name: String, form: String) throws {
    let all = try ImporterFixtures.load("KerasCalls/expected.json", as: [String: Case].self)
    let expected = try #require(all[name])
    let imported = try ImportedModel(
      keras: ImporterFixtures.path("KerasCalls/\(name)\(form).keras"))
    #expect(Set(imported.inputs.map(\.name)) == Set(expected.inputs.keys))
    #expect(Set(imported.outputs.map(\.name)) == Set(expected.outputs.keys))
    let network = try imported.model.compile()
    let predictions = try network.predict(expected.inputs.mapValues(\.tensor))
    for (output, values) in expected.outputs {
      let result: TensorValues = try #require(predictions[output])
      #expect(result.shape == values.tensor.shape)
      expectClose(result.values, values.values, relativeL2: 1e-5, output)
    }
  }

  /// A tensor in a description.
  private static func tensor(_ name: String) -> String {
    #"{"class_name": "__keras_tensor__", "config": {"shape": [null, 8, 6], "dtype": "float32", "#
      + #""keras_history": ["\#(name)", 0, 0]}}"#
  }

  /// The error for one call of a layer; `x`, `h` and `m` in the arguments are tensors.
  private static func error(
    _ kind: String, _ config: String, _ arguments: String, _ named: String
  ) -> ImportError? {
    let input = { (name: String, sizes: String) in
      #"{"class_name": "InputLayer", "name": "\#(name)", "config": {"name": "\#(name)", "#
        + #""batch_shape": [null, \#(sizes)]}, "inbound_nodes": []}"#
    }
    var call = #"{"args": [\#(arguments)], "kwargs": {\#(named)}}"#
    for name in ["x", "h", "m"] { call.replace("<\(name)>", with: tensor(name)) }
    // Every input reaches an output.
    let all = ["x", "h", "m"].map { #"["\#($0)", 0, 0]"# }.joined(separator: ", ")
    let json =
      #"{"class_name": "Functional", "config": {"name": "net", "layers": ["#
      + [
        input("x", "8, 6"), input("h", "2"), input("m", "8, 8"),
        #"{"class_name": "\#(kind)", "name": "l", "config": {"name": "l", "#
          + #""trainable": true, \#(config)}, "#
          + #""inbound_nodes": [\#(call)]}"#,
      ].joined(separator: ", ")
      + #"], "input_layers": [\#(all)], "output_layers": [["l", 0, 0], \#(all)]}}"#
    return #expect(throws: ImportError.self) {
      _ = try ImportedModel(kerasDescription: json, generation: 3)
    }
  }

  /// What Forge has no counterpart of is refused by name, wherever it stands in the call.
  @Test(arguments: [
    ("GRU", #""units": 2"#, "<x>, <h>, <m>", "", "GRU with a mask of 2 axes"),
    ("GRU", #""units": 2"#, "<x>", #""mask": <m>"#, "GRU with a mask of 2 axes"),
    ("GRU", #""units": 2"#, "<x>", #""constants": [<h>]"#, "GRU with constants of a call"),
    (
      "GRU", #""units": 2"#, "<x>, [0.5, 0.5]", "",
      "GRU with initial_state of a call that is not a tensor of the model"
    ),
    (
      "LSTM", #""units": 2, "recurrent_dropout": 0.1"#, "<x>, null, null, true", "",
      "LSTM with training true of a call"
    ),
    (
      "MultiHeadAttention", #""num_heads": 2, "key_dim": 3"#, "<x>, <x>, <x>, null, <m>", "",
      "MultiHeadAttention with a mask of 2 axes"
    ),
    (
      "MultiHeadAttention", #""num_heads": 2, "key_dim": 3"#,
      "<x>, <x>, null, null, null, null, null, true", "",
      "MultiHeadAttention with return_attention_scores of a call"
    ),
    (
      "MultiHeadAttention", #""num_heads": 2, "key_dim": 3"#, "<x>, <x>",
      #""attention_mask": [[1, 0]]"#,
      "MultiHeadAttention with attention_mask of a call that is not a tensor of the model"
    ),
    ("Softmax", #""axis": -1"#, "<m>, <m>", "", "Softmax with mask of a call"),
    ("Softmax", #""axis": -1"#, "<m>", #""mask": <m>"#, "Softmax with mask of a call"),
    (
      "GlobalAveragePooling1D", #""keepdims": false"#, "<x>", #""mask": <m>"#,
      "GlobalAveragePooling1D with a mask of 2 axes"
    ),
    ("Dropout", #""rate": 0.5"#, "<x>", #""training": true"#, "Dropout with training true"),
    (
      "BatchNormalization", #""axis": -1"#, "<x>, true", "",
      "BatchNormalization with training true of a call"
    ),
  ])
  func whatIsNotReadIsRefused(
    kind: String, config: String, arguments: String, named: String, what: String
  ) {
    let error = Self.error(kind, config, arguments, named)
    #expect(error?.kind == .unsupported)
    #expect(error?.received?.contains(what) == true, "\(String(describing: error))")
  }

  /// Calls that Keras does not write.
  @Test(arguments: [
    ("GRU", #""units": 2"#, "<x>, <h>, null, false, 1", "", "the call has more arguments"),
    ("GRU", #""units": 2"#, "<x>, <h>", #""initial_state": <h>"#, "is given twice"),
    (
      "MultiHeadAttention", #""num_heads": 2, "key_dim": 3"#, "<x>, [<x>, <x>]", "",
      "is several tensors"
    ),
    (
      "MultiHeadAttention", #""num_heads": 2, "key_dim": 3"#, "<x>, <x>",
      #""use_causal_mask": "yes""#, "use_causal_mask is not a Boolean"
    ),
  ])
  func invalidCalls(kind: String, config: String, arguments: String, named: String, what: String) {
    let error = Self.error(kind, config, arguments, named)
    #expect(error?.kind == .invalidNode)
    #expect(error?.headline.contains(what) == true, "\(String(describing: error))")
  }

  /// A model that is called in training, whose layers would compute something else.
  @Test(arguments: [true, false])
  func modelsInTraining(differs: Bool) throws {
    let inner =
      differs
      ? #""Dropout", "config": {"name": "d", "rate": 0.5}"#
      : #""Dense", "config": {"name": "d", "units": 3}"#
    let json = #"""
      {"class_name": "Functional", "config": {"name": "net", "layers": [
      {"class_name": "InputLayer", "name": "x", "config": {"name": "x", "batch_shape": [null, 6]},
      "inbound_nodes": []},
      {"class_name": "Sequential", "name": "inner", "config": {"name": "inner", "layers": [
      {"class_name": "InputLayer", "config": {"name": "y", "batch_shape": [null, 6]}},
      {"class_name": \#(inner)}]},
      "inbound_nodes": [{"args": [\#(Self.tensor("x"))], "kwargs": {"training": true}}]}],
      "input_layers": [["x", 0, 0]], "output_layers": [["inner", 0, 0]]}}
      """#
    guard differs else {
      _ = try ImportedModel(kerasDescription: json, generation: 3)
      return
    }
    let error = #expect(throws: ImportError.self) {
      _ = try ImportedModel(kerasDescription: json, generation: 3)
    }
    #expect(error?.received == #"Sequential with training true of a call: 1 node ("inner")"#)
  }
}
