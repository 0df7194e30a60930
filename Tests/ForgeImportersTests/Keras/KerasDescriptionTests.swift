import Forge
import ForgeImporters
import ForgeTestSupport
import Testing

/// Descriptions in the forms of the versions of Keras, and what is wrong with bad ones.
@Suite struct KerasDescriptionTests {
  /// A Sequential model of layers in JSON.
  private func sequential(_ layers: String...) -> String {
    #"{"class_name": "Sequential", "config": {"name": "net", "layers": ["#
      + layers.joined(separator: ", ") + "]}}"
  }

  private let input =
    #"{"class_name": "InputLayer", "config": {"name": "x", "batch_shape": [null, 8, 6, 3]}}"#

  private func error(
    _ json: String, options: ImportOptions = ImportOptions(), generation: Int = 3
  ) -> ImportError? {
    #expect(throws: ImportError.self) {
      _ = try ImportedModel(kerasDescription: json, generation: generation, options: options)
    }
  }

  @Test func sequentialOfKeras1() throws {
    let imported = try ImportedModel(
      kerasDescription: """
        {"class_name": "Sequential", "config": [
          {"class_name": "Convolution2D", "config": {"name": "c", "nb_filter": 4, "nb_row": 3,
            "nb_col": 5, "border_mode": "same", "subsample": [2, 1], "dim_ordering": "tf",
            "bias": true, "activation": "hard_sigmoid", "batch_input_shape": [null, 8, 6, 3]}},
          {"class_name": "MaxPooling2D", "config": {"name": "p", "pool_size": [2, 2],
            "strides": [2, 2], "border_mode": "valid", "dim_ordering": "tf"}},
          {"class_name": "Flatten", "config": {"name": "f"}},
          {"class_name": "Dense", "config": {"name": "d", "output_dim": 10, "bias": false}}]}
        """, generation: 1)
    #expect(imported.inputs.map(\.name) == ["c_input"])
    let layers = imported.model.layers
    #expect(layers.map(\.name) == ["c", "p", "f", "d"])
    #expect(layers[0].outputShape == Shape(sizes: [4, 6, 4]))
    #expect(layers[0].layer as? Convolution != nil)
    #expect((layers[0].layer as? Convolution)?.activation == .hardSigmoidKeras2)
    #expect(layers[3].outputShape == Shape.vector(10))
  }

  @Test
  func functionalOfKeras2WithSharedLayersAndConstants() throws {
    let imported = try ImportedModel(
      kerasDescription: """
        {"class_name": "Functional", "config": {"name": "two", "layers": [
          {"class_name": "InputLayer", "name": "a", "inbound_nodes": [],
           "config": {"name": "a", "batch_input_shape": [null, 5]}},
          {"class_name": "InputLayer", "name": "b", "inbound_nodes": [],
           "config": {"name": "b", "batch_input_shape": [null, 5]}},
          {"class_name": "Dense", "name": "d", "config": {"name": "d", "units": 3},
           "inbound_nodes": [[["a", 0, 0, {}]], [["b", 0, 0, {}]]]},
          {"class_name": "TFOpLambda", "name": "tf.math.multiply", "config":
           {"name": "tf.math.multiply", "function": "math.multiply"},
           "inbound_nodes": [["d", 0, 0, {"y": 0.5, "name": null}]]},
          {"class_name": "TFOpLambda", "name": "tf.__operators__.add", "config":
           {"name": "tf.__operators__.add", "function": "__operators__.add"},
           "inbound_nodes": [["tf.math.multiply", 0, 0, {"y": ["d", 1, 0], "name": null}]]},
          {"class_name": "Concatenate", "name": "c", "config": {"name": "c", "axis": -1},
           "inbound_nodes": [[["tf.__operators__.add", 0, 0, {}], ["d", 1, 0, {}]]]}],
          "input_layers": [["a", 0, 0], ["b", 0, 0]], "output_layers": [["c", 0, 0]]}}
        """, generation: 2)
    #expect(imported.model.parameterCount == 18)
    #expect(imported.outputs.map(\.sizes) == [[1, 6]])
  }

  /// Keras 2 counts the calls of a model inside a model from 1.
  @Test func nestedModelOfKeras2() throws {
    let inner = """
      {"class_name": "Sequential", "name": "inner", "config": {"name": "inner", "layers": [
        {"class_name": "Dense", "config": {"name": "d", "units": 3, "batch_input_shape": [null, 5]}}
      ]}, "inbound_nodes": [[["a", 0, 0, {}]]]}
      """
    let imported = try ImportedModel(
      kerasDescription: """
        {"class_name": "Model", "config": {"name": "outer", "layers": [
          {"class_name": "InputLayer", "name": "a", "inbound_nodes": [],
           "config": {"name": "a", "batch_input_shape": [null, 5]}}, \(inner)],
          "input_layers": [["a", 0, 0]], "output_layers": [["inner", 1, 0]]}}
        """, generation: 2)
    #expect(imported.model.layers.map(\.name) == ["inner/d"])
  }

  @Test
  func everythingUnsupportedIsListed() {
    let error = error(
      sequential(
        input, #"{"class_name": "Lambda", "config": {"name": "l1"}}"#,
        #"{"class_name": "Conv2D", "config": {"name": "c", "filters": 2, "kernel_size": 3, "#
          + #""padding": "full"}}"#, #"{"class_name": "Lambda", "config": {"name": "l2"}}"#,
        #"{"class_name": "mine>Own", "module": "mine", "config": {"name": "o"}}"#))
    #expect(error?.kind == .unsupported)
    #expect(
      error?.received == """
        Lambda: 2 nodes ("l1", "l2")
        Conv2D with padding "full": 1 node ("c")
        mine.Own: 1 node ("o")
        """)
  }

  @Test
  func openSizesAreAskedFor() throws {
    let json = sequential(
      #"{"class_name": "InputLayer", "config": {"name": "x", "batch_shape": [null, null, 3]}}"#,
      #"{"class_name": "GlobalMaxPooling1D", "config": {"name": "g"}}"#)
    let error = error(json)
    #expect(error?.kind == .unknownSize)
    #expect(
      error?.remedy?.contains("ImportOptions.sizes, as [\"x\": [1, 128, 3]], or [1, .upTo(512), 3]")
        == true)
    let sized = try ImportedModel(
      kerasDescription: json, options: ImportOptions(sizes: ["x": [1, 9, 3]]))
    #expect(sized.inputs.map(\.sizes) == [[1, 9, 3]])
    #expect(
      self.error(json, options: ImportOptions(sizes: ["y": [1, 9, 3]]))?.kind == .unknownName)
  }

  @Test(
    arguments: [
      "", "[]", "{}", "null", "{\"class_name\": \"Sequential\"}",
      #"{"class_name": "Sequential", "config": {"layers": [3]}}"#,
      #"{"class_name": "Sequential", "config": {"layers": [{"class_name": "Dense"}]}}"#,
      #"{"class_name": "Functional", "config": {"layers": []}}"#,
      #"{"class_name": "Functional", "config": {"layers": [], "input_layers": [["a", 0, 0]], "#
        + #""output_layers": [["b", 0, 0]]}}"#,
      #"{"class_name": "Functional", "config": {"layers": [{"class_name": "Dense", "name": "d", "#
        + #""config": {"units": 1}, "inbound_nodes": [[["d", 0, 0, {}]]]}], "#
        + #""input_layers": [["d", 0, 0]], "output_layers": [["d", 0, 0]]}}"#,
      #"{"class_name": "Functional", "config": {"layers": [{"class_name": "Dense", "name": "d", "#
        + #""config": {"units": 1}, "inbound_nodes": 7}], "#
        + #""input_layers": [["d", 0, 0]], "output_layers": [["d", 0, 0]]}}"#,
    ])
  func malformedDescriptions(_ json: String) {
    #expect(error(json)?.kind == .malformed)
  }

  @Test(
    arguments: [
      #"{"name": "l", "filters": "many", "kernel_size": 3}"#,
      #"{"name": "l", "filters": 2}"#,
      #"{"name": "l", "filters": 2, "kernel_size": [1, 2, 3]}"#,
      #"{"name": "l", "filters": 2, "kernel_size": -3}"#,
      #"{"name": "l", "filters": 9223372036854775807, "kernel_size": 9223372036854775807}"#,
      #"{"name": "l", "filters": 2, "kernel_size": 99}"#,
      #"{"name": "l", "filters": 2, "kernel_size": 3, "strides": 0}"#,
      #"{"name": "l", "filters": 2, "kernel_size": 3, "groups": 2}"#,
      #"{"name": "l", "filters": 1e300, "kernel_size": 3}"#,
      #"{"name": "l", "filters": 2, "kernel_size": 3, "use_bias": "yes"}"#,
      #"{"name": "l", "filters": 2, "kernel_size": 3, "activation": 3}"#,
    ])
  func invalidArguments(_ config: String) {
    let error = error(
      sequential(input, #"{"class_name": "Conv2D", "config": \#(config)}"#))
    #expect(error?.kind == .invalidNode)
  }

  @Test func limits() {
    let dense = #"{"class_name": "Dense", "config": {"name": "d", "units": 1}}"#
    var nested = sequential(input, dense)
    for level in 0..<40 {
      nested =
        #"{"class_name": "Sequential", "name": "m", "config": {"name": "m\#(level)", "layers": ["#
        + nested + "]}}"
    }
    #expect(error(nested)?.kind == .tooLarge)
    let many = (0..<50).map { #"{"class_name": "Dropout", "config": {"name": "d\#($0)"}}"# }
    let long = sequential(([input] + many).joined(separator: ", "))
    #expect(
      error(long, options: ImportOptions(limits: ImportLimits(nodes: 40)))?.kind == .tooLarge)
    let deep = String(repeating: "[", count: 100_000)
    #expect(error(deep)?.kind == .tooLarge)
  }
}
