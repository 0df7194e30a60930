import Forge
import ForgeTestSupport
import Testing

/// The message of every compile error.
@Suite struct CompileErrorTests {
  /// Expects a compile to fail with exactly this text.
  private func expect(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ compile: () throws -> CompiledModel
  ) {
    let error = #expect(throws: CompileError.self, sourceLocation: sourceLocation) {
      try compile()
    }
    #expect(error?.description == text, sourceLocation: sourceLocation)
  }

  private func convolution(_ name: String?, line: Int) -> Convolution {
    Convolution(
      kernel: (3, 3), channels: 4, name: name, fileID: "App/Net.swift", line: line, column: 7)
  }

  private var model: Model {
    let input = Input(width: 5, height: 4, channels: 2)
    let output =
      input --> convolution("conv1", line: 10)
      --> Dense(neurons: 3, name: "fc1", fileID: "App/Net.swift", line: 11, column: 9)
    return Model(input: input, output: output)
  }

  // MARK: Parameters

  @Test func allMissingParametersAreReported() {
    expect(
      """
      App/Net.swift:10:7: layer 1 "conv1" (Convolution): the weights are missing
        needs     72 values, 4×3×3×2 [O][H][W][I]
        remedy    did you mean "conv_1"?
      App/Net.swift:10:7: layer 1 "conv1" (Convolution): the biases are missing
        needs     4 values, 4 [O]
        remedy    did you mean "conv_1"?
      App/Net.swift:11:9: layer 2 "fc1" (Dense): the weights are missing
        needs     240 values, 3×4×5×4 [O][H][W][I]
        remedy    did you mean "fc12" or "fc2"?
      App/Net.swift:11:9: layer 2 "fc1" (Dense): the biases are missing
        needs     3 values, 3 [O]
        remedy    did you mean "fc12" or "fc2"?
      """
    ) {
      let names = ["conv_1", "fc2", "fc12", "something else"]
      return try model.compile(
        parameters: NamedParameters(
          values: Dictionary(uniqueKeysWithValues: names.map { ($0, [:]) })))
    }
  }

  @Test func missingParametersWithoutSimilarNames() {
    expect(
      """
      App/Net.swift:11:9: layer 2 "fc1" (Dense): the biases are missing
        received  nil from the closure
        needs     3 values, 3 [O]
      """
    ) {
      try model.compile { name, count, type in
        name == "fc1" && type == .biases
          ? nil : StoredValues(Array(repeating: 0.5, count: count))
      }
    }
  }

  @Test func sourceNamesAreRequestedOnce() throws {
    let source = CountingSource()
    let error = #expect(throws: CompileError.self) { try model.compile(parameters: source) }
    #expect(error?.problems.count == 4)
    #expect(CountingSource.asked.withLock { $0 } == 1)
  }

  @Test func unnamedLayersWithNamedSource() {
    expect(
      """
      App/Net.swift:3:7: layer 1 "__Conv_1__" (Convolution): a layer with parameters has no name, \
      but the source finds them by name
        remedy    write name: "…" in the layer
      App/Net.swift:5:7: layer 3 "__Conv_3__" (Convolution): a layer with parameters has no name, \
      but the source finds them by name
        remedy    write name: "…" in the layer
      """
    ) {
      let input = Input(width: 5, height: 4, channels: 2)
      let output =
        input --> convolution(nil, line: 3) --> MaxPooling(kernel: (2, 2))
        --> convolution(nil, line: 5)
      return try Model(input: input, output: output).compile { _, count, _ in
        StoredValues(Array(repeating: 0.5, count: count))
      }
    }
  }

  @Test func missingParameterSource() {
    expect(
      """
      the model has parameters, but compile got no source for them
        received  "conv1", "fc1"
        remedy    compile(parameters:) with a source, or compile { name, count, type in … }
      """
    ) { try model.compile() }
  }

  /// Compiles with the weights of `conv1` replaced.
  private func compile(weights: any ParameterData) throws -> CompiledModel {
    try model.compile { name, count, type in
      name == "conv1" && type == .weights
        ? weights : StoredValues(Array(repeating: 0.5, count: count))
    }
  }

  private func wrong(_ what: String, _ received: String, _ needs: String) -> String {
    """
    App/Net.swift:10:7: layer 1 "conv1" (Convolution): the weights have the wrong \(what)
      received  \(received)
      needs     \(needs)
    """
  }

  @Test func wrongParameterCount() {
    let values = StoredValues(
      bytes: Array(repeating: 0, count: 71 * 4), .float32, origin: "conv1_W.bin")
    expect(wrong("count", "71 values from conv1_W.bin", "72 values, 4×3×3×2 [O][H][W][I]")) {
      try compile(weights: values)
    }
  }

  @Test func wrongElementType() {
    for type in ElementType.allCases {
      let values = StoredValues(
        bytes: Array(repeating: 0, count: 72 * type.byteCount), type, origin: "conv1.npy")
      guard ![.float32, .float16, .bfloat16, .float64].contains(type) else {
        #expect(throws: Never.self) { try compile(weights: values) }
        continue
      }
      expect(
        wrong("element type", "\(type.rawValue) from conv1.npy", "f32, f16, bf16 or f64")
      ) { try compile(weights: values) }
    }
  }

  @Test func wrongParameterSizes() {
    let values = Array(repeating: Float(0.5), count: 72)
    for sizes in [[3, 3, 4, 2], [72, 1, 2], [4, 3, 3, 2, 0], [8, 9], [.max], [-4, 3, 3, -2]] {
      expect(
        wrong(
          "size", sizes.map(String.init).joined(separator: "×") + " from memory", "4×3×3×2")
      ) { try compile(weights: StoredValues(values, sizes: sizes)) }
    }
    // Files drop axes of size 1 and merge neighbors.
    for sizes in [[4, 3, 3, 2], [1, 4, 1, 3, 3, 2], [4, 18], [36, 2], [72], [4, 9, 2]] {
      #expect(throws: Never.self) { try compile(weights: StoredValues(values, sizes: sizes)) }
    }
    expect(wrong("size", "4×3×3×2 from memory", "3×3×2×4")) {
      try compile(weights: StoredValues(values, layout: .keras, sizes: [4, 3, 3, 2]))
    }
  }

  @Test func wrongParameterLayout() {
    let values = Array(repeating: Float(0.5), count: 72)
    for axes in [[.outputs, .height], [.outputs, .outputs, .height, .width]] as [[ParameterAxis]] {
      let layout = ParameterLayout.axes(axes)
      expect(
        wrong(
          "layout", "\(layout) from memory", "each of the axes 4×3×3×2 [O][H][W][I] once")
      ) { try compile(weights: StoredValues(values, layout: layout)) }
    }
  }

  @Test func throwingSource() throws {
    struct Lost: Error, CustomStringConvertible { var description: String { "the disk is gone" } }
    expect(
      """
      App/Net.swift:11:9: layer 2 "fc1" (Dense): the weights could not be loaded
        cause     the disk is gone
      """
    ) {
      try model.compile { name, count, type in
        if name == "fc1" && type == .weights { throw Lost() }
        return StoredValues(Array(repeating: 0.5, count: count))
      }
    }
    do {
      _ = try model.compile { _, _, _ in throw Lost() }
      Issue.record("nothing was thrown")
    } catch {
      #expect(error.problems.count == 4)
      #expect(error.problems.allSatisfy { $0.cause is Lost })
      #expect(error.problems[0].layer?.name == "conv1")
    }
  }

  @Test func throwingSourcePreparation() {
    expect(
      """
      the source of parameters could not be prepared
        cause     two layers too many
      """
    ) { try model.compile(parameters: UnpreparedSource()) }
  }

  /// Data that is shorter or missing when it is read after the check.
  @Test func parameterDataChangesDuringLoading() {
    let short = StoredValues(
      bytes: Array(repeating: 0, count: 100), .float32, origin: "conv1_W.bin", count: 72)
    expect(
      """
      App/Net.swift:10:7: layer 1 "conv1" (Convolution): the weights could not be loaded
        cause     conv1_W.bin shrank while it was read
                    received  100 bytes
                    needs     288 bytes
      """
    ) { try compile(weights: short) }
    expect(
      """
      App/Net.swift:10:7: layer 1 "conv1" (Convolution): the weights could not be loaded
        cause     gone
      """
    ) { try compile(weights: GoneValues(count: 72)) }
    expect(
      """
      App/Net.swift:10:7: layer 1 "conv1" (Convolution): the weights could not be loaded
        cause     nowhere returned no values
                    received  0 bytes
                    needs     288 bytes
                    remedy    call the closure of withUnsafeBytes with the values
      """
    ) { try compile(weights: SilentValues(count: 72)) }
  }

  // MARK: Options

  @Test func optionsOutOfRange() {
    expect(
      """
      the option maximumBatch is out of range
        received  0
        needs     1 to 1048576
      the option accuracy is out of range
        received  nan
        needs     a number above 0
      the option planCacheSize is out of range
        received  0
        needs     at least 1
      the option verify is out of range
        received  0 samples
        needs     1 to 1000 samples
      """
    ) {
      try model.compile(
        parameters: SeededParameters(),
        options: CompileOptions(
          maximumBatch: 0, verify: .samples(0), accuracy: .nan, planCacheSize: 0))
    }
    for options in [
      CompileOptions(maximumBatch: -1), CompileOptions(maximumBatch: 1 << 20 + 1),
      CompileOptions(accuracy: 0), CompileOptions(accuracy: -1), CompileOptions(planCacheSize: -5),
      CompileOptions(compileThreads: 0), CompileOptions(compileThreads: 257),
      CompileOptions(verify: .samples(1001)), CompileOptions(verify: .samples(-1)),
    ] {
      let error = #expect(throws: CompileError.self) {
        try model.compile(parameters: SeededParameters(), options: options)
      }
      #expect(error?.problems.count == 1)
    }
  }

  @Test func unknownRewrites() {
    expect(
      """
      there are no such rewrites
        received  "fuseActivations", "nothingLikeIt"
        remedy    did you mean "fuseActivation"?
      """
    ) {
      try model.compile(
        parameters: SeededParameters(),
        options: CompileOptions(
          disabledRewrites: ["fuseActivations", "nothingLikeIt", "foldConstants"]))
    }
  }

  @Test func unknownKeptLayers() {
    expect(
      """
      there are no such layers to keep
        received  "conv2", "input", "x"
        remedy    did you mean "conv1"?
      """
    ) {
      try model.compile(
        parameters: SeededParameters(),
        options: CompileOptions(keep: ["conv2", "fc1", "input", "x"]))
    }
  }

  /// A layer of another model is reported by its name.
  @Test func unknownKeptTensors() {
    let other =
      Input(width: 4, height: 4, channels: 1)
      --> Convolution(kernel: (3, 3), channels: 2, name: "o")
    expect(
      """
      there are no such layers to keep
        received  "o"
      """
    ) {
      try model.compile(
        parameters: SeededParameters(), options: CompileOptions(keep: [other]))
    }
  }

  @Test func unavailableInstructionSets() {
    let present = CompileOptions.InstructionSet.present.map(\.rawValue)
    for set in CompileOptions.InstructionSet.absent {
      expect(
        """
        this machine lacks the instruction set \(set.rawValue)
          needs     at most \(present.last ?? "scalar")
        """
      ) {
        try model.compile(
          parameters: SeededParameters(), options: CompileOptions(instructionSet: set))
      }
    }
  }

  /// Errors of the model and of the options are reported together, before any parameter is
  /// requested.
  @Test func modelErrorsPrecedeParameterRequests() {
    let input = Input(width: 5, height: 4, channels: 2)
    let output =
      input
      --> Convolution(
        kernel: (9, 9), channels: 4, padding: .valid, name: "conv", fileID: "App/Net.swift",
        line: 2, column: 3)
    expect(
      """
      App/Net.swift:2:3: layer 1 "conv" (Convolution): the output would be empty
        received  5×4×2 (width×height×channels) from "input"
        needs     width and height of at least 9 for a 9×9 kernel with padding .valid
      the option maximumBatch is out of range
        received  0
        needs     1 to 1048576
      """
    ) {
      try Model(input: input, output: output).compile(
        options: CompileOptions(maximumBatch: 0)
      ) { _, _, _ in
        Issue.record("a parameter was asked for")
        return nil
      }
    }
  }

  @Test func throwingConstantBody() {
    struct Bad: Error, CustomStringConvertible { var description: String { "no idea" } }
    let input = Input(width: 2, height: 1, channels: 1)
    let constant =
      Constant([1, 2], shape: [1, 2, 1])
      --> Custom(shape: { $0[0] }, body: { _, _ in throw Bad() })
    expect(
      """
      a constant could not be computed
        cause     the arithmetic of the custom layer failed
                    cause     no idea
      """
    ) { try Model(input: input, output: [input, constant] --> Add()).compile() }
  }

  /// All are reported while loading, with layer, parameter and index.
  @Test func nonFiniteParameters() throws {
    let input = Input(width: 4, height: 4, channels: 1)
    let output =
      input
      --> Convolution(
        kernel: (1, 1), channels: 2, name: "conv", fileID: "App/Net.swift", line: 3, column: 5)
      --> Dense(neurons: 2, name: "fc", fileID: "App/Net.swift", line: 4, column: 5)
    let model = Model(input: input, output: output)
    let parameters = { @Sendable (name: String, count: Int, type: ParameterType) in
      var values = [Float](repeating: 1, count: count)
      if name == "conv", type == .weights { values[1] = .nan }
      if name == "fc", type == .biases { values[0] = -.infinity }
      return StoredValues(values)
    }
    #expect(throws: Never.self) { try model.compile(parameters: parameters) }
    let error = #expect(throws: CompileError.self) {
      try model.compile(
        options: CompileOptions(checks: .finiteParameters), parameters: parameters)
    }
    #expect(
      error?.description == """
        App/Net.swift:3:5: layer 1 "conv" (Convolution): the weights hold a number that is not finite
          received  nan at index 1 of 2×1×1×1 [O][H][W][I] from memory
          needs     finite numbers, because of checks: .finiteParameters
        App/Net.swift:4:5: layer 2 "fc" (Dense): the biases hold a number that is not finite
          received  -inf at index 0 of 2 [O] from memory
          needs     finite numbers, because of checks: .finiteParameters
        """)
  }
}

private struct CountingSource: ParameterSource {
  static let asked = Locked(0)
  var availableNames: [String] {
    Self.asked.withLock { $0 += 1 }
    return []
  }
  func parameter(for spec: ParameterSpec) -> (any ParameterData)? { nil }
}

private struct UnpreparedSource: ParameterSource {
  struct Refusal: Error, CustomStringConvertible {
    var description: String { "two layers too many" }
  }
  func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource { throw Refusal() }
  func parameter(for spec: ParameterSpec) -> (any ParameterData)? { nil }
}

/// Values whose closure is never called.
private struct SilentValues: ParameterData {
  let count: Int
  var origin: String { "nowhere" }
  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {}
}

private struct GoneValues: ParameterData {
  struct Gone: Error, CustomStringConvertible { var description: String { "gone" } }
  let count: Int
  var origin: String { "nowhere" }
  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws { throw Gone() }
}
