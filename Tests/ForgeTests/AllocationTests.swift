import CForgeTestSupport
import Forge
import ForgeTestSupport
import Testing

/// A prediction in a context never calls the allocator.
@Suite struct AllocationTests {
  /// The calls of the allocator, freeing among them, that `body` makes on this thread.
  private func allocations(_ body: () throws -> Void) rethrows -> Int64 {
    forge_count_allocations()
    defer { _ = forge_counted_allocations() }
    try body()
    return forge_counted_allocations()
  }

  /// The counter that the tests below use sees Swift's allocations.
  @Test func counterSeesAllocations() {
    // The first array of a process also allocates the metadata of its storage.
    var arrays = [[Float](repeating: 0, count: CommandLine.arguments.count)]
    arrays.removeAll()
    arrays.reserveCapacity(4)
    var count = 0
    let one = allocations {
      arrays.append([Float](repeating: 1, count: arrays.capacity + 100))
    }
    #expect(one == 1)
    let both = allocations {
      arrays.removeLast()
      arrays.append([Float](repeating: 2, count: arrays.capacity + 200))
    }
    #expect(both == 2)
    let nothing = allocations { count += arrays[0].count }
    #expect(nothing == 0)
    #expect(count > 200)
  }

  /// Expects a thousand predictions, in turn of every batch up to the context's, to allocate nothing.
  private func expectNone(
    _ network: CompiledModel, batch: Int = 1, inputShapes: [String: Shape] = [:],
    predictions: Int = 1000, _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let context = try Context(network, batch: batch, inputShapes: inputShapes)
    for index in network.inputNames.indices {
      context.withInput(index) { span in
        for position in span.indices { span[position] = Float(position % 17) / 17 }
      }
    }
    let count = try allocations {
      for step in 0..<predictions { try context.predict(batch: step % batch + 1) }
    }
    #expect(count == 0, "\(comment)", sourceLocation: sourceLocation)
  }

  @Test func classifierDoesNotAllocate() throws {
    let input = Input(width: 12, height: 12, channels: 3)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 20, activation: .relu)
      --> BatchNormalization() --> MaxPooling(kernel: (2, 2))
      --> Convolution(kernel: (3, 3), channels: 33, activation: .swish)
      --> Dense(neurons: 10) --> Softmax()
    let network = try Model(input: input, output: output).compile(
      parameters: SeededParameters(), options: CompileOptions(checks: .finiteOutputs))
    try expectNone(network)
    try expectNone(network, batch: 4)
  }

  @Test func variableSizesAndCropsDoNotAllocate() throws {
    let model =
      Model(channels: 3) --> Resize(width: 9, height: 8, mode: .bilinearAntialiased, name: "resize")
      --> Convolution(kernel: (3, 3), channels: 5) --> Resize(width: 5, height: 3, name: "again")
    let network = try model.compile(parameters: SeededParameters())
    let shapes = ["input": Shape(width: 17, height: 23, channels: 3)]
    try expectNone(network, batch: 2, inputShapes: shapes)

    let context = try Context(network, inputShapes: shapes)
    let count = try allocations {
      for step in 0..<200 {
        let crop = CropRectangle(x: Double(step % 5), y: 0.5, width: 10, height: 11)
        try context.setCrop(crop, of: "resize")
        try context.setCrop(nil, of: "again")
        try context.predict()
      }
    }
    #expect(count == 0)
  }

  @Test func tensorRanksDoNotAllocate() throws {
    let input = Input(shape: [2, 3, 5, 7])
    let output =
      [input, input --> Activation(.gelu)] --> Add() --> Softmax()
      --> Permute(order: [3, 1, 0, 2]) --> Reshape(to: [7, 30]) --> BatchNormalization()
      --> Flatten() --> Dense(neurons: 12) --> LogSoftmax()
    let other = Concatenate([input, input --> Multiply(constant: [2])], axis: 1)
    let network = try Model(inputs: [input], outputs: [output, other]).compile(
      parameters: SeededParameters())
    try expectNone(network, batch: 3)
  }

  /// Forge's code around a user-defined layer does not allocate either.
  @Test func customLayersDoNotAllocate() throws {
    let input = Input(width: 5, height: 4, channels: 3)
    let first = input --> reversal()
    let sum = [first --> Convolution(kernel: (3, 3), channels: 3), input] --> Add()
    let biased =
      sum
      --> Custom(parameters: [.biases: [3]]) { inputs, parameters, output in
        for (index, value) in inputs[0].enumerated() {
          output[index] = value + parameters[0][index % 3]
        }
      }
    let model = Model(inputs: [input], outputs: [biased --> reversal(), first])
    try expectNone(try model.compile(parameters: SeededParameters()), batch: 3)
  }

  @Test func statesDoNotAllocate() throws {
    let input = Input(shape: [2, 5], name: "x")
    let output =
      input --> Convolution1D(kernel: 3, channels: 17, padding: .streaming, name: "conv")
      --> LSTM(units: 19, returnSequences: true, stateful: true, name: "lstm")
      --> GRU(units: 3, stateful: true, name: "gru")
    try expectNone(
      try Model(input: input, output: output).compile(parameters: SeededParameters()), batch: 3)
  }

  /// A stream of tokens, whose keys and values are kept; the last prediction fills the cache.
  @Test func cachesDoNotAllocate() throws {
    let input = Input(shape: [1], name: "ids")
    let block = TransformerEncoder(
      heads: 2, hidden: 24, normalizesFirst: true, isCausal: true, rotary: .halves(),
      cacheLength: 600)
    let output =
      input --> Embedding(vocabulary: 5, channels: 20, name: "words")
      --> PositionalEncoding(streamLength: 600, name: "places") --> block.named("block1")
      --> block.named("block2")
    let model = Model(input: input, output: output)
    for threads in [1, 2] {
      var options = CompileOptions(threads: .exactly(threads))
      if threads > 1 { options.smallestShare = 0 }
      let network = try model.compile(parameters: SeededParameters(), options: options)
      let context = try Context(network)
      let realtime = try RealtimeContext(network)
      let count = try allocations {
        for step in 0..<600 {
          context.withInput(0) { $0[0] = Float(step % 5) }
          try context.predict()
          realtime.setInput(0, to: Float(step % 5))
          try realtime.predict()
        }
      }
      #expect(count == 0)
      #expect(throws: PredictionError.self) { try context.predict() }
    }
  }

  @Test func randomNetworksDoNotAllocate() throws {
    for seed in UInt64(0)..<40 {
      let network = try RandomNetwork(seed: seed).model.compile(
        parameters: SeededParameters(seed: seed), options: CompileOptions(checks: .none))
      try expectNone(network, batch: 2, predictions: 20, "seed \(seed)")
    }
  }

  @Test(arguments: CompileOptions.Precision.allCases)
  func reducedPrecisionDoesNotAllocate(_ precision: CompileOptions.Precision) throws {
    let input = Input(width: 12, height: 11, channels: 16)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 20, stride: (2, 2), activation: .relu)
      --> PointwiseConvolution(channels: 33) --> Dense(neurons: 10)
    for threads in [1, 3] {
      var options = CompileOptions(
        preference: .size, threads: .exactly(threads), precision: precision)
      options.smallestShare = 0
      let network = try Model(input: input, output: output).compile(
        parameters: SeededParameters(), options: options)
      try expectNone(network, batch: 2, predictions: 50)
    }
  }

  /// Workers are created with the context, and distributing steps does not allocate.
  @Test func multithreadedPredictionDoesNotAllocate() throws {
    for seed in UInt64(0)..<10 {
      var options = CompileOptions(threads: .exactly(3))
      options.smallestShare = 0
      let network = try RandomNetwork(seed: seed).model.compile(
        parameters: SeededParameters(seed: seed), options: options)
      try expectNone(network, batch: 2, predictions: 20, "seed \(seed)")
    }
  }

  /// Input and output spans belong to the caller.
  @Test func spanPredictionDoesNotAllocate() throws {
    let input = Input(width: 5, height: 4, channels: 3)
    let network = try Model(
      input: input, output: input --> Convolution(kernel: (3, 3), channels: 4)
    ).compile(parameters: SeededParameters())
    let context = try Context(network)
    let values = seededValues(count: 60, seed: 1)
    var result = Array(repeating: Float(0), count: 80)
    let count = try allocations {
      var target = result.mutableSpan
      for _ in 0..<1000 { try context.predict(values.span, into: &target) }
    }
    #expect(count == 0)
    #expect(result != Array(repeating: 0, count: 80))
  }

  /// A slot of a runner is a context.
  @Test func inPlaceOutputReadDoesNotAllocate() throws {
    let input = Input(width: 5, height: 4, channels: 3)
    let network = try Model(input: input, output: input --> Softmax()).compile()
    let context = try Context(network)
    var sum: Float = 0
    let count = try allocations {
      for _ in 0..<1000 {
        context.withInput(0) { span in span[0] += 1 }
        try context.predict()
        context.withOutput(0) { span in sum += span[0] }
      }
    }
    #expect(count == 0)
    #expect(sum > 500)
  }
}
