import Forge
import ForgeImporters
import ForgeTestSupport
import Testing

/// What is assumed of sizes that files leave open.
@Suite struct AssumedSizesTests {
  private typealias Writer = ONNXWriter

  /// An input whose sizes are numbers or names.
  private func value(_ name: String, _ sizes: [String], type: Int = 1) -> Writer.Message {
    let dimensions = sizes.flatMap { size -> Writer.Message in
      let dimension = Int(size).map { Writer.field(1, $0) } ?? Writer.field(2, size)
      return Writer.field(1, size == "?" ? [] : dimension)
    }
    return Writer.field(1, name)
      + Writer.field(2, Writer.field(1, Writer.field(1, type) + Writer.field(2, dimensions)))
  }

  private func imported(
    _ inputs: [Writer.Message], _ nodes: [Writer.Message], largest: Int? = 512
  ) throws -> ImportedModel {
    var options = ImportOptions()
    options.largestOpenSize = largest
    return try ImportedModel(onnx: Writer.model(nodes, inputs: inputs), options: options)
  }

  /// Files of open sizes without a word about them have the results of ONNX Runtime.
  @Test(arguments: ["detector", "decoder", "anchors", "graph"])
  func resultsAreThoseOfONNXRuntime(_ name: String) throws {
    let runs = try #require(try ONNXOpenSizesTests.expected.get()[name])
    let imported = try ImportedModel(onnx: ONNXOpenSizesTests.path(name))
    #expect(!imported.assumedSizes.isEmpty)
    let network = try imported.model.compile()
    for run in runs { try ONNXOpenSizesTests.expect(run, of: imported, network, name) }
  }

  /// What is assumed is what one may state, with the same results; where the network takes fewer
  /// sizes, such as 40 learned positions, it has fewer.
  @Test func oneSizeIsALength() throws {
    let path = ImporterFixtures.path("ONNX/Lengths/bert_dynamo.onnx")
    let assumed = try ImportedModel(onnx: path)
    let sizes: [InputSize] = [1, .upTo(32)]
    #expect(assumed.assumedSizes == ["input_ids": sizes, "attention_mask": sizes])
    let stated = try ImportedModel(
      onnx: path, options: ImportOptions(sizes: ["input_ids": sizes, "attention_mask": sizes]))
    #expect(stated.assumedSizes.isEmpty)
    let networks = try (assumed.model.compile(), stated.model.compile())
    #expect(networks.0.maximumLength == 32)
    for length in [1, 7, 32] {
      let given = [
        "input_ids": (0..<length).map { Float($0 * 5 % 30) },
        "attention_mask": Array(repeating: 1, count: length),
      ]
      var inputs: [String: TensorValues] = [:]
      for port in stated.inputs {
        inputs[port.name] = try port.forgeValues(given[port.name] ?? [], sizes: [1, length])
      }
      let found = try (networks.0.predict(inputs), networks.1.predict(inputs))
      for name in stated.outputs.map(\.name) {
        let values: (TensorValues?, TensorValues?) = (found.0[name], found.1[name])
        #expect(values.0 == values.1)
        #expect(values.0 != nil)
      }
    }
  }

  /// The names of a file say which sizes are one, which is the batch, and which are sums.
  @Test func names() throws {
    let relu = Writer.node("Relu", ["x"], ["y"])
    let add = Writer.node("Add", ["x", "z"], ["y"])
    func sizes(
      _ inputs: [(String, [String])], _ nodes: [Writer.Message], largest: Int? = 512
    ) throws -> [String: [InputSize]] {
      try imported(inputs.map { value($0.0, $0.1) }, nodes, largest: largest).assumedSizes
    }
    #expect(try sizes([("x", ["1", "4"])], [relu]).isEmpty)
    #expect(try sizes([("x", ["n", "4"])], [relu]).isEmpty)
    #expect(try sizes([("x", ["?", "?", "4"])], [relu]) == ["x": [1, .upTo(512), 4]])
    #expect(
      try sizes([("x", ["time", "batch_size", "4"])], [relu]) == ["x": [.upTo(512), 1, 4]])
    #expect(
      try sizes([("x", ["b", "3", "h", "?"])], [relu])
        == ["x": [1, 3, .open("h", 1...512), .open("x.width", 1...512)]])
    #expect(
      try sizes(
        [("x", ["n", "8"]), ("z", ["n", "n"])],
        [Writer.node("MatMul", ["z", "x"], ["y"])])
        == ["x": [.open("n", 1...512), 8], "z": [.open("n", 1...512), .open("n", 1...512)]])
    let past = ["b", "past + 1", "4"]
    #expect(
      try sizes(
        [("x", ["b", "past", "4"]), ("one", ["b", "1", "4"]), ("z", past)],
        [
          Writer.node("Concat", ["x", "one"], ["a"], ["axis": [1]]),
          Writer.node("Add", ["a", "z"], ["y"]),
        ], largest: 100)
        == [
          "x": [1, .open("past", 1...100), 4], "z": [1, .open("past_+_1", 2...101), 4],
        ])
    // What no size makes right is the error of the file.
    let error = #expect(throws: ImportError.self) {
      try sizes([("x", ["1", "a", "4"]), ("z", ["1", "b", "5"])], [add])
    }
    #expect(error?.kind == .unknownSize)
    #expect(
      #expect(throws: ImportError.self) {
        try sizes([("x", ["1", "a", "4"])], [relu], largest: nil)
      }?.kind == .unknownSize)
    for largest in [0, -1, .min, .max] {
      #expect(
        #expect(throws: ImportError.self) {
          try sizes([("x", ["1", "a", "4"])], [relu], largest: largest)
        }?.kind == .unknownSize)
    }
  }

  /// An input of which only the sizes are used is not one of the network, so that no prediction
  /// could choose them.
  @Test func sizesOfAnUnusedInputAreFixed() throws {
    let bytes = Writer.model(
      [Writer.node("Shape", ["z"], ["s"]), Writer.node("Expand", ["x", "s"], ["y"])],
      inputs: [value("x", ["1", "1"]), value("z", ["1", "k"])])
    func imported(_ sizes: [String: [InputSize]] = [:]) throws -> ImportedModel {
      try ImportedModel(onnx: bytes, options: ImportOptions(sizes: sizes))
    }
    let stated: [[String: [InputSize]]] = [
      [:], ["z": [1, .open("k", 1...8)]], ["z": [1, .upTo(8)]],
    ]
    for sizes in stated {
      let error = #expect(throws: ImportError.self) { try imported(sizes) }
      #expect(error?.kind == .unknownSize, "\(sizes)")
    }
    for size: InputSize in [3, .open("k", 3...3)] {
      let model = try imported(["z": [1, size]])
      #expect(model.ignoredInputs == ["z"])
      #expect(model.outputs[0].sizes == [1, 3])
    }
  }

  /// The batch of a file stays open beside the sizes that are assumed.
  @Test func batchStaysOpen() throws {
    let assumed = try imported(
      [value("x", ["b", "n", "4"])], [Writer.node("Softmax", ["x"], ["y"])])
    #expect(assumed.outputs[0].examples == .along(0))
    let values = (0..<12).map { Float($0 * $0 % 7) }
    let rows = try assumed.inputs[0].forgeValues(values, sizes: [1, 3, 4])
    let fixed = try imported(
      [value("x", ["b", "3", "4"])], [Writer.node("Softmax", ["x"], ["y"])])
    #expect(fixed.assumedSizes.isEmpty)
    #expect(try assumed.model.compile().predict(rows) == fixed.model.compile().predict(rows))
  }
}
