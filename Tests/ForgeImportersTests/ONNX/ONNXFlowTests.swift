import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Branches, loops, functions, nodes in any order, sequences and values put into tensors, against
/// ONNX Runtime; Scripts/references/make_onnx_flow.py made the files.
@Suite struct ONNXFlowTests {
  static let cases = ONNXCase.all(in: "Flow")

  @Test func thereAreCases() { #expect(Self.cases.count == 85) }

  @Test(arguments: cases)
  func equalsONNXRuntime(_ test: ONNXCase) throws { try test.check(in: "Flow") }

  @Test func everyOperatorHasACase() throws {
    var names: Set<String> = []
    for test in Self.cases where !test.runs.isEmpty {
      names.formUnion(
        try ONNXOperatorList.names(in: ImporterFixtures.path("ONNX/Flow/\(test.name).onnx")))
    }
    #expect(Set(ONNXOperatorList.expansions).subtracting(names) == [])
    let page = try String(
      contentsOf: ImporterFixtures.folder.appending(path: "../../../Docs/BringYourModel/ONNX.md"),
      encoding: .utf8)
    #expect(ONNXOperatorList.expansions.filter { !page.contains("`\($0)`") } == [])
  }

  // MARK: Refusals

  /// What Forge lacks in the graphs and functions of nodes that are not reached is told at once.
  @Test func refusalsAreComplete() {
    let error = #expect(throws: ImportError.self) {
      try ImportedModel(onnx: ImporterFixtures.path("ONNX/Flow/if_unknown.onnx"))
    }
    #expect(error?.kind == .unsupported)
    let text = error?.description ?? ""
    #expect(text.contains("Bernoulli: 1 node (\"outer/then_branch#1/inner\")"), "\(text)")
    #expect(text.contains("Det: 1 node (\"deep/then_branch#3/last\")"), "\(text)")
  }

  @Test(arguments: [
    ("function_recursive", ImportErrorKind.malformed), ("function_many", .tooLarge),
    ("function_deep", .tooLarge), ("loop_long", .tooLarge), ("loop_endless", .tooLarge),
    ("loop_in_loop", .tooLarge), ("cycle", .malformed), ("if_sizes", .unsupported),
    ("nd_outside", .invalidNode),
  ])
  func kinds(_ name: String, _ kind: ImportErrorKind) {
    let error = #expect(throws: ImportError.self) {
      try ImportedModel(onnx: ImporterFixtures.path("ONNX/Flow/\(name).onnx"))
    }
    #expect(error?.kind == kind)
  }

  /// A node with graphs in its attributes.
  private static func node(
    _ type: String, _ inputs: [String], _ outputs: [String],
    _ graphs: KeyValuePairs<
      String, (inputs: [String], nodes: [ONNXWriter.Message], outputs: [String])
    >
  ) -> ONNXWriter.Message {
    ONNXWriter.node(type, inputs, outputs)
      + graphs.flatMap { name, graph in
        let body =
          graph.nodes.flatMap { ONNXWriter.field(1, $0) } + ONNXWriter.field(2, "g")
          + graph.inputs.flatMap { ONNXWriter.field(11, ONNXWriter.field(1, $0)) }
          + graph.outputs.flatMap { ONNXWriter.field(12, ONNXWriter.field(1, $0)) }
        return ONNXWriter.field(
          5, ONNXWriter.field(1, name) + ONNXWriter.field(6, body) + ONNXWriter.field(20, 5))
      }
  }

  @Test func depthIsLimited() throws {
    var inner = ONNXWriter.node("Neg", ["x"], ["y0"])
    for depth in 1...6 {
      inner = Self.node(
        "If", ["c"], ["y\(depth)"],
        [
          "then_branch": ([], [inner], ["y\(depth - 1)"]),
          "else_branch": ([], [ONNXWriter.node("Relu", ["x"], ["z\(depth)"])], ["z\(depth)"]),
        ])
    }
    let model = ONNXWriter.model(
      [ONNXWriter.node("Cast", ["one"], ["c"], ["to": [9]]), inner],
      stored: [ONNXWriter.stored("one", [1])], outputs: [ONNXWriter.field(1, "y6")])
    try ImporterFixtures.withFile(model, ending: "onnx") { path in
      let network = try ImportedModel(onnx: path).model.compile()
      #expect(try network.predict([1, -2, 3, -4]) == [-1, 2, -3, 4])
      var options = ImportOptions()
      options.limits.depth = 5
      let error = #expect(throws: ImportError.self) {
        try ImportedModel(onnx: path, options: options)
      }
      #expect(error?.kind == .tooLarge)
    }
  }

  @Test func computedPlacesAreChecked() throws {
    let model = ONNXWriter.model([
      ONNXWriter.node("Cast", ["x"], ["i"], ["to": [7]]), ONNXWriter.node("Neg", ["x"], ["u"]),
      ONNXWriter.node("ScatterElements", ["x", "i", "u"], ["y"], ["axis": [1]]),
    ])
    try ImporterFixtures.withFile(model, ending: "onnx") { path in
      let network = try ImportedModel(onnx: path).model.compile()
      #expect(try network.predict([3, -4, 3, 1]) == [4, -1, 3, -3])
      for outside: Float in [4, -5] {
        let error = #expect(throws: PredictionError.self) {
          try network.predict([0, 1, outside, 2])
        }
        #expect(error?.kind == .invalidIndex)
      }
    }
  }

  // MARK: Examples

  private static let shape = [
    ONNXWriter.node("Shape", ["x"], ["s"]), ONNXWriter.node("Gather", ["s", "zero"], ["n"]),
  ]
  private static let branches:
    KeyValuePairs<String, (inputs: [String], nodes: [ONNXWriter.Message], outputs: [String])> = [
      "then_branch": ([], [ONNXWriter.node("Neg", ["x"], ["a"])], ["a"]),
      "else_branch": ([], [ONNXWriter.node("Relu", ["x"], ["b"])], ["b"]),
    ]
  private static let trips:
    KeyValuePairs<String, (inputs: [String], nodes: [ONNXWriter.Message], outputs: [String])> = [
      "body": (
        ["i", "go", "v"],
        [
          ONNXWriter.node("Identity", ["go"], ["on"]), ONNXWriter.node("Add", ["v", "x"], ["w"]),
        ], ["on", "w"]
      )
    ]

  /// Graphs whose input has an open batch, and the node that combines its examples.
  static let batches: [(nodes: [ONNXWriter.Message], node: String?)] = [
    (
      [ONNXWriter.node("Cast", ["one"], ["c"], ["to": [9]]), node("If", ["c"], ["y"], branches)],
      nil
    ),
    (
      shape + [ONNXWriter.node("Equal", ["n", "one"], ["c"]), node("If", ["c"], ["y"], branches)],
      "If"
    ),
    (
      [
        ONNXWriter.node("ReduceMin", ["x", "one"], ["m"]),
        ONNXWriter.node("Cast", ["m"], ["c"], ["to": [9]]), node("If", ["c"], ["y"], branches),
      ], "If"
    ),
    ([node("Loop", ["two", "", "x"], ["y"], trips)], nil),
    (shape + [node("Loop", ["n", "", "x"], ["y"], trips)], "Loop"),
    (
      [
        ONNXWriter.node("SplitToSequence", ["x"], ["l"], ["axis": [1]]),
        ONNXWriter.node("SequenceAt", ["l", "two"], ["y"]),
      ], nil
    ),
    (
      [
        ONNXWriter.node("SplitToSequence", ["x"], ["l"], ["axis": [0]]),
        ONNXWriter.node("SequenceAt", ["l", "zero"], ["y"]),
      ], "SplitToSequence"
    ),
    (
      shape + [
        ONNXWriter.node("Sub", ["n", "one"], ["k"]),
        ONNXWriter.node("SplitToSequence", ["x"], ["l"], ["axis": [1]]),
        ONNXWriter.node("SequenceAt", ["l", "k"], ["y"]),
      ], "SequenceAt"
    ),
    (
      [
        ONNXWriter.node("ArgMax", ["x"], ["i"], ["axis": [1]]),
        ONNXWriter.node("ReduceMin", ["x", "one"], ["u"]),
        ONNXWriter.node("ScatterElements", ["x", "i", "u"], ["y"], ["axis": [1]]),
      ], nil
    ),
    (
      [
        ONNXWriter.node("ArgMax", ["x"], ["i"], ["axis": [1]]),
        ONNXWriter.node("ReduceMin", ["x", "one"], ["u"]),
        ONNXWriter.node("ScatterElements", ["x", "i", "u"], ["y"], ["axis": [0]]),
      ], "ScatterElements"
    ),
  ]

  @Test(arguments: batches.indices)
  func examplesStayApart(_ index: Int) throws {
    let (nodes, mixer) = Self.batches[index]
    let model = ONNXWriter.model(
      nodes, stored: [("zero", 0), ("one", 1), ("two", 2)].map { ONNXWriter.stored($0.0, [$0.1]) },
      inputs: [ONNXWriter.value("x", [-1, 4])])
    let examples: [[Float]] = [[1, -2, 0.5, 0], [0, -3, -1, -0.25]]
    try ImporterFixtures.withFile(model, ending: "onnx") { path in
      let network = try ImportedModel(onnx: path).model.compile(
        options: CompileOptions(maximumBatch: 2))
      if let mixer {
        let error = #expect(throws: PredictionError.self) {
          try network.predict(batch: examples)
        }
        #expect(error?.kind == .wrongBatch)
        #expect(error?.description.contains("(\(mixer))") == true, "\(error?.description ?? "")")
      } else {
        #expect(try network.predict(batch: examples) == examples.map { try network.predict($0) })
      }
    }
  }

  // MARK: Operators of the caller

  private struct Given: Decodable {
    let x, y, w: [Float]
  }

  @Test func operatorsOfTheCaller() throws {
    let given = try ImporterFixtures.load("ONNX/Flow/given.json", as: Given.self)
    let path = ImporterFixtures.path("ONNX/Flow/given.onnx")
    let refused = #expect(throws: ImportError.self) { try ImportedModel(onnx: path) }
    #expect(refused?.description.contains("org.example.Cube: 1 node (\"cube\")") == true)
    var options = ImportOptions()
    options.onnxOperators["org.example::Cube"] = { node in
      #expect(node.type == "Cube" && node.domain == "org.example" && node.name == "cube")
      #expect(node.operatorSet == 1 && node.outputCount == 2 && node.inputs.count == 3)
      #expect(node.attributes["kind"] == .string("sum") && node.attributes["first"] == .int(3))
      #expect(node.attributes["values"] == .floats([1, 2]))
      guard case .known(let w)? = node.inputs[1], case .tensor(_, .float32)? = node.inputs[0],
        case .float(let scale)? = node.attributes["scale"], node.inputs[2] == nil
      else { throw Unknown() }
      #expect(w.floats == given.w && w.sizes == [5])
      let sum: Tensor = [try node.tensor(0), try node.tensor(1)] --> Add()
      let cube: Tensor = [sum, sum, sum] --> Multiply()
      let y = cube --> Scale(by: [scale]) --> Scale(bias: [3])
      return [.init(y), .init(y --> Reduce(.sum), sizes: [])]
    }
    let network = try ImportedModel(onnx: path, options: options).model.compile()
    expectClose(try network.predict(given.x), given.y, relativeL2: 1e-6)
    // The file states all sizes, so that its 3 rows are one example of Forge's own batch.
    expectClose(
      try network.predict(given.x + given.x, batch: 2), given.y + given.y, relativeL2: 1e-6)

    options.onnxOperators["org.example::Cube"] = { _ in throw Unknown() }
    #expect(throws: ImportError.self) { try ImportedModel(onnx: path, options: options) }
    options.onnxOperators["org.example::Cube"] = { [.init(try $0.tensor(0))] }
    let few = #expect(throws: ImportError.self) { try ImportedModel(onnx: path, options: options) }
    #expect(few?.description.contains("1 outputs from the closure, and the node has 2") == true)
    // Operators that Forge has stay its own.
    options = ImportOptions()
    options.onnxOperators["Neg"] = { _ in throw Unknown() }
    _ = try ImportedModel(
      onnx: ImporterFixtures.path("ONNX/Flow/sequence_stacked.onnx"), options: options)
  }

  /// Nothing is known of the examples in such a node, so that an open batch is refused.
  @Test func operatorsOfTheCallerMayCombineExamples() throws {
    let model = ONNXWriter.model(
      [ONNXWriter.node("Double", ["x"], ["y"], domain: "org.example")],
      inputs: [ONNXWriter.value("x", [-1, 4])])
    var options = ImportOptions()
    options.onnxOperators["org.example::Double"] = { node in
      let x = try node.tensor(0)
      return [.init(x --> Scale(by: [2]))]
    }
    try ImporterFixtures.withFile(model, ending: "onnx") { path in
      let network = try ImportedModel(onnx: path, options: options).model.compile(
        options: CompileOptions(maximumBatch: 2))
      #expect(try network.predict([1, -2, 3, -4]) == [2, -4, 6, -8])
      let error = #expect(throws: PredictionError.self) {
        try network.predict([1, -2, 3, -4, 5, 6, 7, 8], batch: 2)
      }
      #expect(error?.kind == .wrongBatch)
      #expect(error?.description.contains("(Double)") == true, "\(error?.description ?? "")")
    }
  }

  private struct Unknown: Error {}
}
