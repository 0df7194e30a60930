import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Files that leave several sizes open, against ONNX Runtime at ten combinations each;
/// Scripts/references/make_onnx_open_sizes.py made them.
@Suite struct ONNXOpenSizesTests {
  struct Values: Decodable {
    let sizes: [Int]
    @Numbers var values: [Float]
  }

  struct Run: Decodable {
    let inputs, outputs: [String: Values]
  }

  static let folder = "ONNX/OpenSizes"
  static let expected = Result {
    try ImporterFixtures.decode("\(folder)/expected.safetensors", as: [String: [Run]].self)
  }
  static let sizes: [String: [String: [InputSize]]] = [
    "detector": ["x": [1, 3, .open("h", 8...64, step: 8), .open("w", 8...64, step: 8)]],
    "decoder": [
      "ids": [1, .open("prefix", 1...20)], "memory": [1, .open("length", 1...40), 16],
    ],
    "anchors": ["x": [1, 3, .open("h", 8...64, step: 8), .open("w", 8...64, step: 8)]],
    "recognizer": ["x": [.open("lines", 1...4), 1, 8, .open("w", 8...60)]],
    "graph": [
      "nodes": [.open("n", 1...30), 8], "edges": [.open("n", 1...30), .open("n", 1...30)],
    ],
  ]

  static func path(_ name: String) -> String { ImporterFixtures.path("\(folder)/\(name).onnx") }

  /// One network takes all sizes, in any order.
  @Test(arguments: ["detector", "decoder", "anchors", "recognizer", "graph"], [1, 2])
  func resultsAreThoseOfONNXRuntime(_ name: String, _ threads: Int) throws {
    let runs = try #require(try Self.expected.get()[name])
    let imported = try ImportedModel(
      onnx: Self.path(name), options: ImportOptions(sizes: try #require(Self.sizes[name])))
    #expect(imported.inputs.allSatisfy { !$0.lengthAxes.isEmpty })
    let network = try imported.model.compile(
      options: CompileOptions(planCacheSize: 3, threads: .exactly(threads)))
    for (index, run) in (runs + runs.reversed()).enumerated() {
      try Self.expect(run, of: imported, network, "\(name), run \(index)")
    }
  }

  /// The inputs of a run as Forge's tensors, by name.
  private static func inputs(
    _ run: Run, of imported: ImportedModel
  ) throws -> [String: TensorValues] {
    var inputs: [String: TensorValues] = [:]
    for port in imported.inputs {
      let given = try #require(run.inputs[port.name])
      inputs[port.name] = try port.forgeValues(given.values, sizes: given.sizes)
    }
    return inputs
  }

  /// Predicts and compares the outputs with those of a run.
  static func expect(
    _ run: Run, of imported: ImportedModel, _ network: CompiledModel, _ comment: String
  ) throws {
    let predictions = try network.predict(inputs(run, of: imported))
    for port in imported.outputs {
      let output = try #require(run.outputs[port.name])
      let found: TensorValues = try #require(predictions[port.name])
      expectClose(
        try port.fileValues(found.values, sizes: output.sizes), output.values, relativeL2: 1e-5,
        maximum: 1e-4, "\(comment): \(port.name)")
    }
  }

  /// Each combination is bit-identical to the file imported with these sizes.
  @Test(arguments: ["detector", "decoder", "anchors", "recognizer", "graph"])
  func resultsAreThoseOfFixedImports(_ name: String) throws {
    let runs = try #require(try Self.expected.get()[name])
    let open = try ImportedModel(
      onnx: Self.path(name), options: ImportOptions(sizes: try #require(Self.sizes[name])))
    let network = try open.model.compile()
    for run in runs.prefix(4) {
      let fixed = try ImportedModel(
        onnx: Self.path(name),
        options: ImportOptions(
          sizes: run.inputs.mapValues { $0.sizes.map { .exactly($0) } }))
      var results: [[[UInt32]]] = []
      for (imported, network) in [(open, network), (fixed, try fixed.model.compile())] {
        let predictions = try network.predict(Self.inputs(run, of: imported))
        results.append(
          try imported.outputs.map { port in
            let found: TensorValues = try #require(predictions[port.name])
            let sizes = try #require(run.outputs[port.name]).sizes
            return try port.fileValues(found.values, sizes: sizes).map(\.bitPattern)
          })
      }
      #expect(results[0] == results[1])
    }
  }

  /// Layers behind the outputs follow the sizes; a change inside is refused.
  @Test func layersAreAddedBehind() throws {
    let run = try #require(try Self.expected.get()["graph"]?.first)
    let imported = try ImportedModel(
      onnx: Self.path("graph"), options: ImportOptions(sizes: try #require(Self.sizes["graph"])))
    let longer = imported.model --> { (outputs: [Tensor]) in outputs[0] --> Softmax() }
    let (plain, network) = (try imported.model.compile(), try longer.compile())
    let inputs = try Self.inputs(run, of: imported)
    let rows: TensorValues = try #require(try plain.predict(inputs)["y"])
    let found = try network.predict(inputs)
    let result = try #require(found.outputs.values.first)
    #expect(result.shape == rows.shape)
    for row in 0..<rows.values.count / 4 {
      let numbers = rows.values[row * 4..<row * 4 + 4].map(Double.init)
      let exponents = numbers.map { exp($0 - (numbers.max() ?? 0)) }
      let sum = exponents.reduce(0, +)
      for column in 0..<4 {
        #expect(abs(Double(result.values[row * 4 + column]) - exponents[column] / sum) < 1e-5)
      }
    }
    // A model of the same tensors alone is one of the largest sizes.
    var inside = Model(inputs: imported.model.inputs, outputs: [imported.model.outputs[0]])
    inside.parameters = imported.model.parameters
    #expect(try inside.compile().inputShapes[0].isKnown)
    let first = try #require(imported.model.tensors.first { !$0.isInput && !$0.isOutput })
    let cut = try imported.model.cut(after: first.name)
    let error = #expect(throws: CompileError.self) { try cut.compile() }
    #expect(error?.description.contains("inside a network from a file with open sizes") == true)
  }

  /// Weights of the caller take the place of those of the file for every size.
  @Test func weightsOfTheCaller() throws {
    let sizes = try #require(Self.sizes["recognizer"])
    let imported = try ImportedModel(
      onnx: Self.path("recognizer"), options: ImportOptions(sizes: sizes))
    let network = try imported.model.compile(parameters: RandomParameters(seed: 3))
    for width in [9, 31] {
      let fixed = try ImportedModel(
        onnx: Self.path("recognizer"),
        options: ImportOptions(sizes: ["x": [2, 1, 8, .exactly(width)]]))
      let values = (0..<2 * 8 * width).map { Float($0 % 13) / 7 - 0.8 }
      let input = try fixed.inputs[0].forgeValues(values)
      #expect(
        try network.predict(input)
          == fixed.model.compile(parameters: RandomParameters(seed: 3)).predict(input))
    }
  }

  /// Mistakes are typed errors.
  @Test func mistakes() throws {
    for sizes: [InputSize] in [
      [1, 3, .open("h", 0...64), 8], [1, 3, .open("h", 8...64), .upTo(8)],
      [1, 3, .open("", 8...64), 8], [1, 3, .open("h", 1...Int.max), 8],
    ] {
      let error = #expect(throws: ImportError.self) {
        try ImportedModel(onnx: Self.path("detector"), options: ImportOptions(sizes: ["x": sizes]))
      }
      #expect(error?.kind == .unknownSize)
    }
    let imported = try ImportedModel(
      onnx: Self.path("detector"),
      options: ImportOptions(sizes: ["x": [1, 3, .open("h", 1...64), .open("w", 1...64)]]))
    let network = try imported.model.compile()
    // Maps of 7×7 and 3×3 that are enlarged to 8×8 do not fit each other everywhere.
    for shape in [[65, 8, 3], [8, 0, 3], [8, 8, 4], [8, 8]] {
      let count = shape.reduce(1, *)
      #expect(throws: PredictionError.self, "\(shape)") {
        try network.predict(
          TensorValues(shape: Shape(sizes: shape), values: Array(repeating: 0, count: count)))
      }
    }
  }
}
