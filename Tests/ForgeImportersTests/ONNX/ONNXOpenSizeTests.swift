import Forge
import ForgeImporters
import Testing

/// What is said of files that leave sizes open when none are assumed: all inputs at once, in the
/// words of who asks, with the operators that Forge does not have.
@Suite struct ONNXOpenSizeTests {
  private func error(
    _ inputs: [(String, [Int])], _ nodes: [ONNXWriter.Message], sizes: [String: [InputSize]] = [:],
    style: ImportOptions.Style = .swift
  ) throws -> ImportError {
    var options = ImportOptions(sizes: sizes)
    options.style = style
    options.largestOpenSize = nil
    let bytes = ONNXWriter.model(nodes, inputs: inputs.map { ONNXWriter.value($0.0, $0.1) })
    return try #require(
      #expect(throws: ImportError.self) {
        try ImporterFixtures.withFile(bytes, ending: "onnx") {
          try ImportedModel(onnx: $0, options: options)
        }
      })
  }

  private let sum = ONNXWriter.node("Add", ["x", "z"], ["y"])
  private let open = [("x", [1, -1, 8]), ("z", [-1, 3, -1, -1])]

  @Test func allInputsAreToldAtOnce() throws {
    let error = try error(open, [sum])
    #expect(error.kind == .unknownSize)
    #expect(error.headline == "the file leaves sizes of its inputs open")
    #expect(error.received == "\"x\" 1×?×8\n\"z\" 1×3×?×?")
    #expect(
      error.remedy == """
        state them in ImportOptions.sizes, as ["x": [1, 128, 8], "z": [1, 3, 224, 224]], \
        or [1, .upTo(512), 8] for sequences of up to 512, \
        or [1, 3, .open("h", 1...1024), .open("w", 1...1024)] for any sizes
        """)
    // Those that are stated are not asked for again.
    let one = try self.error(open, [sum], sizes: ["x": [1, 3, 8]])
    #expect(one.headline == "the file leaves a size of input \"z\" open")
    #expect(
      one.remedy == """
        state them in ImportOptions.sizes, as ["z": [1, 3, 224, 224]], \
        or [1, 3, .open("h", 1...1024), .open("w", 1...1024)] for any sizes
        """)
  }

  @Test func theToolSpeaksOfArguments() throws {
    let error = try error(open, [sum], style: .tool)
    #expect(
      error.remedy == """
        --size x=1x128x8 --size z=1x3x224x224, or --size x=1x..512x8 for sequences of up to 512, \
        or --size 'z=1x3x(h:..1024)x(w:..1024)' for any sizes
        """)
    // Names that a shell would take apart are quoted.
    let spaced = ONNXWriter.node("Relu", ["it's x"], ["y"])
    let quoted = try self.error([("it's x", [-1])], [spaced], style: .tool)
    #expect(
      quoted.remedy == """
        --size 'it'\\''s x=128', or --size 'it'\\''s x=..512' for sequences of up to 512
        """)
  }

  @Test func missingOperatorsAreToldWithOpenSizes() throws {
    let nodes = [
      ONNXWriter.node("Nonsense", ["x"], ["a"]), ONNXWriter.node("Add", ["a", "z"], ["b"]),
      ONNXWriter.node("Other", ["b"], ["y"], domain: "org.example"),
    ]
    let error = try error(open, nodes, style: .tool)
    #expect(error.kind == .unsupported)
    #expect(
      error.headline
        == "the model uses features that Forge does not support, and leaves sizes open")
    #expect(
      error.received == """
        Nonsense: 1 node ("a")
        org.example.Other: 1 node ("y")
        "x" 1×?×8
        "z" 1×3×?×?
        """)
    #expect(error.remedy?.hasPrefix("--size x=1x128x8 --size z=") == true)
  }
}
