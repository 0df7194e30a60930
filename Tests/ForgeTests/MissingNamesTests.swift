import Forge
import Testing

/// What is said about the layers that a source lacks.
@Suite struct MissingNamesTests {
  private func model(_ names: [String]) -> Model {
    let input = Input(width: 5, height: 4, channels: 3)
    var output = input
    for (index, name) in names.enumerated() {
      output =
        output
        --> Convolution(
          kernel: (3, 3), channels: 3, useBias: false, name: name, fileID: "App/Net.swift",
          line: index + 1, column: 9)
    }
    return Model(input: input, output: output)
  }

  /// A safetensors file with a kernel for each layer.
  private func file(
    _ layers: [String], entry: (@Sendable (ParameterSpec) -> String?)? = nil
  ) throws -> SafeTensorsParameters {
    try file(layers.map { ($0, outputs: 3) }, entry: entry)
  }

  /// A safetensors file with a 3×3 kernel of three channels for each layer.
  private func file(
    _ layers: [(name: String, outputs: Int)], entry: (@Sendable (ParameterSpec) -> String?)? = nil
  ) throws -> SafeTensorsParameters {
    var end = 0
    let tensors = layers.map { name, outputs in
      let start = end
      end += outputs * 108
      return "\"\(name).weight\":{\"dtype\":\"F32\",\"shape\":[\(outputs),3,3,3],"
        + "\"data_offsets\":[\(start),\(end)]}"
    }
    let header = Array("{\(tensors.joined(separator: ","))}".utf8)
    let length = (0..<8).map { UInt8(truncatingIfNeeded: header.count >> ($0 * 8)) }
    let values = [UInt8](repeating: 0, count: end)
    return try SafeTensorsParameters(
      bytes: length + header + values, name: "net.safetensors", entry: entry)
  }

  private func error(_ model: Model, _ source: some ParameterSource) -> String? {
    do {
      _ = try model.compile(parameters: source)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func prefixIsFound() throws {
    let names = ["c1", "c2", "c3", "c4"]
    let source = try file(names.map { "backbone.\($0)" })
    #expect(
      error(model(["c1", "c2"]), source) == """
        App/Net.swift:1:9: layer 1 "c1" (Convolution): the weights are missing
          received  net.safetensors with 4 layers: "backbone.c1", "backbone.c2", "backbone.c3", …
          needs     81 values, 3×3×3×3 [O][H][W][I]
          remedy    SafeTensorsParameters(…).prefixed("backbone.")
        App/Net.swift:2:9: layer 2 "c2" (Convolution): the weights are missing
          needs     81 values, 3×3×3×3 [O][H][W][I]
        """)
    #expect(error(model(["c1", "c2"]), source.prefixed("backbone.")) == nil)
  }

  /// Of several prefixes the shapes decide, and what may be meant is listed first.
  @Test func prefixFitsInShape() throws {
    let layers = [
      ("head.1", outputs: 3), ("head.2", outputs: 3), ("res.c1", outputs: 5),
      ("features.c1", outputs: 3),
    ]
    let source = try file(layers)
    #expect(
      error(model(["c1"]), source) == """
        App/Net.swift:1:9: layer 1 "c1" (Convolution): the weights are missing
          received  net.safetensors with 4 layers: "features.c1", "res.c1", "head.1", …
          needs     81 values, 3×3×3×3 [O][H][W][I]
          remedy    SafeTensorsParameters(…).prefixed("features.")
        """)
    #expect(error(model(["c1"]), source.prefixed("features.")) == nil)
    // Where no shape fits, no prefix helps.
    let others = try file([("a.b", outputs: 3), ("res.c1", outputs: 5)])
    #expect(
      error(model(["c1"]), others) == """
        App/Net.swift:1:9: layer 1 "c1" (Convolution): the weights are missing
          received  net.safetensors with 2 layers: "res.c1", "a.b"
          needs     81 values, 3×3×3×3 [O][H][W][I]
        """)
  }

  /// A closure that returns nil is not asked for anything else; the message says so.
  @Test func closureHasNoName() throws {
    #expect(
      error(model(["words"]), try file(["words"]) { _ in nil }) == """
        App/Net.swift:1:9: layer 1 "words" (Convolution): the weights are missing
          received  nil from the closure entry:; net.safetensors has "words.weight"
          needs     81 values, 3×3×3×3 [O][H][W][I]
          remedy    return this name, or combine with the usual names: \
        CombinedParameters([source, SafeTensorsParameters(…)])
        """)
    let combined = CombinedParameters([
      try file(["words"]) { _ in nil }, try file(["words"]),
    ])
    #expect(error(model(["words"]), combined) == nil)
    #expect(
      error(model(["c"]), try file(["p", "q", "r", "s"]) { _ in nil }.renamed { $0 }) == """
        App/Net.swift:1:9: layer 1 "c" (Convolution): the weights are missing
          received  nil from the closure entry:; net.safetensors has "p.weight", "q.weight", \
        "r.weight", …
          needs     81 values, 3×3×3×3 [O][H][W][I]
        """)
    #expect(
      error(model(["c"]), try file(["words"]) { _ in "word.weight" }) == """
        App/Net.swift:1:9: layer 1 "c" (Convolution): the weights are missing
          received  "word.weight" from the closure entry:, which net.safetensors does not have
          needs     81 values, 3×3×3×3 [O][H][W][I]
          remedy    did you mean "words.weight"?
        """)
  }

  /// A prefix for all would lose the layers that are found without one.
  @Test func someLayersHavePrefix() throws {
    let source = try file(["head", "backbone.c1"])
    #expect(
      error(model(["c1", "head"]), source) == """
        App/Net.swift:1:9: layer 1 "c1" (Convolution): the weights are missing
          received  net.safetensors with 2 layers: "backbone.c1", "head"
          needs     81 values, 3×3×3×3 [O][H][W][I]
          remedy    CombinedParameters([source, source.prefixed("backbone.")])
        """)
    let combined = CombinedParameters([source, source.prefixed("backbone.")])
    #expect(error(model(["c1", "head"]), combined) == nil)
  }

  @Test func namesAreListedWithoutRemedy() throws {
    #expect(
      error(model(["entry"]), try file(["xyz"])) == """
        App/Net.swift:1:9: layer 1 "entry" (Convolution): the weights are missing
          received  net.safetensors with 1 layer: "xyz"
          needs     81 values, 3×3×3×3 [O][H][W][I]
        """)
    // The end of a name is not a name after a prefix.
    #expect(error(model(["entry"]), try file(["reentry"]))?.contains("did you mean") == true)
    #expect(error(model(["c"]), try file(["backbonec"]))?.contains("prefixed") == false)
  }

  @Test func otherParameterTypesAgreeWithTheirVerbs() throws {
    let input = Input(width: 2, height: 1, channels: 1)
    let output = input --> BatchNormalization(center: false, name: "norm")
    let error = #expect(throws: CompileError.self) {
      try Model(input: input, output: output).compile { _, _, _ in nil }
    }
    #expect(
      error?.problems.map(\.headline) == [
        "the gamma is missing", "the mean is missing", "the variance is missing",
      ])
    #expect(error?.problems[0].needs == "1 value, 1 [C]")
    #expect(ParameterType("reduce_bias").subject == "the parameter \"reduce_bias\"")
  }
}
