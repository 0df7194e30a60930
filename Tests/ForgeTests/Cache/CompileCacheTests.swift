import Forge
import ForgeTestSupport
import Foundation
import Testing

/// A cache of compiled models: what is found predicts the bits of a compile, and is found only for
/// the same network.
@Suite struct CompileCacheTests {
  private static let image = seededValues(count: 7 * 5 * 3, seed: 4)

  private static func small(
    channels: Int = 4, activation: ActivationFunction = .relu, name: String = "a",
    neurons: Int = 3, metadata: String = "small"
  ) -> Model {
    let input = Input(width: 7, height: 5, channels: 3, name: "x")
    let a = input --> Convolution(kernel: 3, channels: channels, activation: activation, name: name)
    var model = Model(
      inputs: [input], outputs: [a --> Dense(neurons: neurons, name: "b") --> Softmax(), a])
    model.parameters = SeededParameters(seed: 3)
    model.metadata.name = metadata
    return model
  }

  @Test func theSecondCompileIsFound() throws {
    try CacheFixture.with { fixture in
      let plain = try Self.small().compile(options: CompileOptions(keep: ["a"]))
      #expect(!plain.isCached && plain.report.cache == nil)
      let expected = try plain.predict(["x": Self.image])
      var options = fixture.options
      options.keep = ["a"]
      for (index, text) in ["stored", "cached", "cached"].enumerated() {
        let network = try Self.small(metadata: "name \(index)").compile(options: options)
        #expect(network.cacheText == text && network.isCached == (index > 0))
        #expect("\(network.report)".contains("Cache: "))
        let found = try network.predict(["x": Self.image])
        for name in plain.outputNames {
          #expect(found[name]?.values.bits == expected[name]?.values.bits)
        }
        #expect(network.outputNames == plain.outputNames)
        #expect(network.outputShapes == plain.outputShapes)
        #expect(network.metadata.name == "name \(index)")
        for detail in [SummaryDetail.standard, .detailed, .nested] {
          #expect(network.summary(detail) == plain.summary(detail))
        }
        #expect(network.report.steps.map(\.layers) == plain.report.steps.map(\.layers))
        #expect(network.threads == plain.threads)
        let batch = try network.predict(batch: [["x": Self.image], ["x": Self.image]])
        #expect(batch.allSatisfy { $0["a"]?.values.bits == expected["a"]?.values.bits })
      }
      #expect(fixture.networks.count == 1)
    }
  }

  @Test func closuresAndTensors() throws {
    try CacheFixture.with { fixture in
      func network(_ bias: Float) throws -> (CompiledModel, Tensor) {
        let input = Input(shape: [3], name: "x")
        let output = input --> Dense(neurons: 2, name: "fc")
        let network = try Model(input: input, output: output).compile(
          options: fixture.options
        ) { _, count, type in
          ParameterValues(
            type == .weights ? (0..<count).map { Float($0) } : Array(repeating: bias, count: count))
        }
        return (network, output)
      }
      let uses: KeyValuePairs<Float, String> = [
        1: "stored", 1: "cached", 2: "stored", 2: "cached", 1: "cached",
      ]
      for (bias, text) in uses {
        let (network, output) = try network(bias)
        #expect(network.cacheText == text)
        #expect(try network.predict([1, 2, 3]) == [8 + bias, 26 + bias])
        // A tensor of this description finds its values.
        let context = try Context(network)
        _ = try context.predict([1, 2, 3])
        #expect(context[output]?.values == [8 + bias, 26 + bias])
      }
    }
  }

  /// Each of these is another network.
  @Test func whatDiffersIsNotFound() throws {
    try CacheFixture.with { fixture throws in
      let models = [
        Self.small(), Self.small(channels: 5), Self.small(activation: .tanh),
        Self.small(name: "c"), Self.small(neurons: 4),
      ]
      for model in models {
        #expect(try model.cacheText(fixture.options) == "stored")
      }
      let changes: [(inout CompileOptions) -> Void] = [
        { $0.maximumBatch = 3 }, { $0.keep = ["a"] }, { $0.preference = .size },
        { $0.disabledRewrites = ["fuseActivation"] }, { $0.accuracy = 1e-5 },
        { $0.checks = .finiteOutputs }, { $0.threads = .exactly(3) }, { $0.threads = .exactly(1) },
        { $0.precision = .int8 }, { $0.precision = .halfWeights }, { $0.instructionSet = .scalar },
        { $0.tuning = .recorded(TuningRecord(instructionSet: "scalar", threads: 1, choices: [])) },
      ]
      for (index, change) in changes.enumerated() {
        var options = fixture.options
        options.threads = .exactly(2)
        change(&options)
        guard let network = try? models[0].compile(options: options) else { continue }
        #expect(network.cacheText == "stored", "\(index)")
        #expect(try models[0].cacheText(options) == "cached", "\(index)")
      }
      var other = Self.small()
      other.parameters = SeededParameters(seed: 4)
      #expect(try other.cacheText(fixture.options) == "stored")
      #expect(try Self.small().cacheText(fixture.options) == "cached")
      // These change nothing of the network.
      var same = fixture.options
      same.compileThreads = 1
      same.planCacheSize = 3
      same.cache = CompileCache(directory: fixture.path, sizeLimit: 1 << 40)
      #expect(try Self.small().cacheText(same) == "cached")
    }
  }

  /// What needs the layers works as it does for a network that was compiled.
  @Test func nothingIsMissing() throws {
    try CacheFixture.with { fixture in
      var options = fixture.options
      options.checks = .finiteOutputs
      let fresh = try Self.small().compile(options: options)
      let network = try Self.small().compile(options: options)
      #expect(network.isCached)
      var wrong = Self.image
      wrong[7] = .infinity
      for infinite in [wrong, Self.image.map { _ in Float.greatestFiniteMagnitude }] {
        let errors = [fresh, network].map { network in
          #expect(throws: PredictionError.self) { try network.predict(["x": infinite]) }
            .map { "\($0)" }
        }
        #expect(errors[0] == errors[1])
      }
      let path = fixture.path + "/written.forge"
      try network.write(to: path)
      let written = try CompiledModel(contentsOf: path)
      let expected = try fresh.predict(["x": Self.image])["a"]?.values.bits
      #expect(try written.predict(["x": Self.image])["a"]?.values.bits == expected)
      #expect(!written.isCached)
      let samples = (0..<3).map { ["x": seededValues(count: 105, seed: $0)] }
      let integers = try network.quantized(calibration: samples, bound: 1, onlyFaster: false)
      let same = try fresh.quantized(calibration: samples, bound: 1, onlyFaster: false)
      #expect(
        try integers.network.predict(["x": Self.image])["a"]?.values.bits
          == same.network.predict(["x": Self.image])["a"]?.values.bits)
      #expect(network.memory.packedParameters > 0)
    }
  }

  /// Every layer, found again with the same bits.
  @Test(arguments: LayerCase.all)
  func layers(_ testCase: LayerCase) throws {
    try CacheFixture.with { fixture in
      for (name, network) in testCase.networks {
        func model() -> Model {
          let input = Input(width: 11, height: 7, channels: 6, name: "x")
          return Model(input: input, output: network(input, 6, 5))
        }
        let parameters = RandomParameters(seed: 5)
        guard let plain = try? model().compile(parameters: parameters) else { continue }
        let fresh = try model().compile(parameters: parameters, options: fixture.options)
        let again = try model().compile(parameters: parameters, options: fixture.options)
        let isStored = fresh.cacheText == "stored" || fresh.isCached
        #expect(isStored == again.isCached, "\(name): \(fresh.cacheText), \(again.cacheText)")
        #expect(isStored || fresh.cacheText.contains("Swift code"), "\(name): \(fresh.cacheText)")
        let values = seededValues(count: 11 * 7 * 6, seed: 9).map { abs($0) }
        let expected = try plain.predict(values).bits
        #expect(try fresh.predict(values).bits == expected, "\(name)")
        #expect(try again.predict(values).bits == expected, "\(name)")
      }
    }
  }

  @Test(arguments: SequenceLengthTests.cases)
  func sequencesOfOpenLength(_ testCase: SequenceLengthTests.Case) throws {
    try CacheFixture.with { fixture in
      let parameters = RandomParameters(seed: 5)
      let plain = try testCase.make(.upTo(41)).compile(parameters: parameters)
      for text in ["stored", "cached"] {
        let network = try testCase.make(.upTo(41)).compile(
          parameters: parameters, options: fixture.options)
        #expect(network.cacheText == text)
        for length in [41, 1, 2, 7, 40, 13] {
          let values = testCase.values(length)
          let (expected, found) = (try plain.predict(values), try network.predict(values))
          for name in plain.outputNames {
            #expect(found[name]?.shape == expected[name]?.shape)
            #expect(found[name]?.values.bits == expected[name]?.values.bits, "\(name), \(length)")
          }
        }
      }
      #expect(
        try testCase.make(.upTo(40)).compile(parameters: parameters, options: fixture.options)
          .cacheText == "stored")
    }
  }

  /// What has no place in a compiled file is compiled, and the report says why.
  @Test func refusals() throws {
    try CacheFixture.with { fixture in
      let input = Input(width: 3, height: 3, channels: 2)
      let custom = Model(
        input: input,
        output: input
          --> Custom(shape: { $0[0] }, name: "own") { _, output in
            for index in output.indices { output[index] = 1 }
          })
      for _ in 0..<2 {
        let network = try custom.compile(options: fixture.options)
        #expect(network.cacheText == "the layer \"own\" runs Swift code")
        #expect(try network.predict(Array(repeating: 0, count: 18)).allSatisfy { $0 == 1 })
      }
      let any = Input(width: nil, height: nil, channels: 2, name: "any")
      let open = try Model(
        input: any, output: any --> Convolution(kernel: 1, channels: 2, name: "a")
      ).compile(parameters: SeededParameters(seed: 1), options: fixture.options)
      #expect(open.cacheText == "the input \"any\" has no size")
      var options = fixture.options
      options.verify = .samples(1)
      let verified = try Self.small().compile(options: options)
      #expect(verified.cacheText.contains("verify") && verified.report.verification != nil)
      options.verify = .none
      options.backend = ReferenceBackend()
      #expect(try Self.small().cacheText(options).contains("back end"))
      #expect(fixture.networks.isEmpty)
      // Mistakes of the model and of its options are told as without a cache.
      options.backend = nil
      options.disabledRewrites = ["none such"]
      #expect(throws: CompileError.self) { try Self.small().compile(options: options) }
    }
  }

  @Test func compilesInTheBackground() async throws {
    let fixture = CacheFixture()
    defer { try? FileManager.default.removeItem(atPath: fixture.path) }
    #expect(try await Self.small().compiled(options: fixture.options).cacheText == "stored")
    #expect(try await Self.small().compiled(options: fixture.options).cacheText == "cached")
  }
}
