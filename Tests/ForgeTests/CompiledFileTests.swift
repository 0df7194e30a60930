import Forge
import ForgeTestSupport
import Foundation
import Testing

/// Compiled files: what is opened predicts the bits of what was written, and nothing damaged opens.
///
/// Scripts/checks/compiled-files opens the networks of all layers in another process.
@Suite struct CompiledFileTests {
  private func withFile<Result>(_ body: (String) throws -> Result) rethrows -> Result {
    let path = NSTemporaryDirectory() + "forge-compiled-\(UUID().uuidString).forge"
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
  }

  /// The network as a file holds it, read and mapped.
  private func opened(_ network: CompiledModel) throws -> [CompiledModel] {
    try withFile { path in
      try network.write(to: path)
      return [
        try CompiledModel(contentsOf: path), try CompiledModel(contentsOf: path, isMapped: true),
      ]
    }
  }

  /// One of each kind of fit, with every color and filter.
  private static let pictures: [String: PicturePreparation] = [
    "x": PicturePreparation(width: 5, height: 4, scale: [0.1, 1 / 3, -0.0], bias: [.nan]),
    "a": PicturePreparation(colors: .gray, fit: .center, filter: .nearest),
    "b": PicturePreparation(colors: .bgr, fit: .shorterSide(7), filter: .bilinearAliased),
    "c": PicturePreparation(fit: .shorterSideFloored(-1), filter: .bicubic),
    "d": PicturePreparation(fit: .letterbox(255), filter: .lanczos),
    "e": PicturePreparation(height: 3, filter: .area),
  ]

  private static func small() -> Model {
    let input = Input(width: 5, height: 4, channels: 3, name: "x")
    let a = input --> Convolution(kernel: 3, channels: 4, activation: .relu, name: "a")
    var model = Model(
      inputs: [input], outputs: [a --> Dense(neurons: 3, name: "b") --> Softmax(), a])
    model.parameters = SeededParameters(seed: 3)
    model.metadata.name = "small"
    model.metadata.labels = ["one", "two", "three"]
    model.metadata.values = ["key": "value", "a": "b"]
    model.metadata.pictures = pictures
    return model
  }

  @Test func factsAndResultsAreThoseOfTheNetwork() throws {
    let network = try Self.small().compile(
      options: CompileOptions(maximumBatch: 3, keep: ["a"], checks: .finiteOutputs))
    let values = seededValues(count: 60, seed: 4)
    let expected = try network.predict(["x": values])
    for same in try opened(network) {
      let found = try same.predict(["x": values])
      #expect(same.outputNames == network.outputNames && same.outputNames.count == 3)
      for name in network.outputNames {
        #expect(found[name]?.values.bits == expected[name]?.values.bits)
        #expect(found[name]?.shape == expected[name]?.shape)
      }
      #expect(same.inputNames == ["x"] && same.inputShapes == network.inputShapes)
      #expect(same.outputShapes == network.outputShapes)
      #expect(same.maximumBatch == 3 && same.instructionSet == network.instructionSet)
      #expect(same.metadata.labels == ["one", "two", "three"] && same.metadata.name == "small")
      #expect(same.metadata.values == ["key": "value", "a": "b"])
      // Their text, because NaN does not equal itself.
      #expect(
        same.metadata.pictures.mapValues { "\($0) \($0.fit)" }
          == Self.pictures.mapValues { "\($0) \($0.fit)" })
      for detail in [SummaryDetail.standard, .detailed, .nested] {
        #expect(same.summary(detail) == network.summary(detail))
      }
      #expect("\(same.report)".hasPrefix("Instruction set"))
      #expect(same.report.steps.map(\.layers) == network.report.steps.map(\.layers))
      #expect(same.report.stages.map(\.name) == ["choose", "plan memory"])
      #expect(try same.profile(runs: 1).count == network.report.steps.count)
      #expect(try same.workspaceSize() == network.workspaceSize())
      #expect(same.memory.packedParameters > 0)
      // What is not finite is found, though not the layer.
      var wrong = values
      wrong[7] = .nan
      #expect(throws: PredictionError.self) { try same.predict(["x": wrong]) }
      let batch = try same.predict(batch: [["x": values], ["x": values]])
      #expect(batch.allSatisfy { $0["a"]?.values.bits == expected["a"]?.values.bits })
    }
  }

  /// The file of a network is the same each time, so that it can be compared and kept.
  @Test func equalNetworksHaveEqualFiles() throws {
    let files = try (0..<2).map { _ in
      try withFile { path in
        try Self.small().compile(options: CompileOptions(threads: .exactly(1))).write(to: path)
        return try Data(contentsOf: URL(fileURLWithPath: path))
      }
    }
    #expect(files[0] == files[1])
  }

  @Test(arguments: CompileOptions.Precision.allCases, [1, 2])
  func precisionsAndThreads(_ precision: CompileOptions.Precision, _ threads: Int) throws {
    let input = Input(width: 19, height: 17, channels: 35)
    var model = Model(
      input: input,
      output: input --> Convolution(kernel: 3, channels: 37, padding: .same, name: "a")
        --> DepthwiseConvolution(kernel: 3, name: "b") --> MaxPooling(kernel: (2, 2))
        --> Convolution(kernel: 1, channels: 67, activation: .relu, name: "c")
        --> Dense(neurons: 29, name: "d"))
    model.parameters = SeededParameters(seed: 3)
    var options = CompileOptions(threads: .exactly(threads), precision: precision)
    options.smallestShare = 0
    let network = try model.compile(options: options)
    let values = seededValues(count: 19 * 17 * 35, seed: 4)
    let expected = try network.predict(values)
    for same in try opened(network) {
      #expect(try same.predict(values).bits == expected.bits)
      #expect(same.report.precision == network.report.precision)
      #expect(same.threads == network.threads)
    }
  }

  @Test func quantizedNetworks() throws {
    let input = Input(width: 9, height: 9, channels: 24)
    var model = Model(
      input: input,
      output: input --> Convolution(kernel: 3, channels: 70, activation: .relu, name: "a")
        --> Convolution(kernel: 1, channels: 65, name: "b") --> GlobalAveragePooling())
    model.parameters = SeededParameters(seed: 3)
    let samples = (0..<4).map { seededValues(count: 9 * 9 * 24, seed: UInt64($0)) }
    let network = try model.compile()
      .quantized(calibration: samples, bound: 1, onlyFaster: false).network
    let expected = try network.predict(samples[1])
    for same in try opened(network) {
      #expect(try same.predict(samples[1]).bits == expected.bits)
      #expect(throws: QuantizationError.self) { try same.quantized(calibration: samples) }
    }
  }

  /// A plan for all lengths is a plan for all lengths in a file, too.
  @Test(arguments: SequenceLengthTests.cases)
  func sequencesOfOpenLength(_ testCase: SequenceLengthTests.Case) throws {
    let network = try testCase.make(.upTo(41)).compile(parameters: RandomParameters(seed: 5))
    let files = try opened(network)
    for length in [41, 1, 2, 7, 40, 13, 41] {
      let values = testCase.values(length)
      let expected = try network.predict(values)
      for same in files {
        #expect(same.maximumLength == 41)
        let found = try same.predict(values)
        for name in network.outputNames {
          #expect(found[name]?.shape == expected[name]?.shape)
          #expect(found[name]?.values.bits == expected[name]?.values.bits, "\(name), \(length)")
        }
      }
    }
    #expect(throws: PredictionError.self) { try files[0].predict(testCase.values(42)) }
  }

  /// States, a table of past keys with a limit, a runner, and real time.
  @Test func streams() async throws {
    let input = Input(shape: [1, 5], name: "x")
    let output =
      input --> GRU(units: 6, returnSequences: true, stateful: true, name: "gru")
      --> MultiHeadAttention(
        heads: 2, keyChannels: 3, isCausal: true, cacheLength: 9, name: "attention")
    let network = try Model(input: input, output: output)
      .compile(parameters: RandomParameters(seed: 4))
    let frames = (0..<9).map { seededValues(count: 5, seed: UInt64($0)) }
    let context = try Context(network)
    let expected = try frames.map { try context.predict($0).bits }
    for same in try opened(network) {
      #expect(same.stateNames == network.stateNames && !same.stateNames.isEmpty)
      let stream = try Context(same)
      #expect(try frames.map { try stream.predict($0).bits } == expected)
      // The table is full; the error names the layer.
      let (one, other) = (
        #expect(throws: PredictionError.self) { try stream.predict(frames[0]) },
        #expect(throws: PredictionError.self) { try context.predict(frames[0]) }
      )
      #expect(one.map { "\($0)" } == other.map { "\($0)" })
      let runner = try Runner(same, inflightBuffers: 2)
      let session = try runner.session()
      var found: [Bits] = []
      for frame in frames { found.append(try await session.predict(frame).bits) }
      #expect(found == expected)
    }
  }

  // MARK: What cannot be

  private func message(_ body: () throws -> Void) -> String {
    do { try body() } catch { return "\(error)" }
    return ""
  }

  @Test func refusals() throws {
    try withFile { path in
      let input = Input(width: 3, height: 3, channels: 2)
      let custom = try Model(
        input: input,
        output: input
          --> Custom(shape: { $0[0] }, name: "own") { _, output in
            for index in output.indices { output[index] = 0 }
          }
      ).compile()
      #expect(message { try custom.write(to: path) }.contains("Swift code"))
      let any = Input(width: nil, height: nil, channels: 2, name: "any")
      let open = try Model(
        input: any, output: any --> Convolution(kernel: 1, channels: 2, name: "a")
      ).compile(parameters: SeededParameters(seed: 1))
      #expect(message { try open.write(to: path) }.contains("\"any\""))
      #expect(!FileManager.default.fileExists(atPath: path))
      try Self.small().compile().write(to: path)
      let opened = try CompiledModel(contentsOf: path)
      #expect(message { try opened.write(to: path) }.contains("does not hold its layers"))
      #expect(message { try opened.write(to: "/no/such/folder/x") } != "")
      let network = try Self.small().compile()
      #expect(message { try network.write(to: "/no/such/folder/x") }.contains("written"))
    }
  }

  @Test func otherFiles() throws {
    try withFile { path in
      for content in ["", "FORGE", "FORGEnet", String(repeating: "FORGEnet", count: 99)] {
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        for isMapped in [false, true] {
          #expect(throws: CompileError.self) {
            try CompiledModel(contentsOf: path, isMapped: isMapped)
          }
        }
      }
      for missing in ["/no/such/file.forge", "/tmp", "", "a\0b"] {
        #expect(throws: CompileError.self) { try CompiledModel(contentsOf: missing) }
      }
    }
  }

  /// Every altered byte and every cut of a small file is found.
  @Test func damage() throws {
    let input = Input(shape: [3], name: "x")
    let model = Model(input: input, output: input --> Activation(.relu))
    try withFile { path in
      try model.compile().write(to: path)
      let url = URL(fileURLWithPath: path)
      let whole = try Data(contentsOf: url)
      #expect(try CompiledModel(contentsOf: path).predict([-1, 2, 3]) == [0, 2, 3])
      for index in whole.indices {
        var altered = whole
        altered[index] ^= UInt8(1 << (index % 8))
        try altered.write(to: url)
        #expect(throws: CompileError.self, "byte \(index)") {
          try CompiledModel(contentsOf: path, isMapped: index.isMultiple(of: 2))
        }
      }
      for count in stride(from: 0, to: whole.count, by: 7) {
        try whole.prefix(count).write(to: url)
        #expect(throws: CompileError.self, "\(count) bytes") {
          try CompiledModel(contentsOf: path)
        }
      }
      try (whole + [0]).write(to: url)
      #expect(throws: CompileError.self) { try CompiledModel(contentsOf: path) }
      try whole.write(to: url)
      #expect(try CompiledModel(contentsOf: path).predict([-1, 2, 3]) == [0, 2, 3])
    }
  }

  /// Files of all instruction sets open where the processor has them.
  @Test(arguments: CompileOptions.InstructionSet.allCases)
  func instructionSets(_ set: CompileOptions.InstructionSet) throws {
    let values = seededValues(count: 60, seed: 4)
    guard let network = try? Self.small().compile(options: CompileOptions(instructionSet: set))
    else { return }
    let expected = try network.predict(["x": values])
    for same in try opened(network) {
      #expect(same.instructionSet == set)
      #expect(try same.predict(["x": values])["a"]?.values.bits == expected["a"]?.values.bits)
    }
  }
}
