import Forge
import ForgeImporters
import Foundation
import Testing

/// Names of files in errors and reports: nothing of them acts on a terminal or forges a line.
@Suite struct TextOfFilesTests {
  private static let evil =
    "\u{1B}[2J\u{1B}]0;t\u{7}\u{1B}[31m\n  remedy    none\r\u{8}\u{9B}31m\u{202E}abc\u{2066}\u{200B}\u{FEFF}\t"

  /// Fails where a text holds what acts on a terminal, or a line that a name has made.
  private static func expectPrintable(
    _ text: String, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let raw = text.unicodeScalars.filter { scalar in
      (scalar.value < 32 && scalar != "\n") || (0x7F...0x9F).contains(scalar.value)
        || [0x202E, 0x2066, 0x200B, 0xFEFF].contains(scalar.value)
    }
    #expect(raw.isEmpty, "\(what): \(text.debugDescription)", sourceLocation: sourceLocation)
    let forged = text.split(separator: "\n").contains { $0.hasPrefix("  remedy    none") }
    #expect(!forged, "\(what): \(text.debugDescription)", sourceLocation: sourceLocation)
  }

  private static func node(
    _ type: String, _ input: String, _ output: String, domain: String = ""
  )
    -> [UInt8]
  {
    ONNXWriter.node(type, [input], [output], name: "n" + evil, domain: domain)
  }

  private static let x = [ONNXWriter.value("x" + evil, [1, 4])]
  private static let y = [ONNXWriter.field(1, "y" + evil)]

  /// Files that are refused, each for another reason.
  static let refused: [(String, [UInt8])] = [
    (
      "unknown operator",
      ONNXWriter.model(
        [node("Foo" + evil, "x" + evil, "y" + evil, domain: "d" + evil)], inputs: x, outputs: y)
    ),
    (
      "missing value",
      ONNXWriter.model(
        [node("Relu", "z" + evil, "y" + evil)], inputs: x, outputs: y)
    ),
    ("missing output", ONNXWriter.model([node("Relu", "x" + evil, "t")], inputs: x, outputs: y)),
    (
      "value twice",
      ONNXWriter.model(
        [node("Relu", "x" + evil, "y" + evil), node("Relu", "x" + evil, "y" + evil)], inputs: x,
        outputs: y)
    ),
    (
      "open size",
      ONNXWriter.model(
        [node("Relu", "x" + evil, "y" + evil)], inputs: [ONNXWriter.value("x" + evil, [1, -1])],
        outputs: y)
    ),
    (
      "misfit",
      ONNXWriter.model(
        [
          ONNXWriter.node(
            "Transpose", ["x" + evil], ["y" + evil], ["perm": [5, 7]], name: "n" + evil)
        ],
        inputs: x, outputs: y)
    ),
    (
      "external data",
      ONNXWriter.model(
        [ONNXWriter.node("Add", ["x" + evil, "c"], ["y" + evil])],
        stored: [ONNXWriter.external("c", at: "w" + evil, sizes: [1, 4])], inputs: x, outputs: y)
    ),
    (
      "external data outside",
      ONNXWriter.model(
        [ONNXWriter.node("Add", ["x" + evil, "c"], ["y" + evil])],
        stored: [ONNXWriter.external("c", at: "../" + evil, sizes: [1, 4])], inputs: x, outputs: y)
    ),
    (
      "long name",
      ONNXWriter.model(
        [node("Relu", "x" + evil, evil + String(repeating: "n", count: 5000))], inputs: x,
        outputs: y)
    ),
    ("no model", Array(evil.utf8)),
  ]

  @Test(arguments: refused.indices) func errors(index: Int) throws {
    let (what, bytes) = Self.refused[index]
    try ImporterFixtures.withFile(bytes, ending: "onnx") { path in
      let error = #expect(throws: ImportError.self, "\(what)") {
        try ImportedModel(onnx: path)
      }
      Self.expectPrintable(error?.description ?? "", what)
    }
  }

  @Test func paths() {
    for suffix in ["onnx", "keras", "mlmodel", "cfg", "xyz"] {
      let path = "/nowhere/a\(Self.evil)/net.\(suffix)"
      let error = #expect(throws: ImportError.self) { try ModelFile(path).imported() }
      Self.expectPrintable(error?.description ?? "", suffix)
      let load = #expect(throws: LoadError.self) { try WeightFile(path) }
      Self.expectPrintable(load?.description ?? "", suffix)
    }
  }

  @Test func options() throws {
    let bytes = ONNXWriter.model(
      [Self.node("Relu", "x" + Self.evil, "y" + Self.evil)], inputs: Self.x, outputs: Self.y)
    try ImporterFixtures.withFile(bytes, ending: "onnx") { path in
      let options = ImportOptions(sizes: ["none" + Self.evil: [.exactly(1)]])
      let error = #expect(throws: ImportError.self) {
        try ImportedModel(onnx: path, options: options)
      }
      Self.expectPrintable(error?.description ?? "", "options")
    }
  }

  /// A network with such names: its summary, its report and the errors of its predictions.
  ///
  /// A name with line breaks cannot be that of a layer; without them it can.
  @Test func networks() throws {
    let name = Self.evil.replacing("\n", with: "").replacing("\r", with: "")
    let bytes = ONNXWriter.model(
      [
        ONNXWriter.node("Gemm", ["x" + name, "w"], ["t" + name]),
        ONNXWriter.node("Relu", ["t" + name], ["y" + name]),
      ], stored: [ONNXWriter.stored("w", (0..<12).map(Float.init), sizes: [4, 3])],
      inputs: [ONNXWriter.value("x" + name, [1, 4])],
      outputs: [ONNXWriter.field(1, "y" + name)])
    try ImporterFixtures.withFile(bytes, ending: "onnx") { path in
      let imported = try ImportedModel(onnx: path)
      let network = try imported.model.compile(
        options: CompileOptions(verify: .samples(1), threads: .exactly(1)))
      for (what, text) in [
        ("summary", imported.model.summary()), ("detailed", network.summary(.detailed)),
        ("report", "\(network.report)"),
        ("layers", imported.model.layers.map(\.description).joined(separator: "\n")),
        ("stages", network.report.stages.map(\.description).joined(separator: "\n")),
      ] {
        #expect(text.contains("\\u{1B}"), "\(what)")
        Self.expectPrintable(text, what)
      }
      let missing = #expect(throws: PredictionError.self) {
        try network.predict([
          "z" + Self.evil: TensorValues(shape: Shape(sizes: [4]), values: [1, 2, 3, 4])
        ])
      }
      Self.expectPrintable(missing?.description ?? "", "prediction")
      let misfit = #expect(throws: PredictionError.self) {
        try network.predict(["x" + name: TensorValues(shape: Shape(sizes: [2]), values: [1, 2])])
      }
      Self.expectPrintable(misfit?.description ?? "", "prediction")
      let result = try network.predict([
        "x" + name: TensorValues(shape: Shape(sizes: [1, 1, 4]), values: [1, 2, 3, 4])
      ])
      Self.expectPrintable("\(result)", "predictions")
    }
  }

  @Test func ports() throws {
    let bytes = ONNXWriter.model(
      [Self.node("Relu", "x" + Self.evil, "y" + Self.evil)], inputs: Self.x, outputs: Self.y)
    try ImporterFixtures.withFile(bytes, ending: "onnx") { path in
      let imported = try ImportedModel(onnx: path)
      for port in imported.inputs + imported.outputs {
        Self.expectPrintable(port.description, "port")
        #expect(!port.description.contains("\n"))
      }
    }
  }

  @Test func compileErrors() {
    let input = Input(shape: [4], name: "x")
    let model = Model(
      input: input, output: input --> Reshape(to: [3], name: "r" + Self.evil))
    let error = #expect(throws: CompileError.self) { try model.compile() }
    Self.expectPrintable(error?.description ?? "", "shape")
    let dense = Model(
      input: input, output: input --> Dense(neurons: 2, name: "d\u{1B}[31m\u{202E}"))
    let missing = #expect(throws: CompileError.self) {
      try dense.compile(parameters: ParameterDictionary([:]))
    }
    Self.expectPrintable(missing?.description ?? "", "parameter")
  }
}
