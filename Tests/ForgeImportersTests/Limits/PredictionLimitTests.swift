import Forge
import ForgeImporters
import Testing

/// What a network from a small file may ask for when it predicts.
@Suite struct PredictionLimitTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    /// What the network asks for too much of.
    let what: String

    init(
      _ name: String, _ nodes: [[UInt8]], stored: [[UInt8]] = [], inputs: [[UInt8]], what: String,
      opset: Int = 18
    ) {
      testDescription = name
      bytes = ONNXWriter.model(nodes, stored: stored, inputs: inputs, opset: opset)
      self.what = what
    }
  }

  private static let row = [ONNXWriter.value("x", [1, 4])]
  private static let image = [ONNXWriter.value("x", [1, 1, 8, 8])]

  static let cases = [
    Case(
      "Tile", [ONNXWriter.node("Tile", ["x", "s"], ["y"])],
      stored: [ONNXWriter.stored("s", [1 << 14, 1 << 12])], inputs: row, what: "memory"),
    Case(
      "Expand", [ONNXWriter.node("Expand", ["x", "s"], ["y"])],
      stored: [ONNXWriter.stored("s", [1 << 16, 1 << 12, 4])], inputs: row, what: "memory"),
    Case(
      "MaxPool",
      [
        ONNXWriter.node(
          "MaxPool", ["x"], ["y"],
          [
            "kernel_shape": [1 << 20, 1 << 20],
            "pads": [1 << 19, 1 << 19, 1 << 19, 1 << 19],
            "strides": [1 << 18, 1 << 18],
          ])
      ], inputs: image, what: "work"),
    Case(
      "NonMaxSuppression", [ONNXWriter.node("NonMaxSuppression", ["b", "s", "m"], ["y"])],
      stored: [ONNXWriter.stored("m", [1 << 40])],
      inputs: [ONNXWriter.value("b", [1, 20_000, 4]), ONNXWriter.value("s", [1, 8, 20_000])],
      what: "work"),
    Case(
      "Attention",
      [
        ONNXWriter.node(
          "Attention", ["x", "x", "x"], ["y"], ["q_num_heads": [4], "kv_num_heads": [4]])
      ], inputs: [ONNXWriter.value("x", [1, 1 << 14, 64])], what: "work", opset: 23),
    Case(
      "MatMul", [ONNXWriter.node("MatMul", ["x", "x"], ["y"])],
      inputs: [ONNXWriter.value("x", [1400, 1400])], what: "work"),
    Case(
      "Exp",
      (0..<100).map {
        ONNXWriter.node("Exp", [$0 == 0 ? "x" : "t\($0)"], [$0 == 99 ? "y" : "t\($0 + 1)"])
      }, inputs: [ONNXWriter.value("x", [2, 1 << 20])], what: "work"),
    Case(
      "input", [ONNXWriter.node("Relu", ["x"], ["y"])],
      inputs: [ONNXWriter.value("x", [1, 1 << 20, 1 << 10])], what: "memory"),
  ]

  private static func error(
    _ bytes: [UInt8], _ options: ImportOptions = ImportOptions()
  ) throws -> CompileError? {
    try ImporterFixtures.withFile(bytes, ending: "onnx") { path in
      let model = try ImportedModel(onnx: path, options: options).model
      do throws(CompileError) {
        _ = try model.compile(options: CompileOptions(maximumBatch: 1))
        return nil
      } catch { return error }
    }
  }

  @Test(arguments: cases) func refused(_ file: Case) throws {
    let error = try #require(try Self.error(file.bytes))
    let problem = try #require(error.problems.first { $0.headline.contains(file.what) })
    #expect(
      problem.headline
        == "a prediction of the network takes more \(file.what) than the file may ask for")
    #expect(problem.remedy?.contains("--trusted") == true)
    #expect(problem.path?.hasSuffix(".onnx") == true)
  }

  /// The limits are those of the import.
  @Test func limitsOfTheCaller() throws {
    let relu = ONNXWriter.model([ONNXWriter.node("Relu", ["x"], ["y"])])
    #expect(try Self.error(relu) == nil)
    let none = ImportLimits(predictionBytes: 10, predictionWork: 10)
    let error = try Self.error(relu, ImportOptions(limits: none))
    #expect(error?.problems.count == 2)
    // Sizes that the caller states are the caller's.
    let options = ImportOptions(sizes: ["x": [.exactly(1), .exactly(4)]], limits: none)
    #expect(try Self.error(relu, options) == nil)
    // A prediction of 66 million values is one of a trusted file.
    let large = ONNXWriter.model(
      [ONNXWriter.node("Relu", ["x"], ["y"])], inputs: [ONNXWriter.value("x", [1, 16, 1 << 20])])
    #expect(try Self.error(large) != nil)
    #expect(try Self.error(large, ImportOptions(limits: .trusted)) == nil)
  }

  /// Large pictures are within the limits of ordinary networks, even without dense layers.
  @Test func ordinaryNetworks() throws {
    func check(_ text: String) throws {
      try ImporterFixtures.withFile(Array(text.utf8), ending: "cfg") { path in
        let model = try ImportedModel(darknet: path).model
        let cost = try model.predictionCost()
        let limits = try #require(model.limits)
        #expect(cost.bytes < limits.bytes, "\(cost) \(limits)")
        #expect(cost.work < limits.work, "\(cost) \(limits)")
      }
    }
    func convolution(_ filters: Int, _ size: Int, _ stride: Int = 1) -> String {
      "[convolutional]\nfilters=\(filters)\nsize=\(size)\nstride=\(stride)\npad=1\n"
        + "activation=leaky\n"
    }
    let pool = "[maxpool]\nsize=2\nstride=2\n"
    // VGG-16 at 2,048 pixels.
    var vgg = "[net]\nwidth=2048\nheight=2048\nchannels=3\n"
    for (filters, count) in [(64, 2), (128, 2), (256, 3), (512, 3), (512, 3)] {
      vgg += String(repeating: convolution(filters, 3), count: count) + pool
    }
    try check(vgg)
    // A tiny detector at 1,600 pixels.
    var tiny = "[net]\nwidth=1600\nheight=1600\nchannels=3\n"
    for filters in [16, 32, 64, 128, 256, 512] { tiny += convolution(filters, 3) + pool }
    try check(tiny + convolution(1024, 3) + convolution(125, 1))
  }
}
