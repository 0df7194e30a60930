import Forge
import ForgeOperations
import ForgeTestSupport
import Testing

/// Numbers that are not ids of a vocabulary end a prediction with an error that names them.
@Suite struct InvalidIndexTests {
  /// Ids of five words, a state, and a second embedding of the same ids.
  private func network(
    threads: Int = 1, positions: Int = 4, options: CompileOptions = CompileOptions()
  ) throws -> CompiledModel {
    let ids = Input(shape: [positions], name: "ids")
    let words = ids --> Embedding(vocabulary: 5, channels: 16, name: "words")
    let others = ids --> Embedding(vocabulary: 9, channels: 16, name: "others")
    let output =
      [words, others] --> Add()
      --> GRU(units: 7, returnSequences: true, stateful: true, name: "gru")
    var options = options
    options.threads = .exactly(threads)
    options.smallestShare = threads > 1 ? 0 : nil
    return try Model(input: ids, output: output).compile(
      parameters: RandomParameters(seed: 2), options: options)
  }

  private func withoutPlace(_ error: any Error) -> String {
    let message = "\(error)"
    guard let range = message.range(of: "layer ") else { return message }
    return String(message[range.lowerBound...])
  }

  private func words(_ received: String) -> String {
    """
    layer 1 "words" (Embedding): a number is not an id of the vocabulary
      received  \(received)
      needs     a number from 0 to 4
    """
  }

  @Test(
    arguments: [
      ([0, 5, 1, 7], "5 at index 1"), ([4, 0, -1, 2], "-1 at index 2"),
      ([-0.5, 9, 1, 1], "-0.5 at index 0"), ([1, 1, 1, .nan], "nan at index 3"),
      ([1, .infinity, 1, 1], "inf at index 1"), ([1, 1, -.infinity, 1], "-inf at index 2"),
      ([1, 1, 1, 3e20], "3e+20 at index 3"), ([5.5, 1, 1, 1], "5.5 at index 0"),
    ] as [([Float], String)], [1, 2])
  func idsOutside(_ test: ([Float], String), threads: Int) throws {
    for set in CompileOptions.InstructionSet.present {
      var options = CompileOptions()
      options.instructionSet = set
      let compiled = try network(threads: threads, options: options)
      do {
        _ = try compiled.predict(test.0)
        Issue.record("it predicted")
      } catch {
        #expect(error.kind == .invalidIndex && error.layer == "words")
        #expect(withoutPlace(error) == words(test.1))
        #expect("\(error)".contains("InvalidIndexTests.swift:"))
      }
      // The network is as good as before.
      #expect(try compiled.predict([0, 4, -0.0, 3]).allSatisfy(\.isFinite))
    }
  }

  /// Only the second table is too short.
  @Test func theLayerIsNamed() throws {
    let ids = Input(shape: [2, 3], name: "ids")
    let large = ids --> Embedding(vocabulary: 30, channels: 2, name: "large")
    let small = ids --> Embedding(vocabulary: 3, channels: 2, name: "small")
    let compiled = try Model(inputs: [ids], outputs: [large, small]).compile(
      parameters: RandomParameters(seed: 2))
    do {
      _ = try compiled.predict(["ids": [0, 1, 2, 1, 29, 30]])
      Issue.record("it predicted")
    } catch {
      #expect(error.layer == "large" && "\(error)".contains("30 at index 5"))
    }
    do {
      _ = try compiled.predict(["ids": [0, 1, 2, 1, 29, 3]])
      Issue.record("it predicted")
    } catch {
      #expect(error.layer == "small" && "\(error)".contains("29 at index 4"))
    }
  }

  @Test func theExampleIsNamed() throws {
    let compiled = try network()
    let context = try Context(compiled, batch: 3)
    let values: [Float] = [0, 1, 2, 3, 1, 1, 6, 1, 9, 1, 1, 1]
    context.withInput(0) { span in for i in values.indices { span[i] = values[i] } }
    do {
      try context.predict(batch: 3)
      Issue.record("it predicted")
    } catch {
      #expect(withoutPlace(error) == words("6 at index 2 of example 1"))
    }
    do {
      _ = try compiled.predict(values, batch: 3)
      Issue.record("it predicted")
    } catch {
      #expect(withoutPlace(error) == words("6 at index 2 of example 1"))
    }
    do {
      _ = try compiled.predict(batch: [[0, 1, 2, 3], [1, 1, 1, 1], [9, 1, 1, 1]] as [[Float]])
      Issue.record("it predicted")
    } catch {
      #expect(withoutPlace(error) == words("9 at index 0 of example 2"))
    }
  }

  @Test func theStateStays() async throws {
    let compiled = try network()
    let context = try Context(compiled)
    let expected = try (0..<2).map { _ in try context.predict([0, 1, 2, 3]).bits }
    try context.state.reset()
    #expect(try context.predict([0, 1, 2, 3]).bits == expected[0])
    let before = try context.state.saved()
    #expect(throws: PredictionError.self) { try context.predict([0, 1, 2, 5]) }
    #expect(try context.state.saved() == before)
    #expect(try context.predict([0, 1, 2, 3]).bits == expected[1])

    let realtime = try RealtimeContext(compiled)
    var output = [Float](repeating: 0, count: 4 * 7)
    func predict(_ ids: [Float]) throws {
      var span = output.mutableSpan
      try realtime.predict(ids.span, into: &span)
    }
    try predict([0, 1, 2, 3])
    #expect(output.bits == expected[0])
    for _ in 0..<2 {
      do {
        try predict([0, 1, 2, 5])
        Issue.record("it predicted")
      } catch {
        #expect(withoutPlace(error) == words("5 at index 3"))
      }
    }
    try predict([0, 1, 2, 3])
    #expect(output.bits == expected[1])

    let session = try Runner(compiled, inflightBuffers: 2).session()
    #expect(try await session.predict([0, 1, 2, 3]).bits == expected[0])
    do {
      _ = try await session.predict([0, -1, 2, 5])
      Issue.record("it predicted")
    } catch {
      #expect(withoutPlace(error) == words("-1 at index 1"))
    }
    #expect(await session.saved() == before)
    #expect(try await session.predict([0, 1, 2, 3]).bits == expected[1])
  }

  @Test func examplesOfARunnerFailAlone() async throws {
    let compiled = try network()
    let runner = try Runner(compiled, inflightBuffers: 1, batch: 4, within: .milliseconds(5))
    let expected = try compiled.predict([0, 1, 2, 3]).bits
    let found = await withTaskGroup(of: (Int, Bits?).self) { group in
      for index in 0..<12 {
        group.addTask {
          let ids: [Float] = index % 3 == 1 ? [0, 1, 2, Float(index + 5)] : [0, 1, 2, 3]
          return (index, try? await runner.predict(ids).bits)
        }
      }
      return await group.reduce(into: [Int: Bits?]()) { $0[$1.0] = $1.1 }
    }
    for index in 0..<12 {
      #expect(found[index] == .some(index % 3 == 1 ? nil : expected), "\(index)")
    }
  }

  /// Verifying, timing and tuning give ids to a model that takes them.
  @Test func measurementsUseIds() throws {
    let compiled = try network(options: CompileOptions(verify: .samples(3)))
    #expect(try compiled.profile(runs: 2).contains { $0.kernel == "gatherRows" })
    _ = try network(options: CompileOptions(tuning: .measured))
    // Ids that the model computes may not fit; the message says which.
    let ids = Input(shape: [3], name: "ids")
    let model = Model(
      input: ids, output: ids * 100 --> Embedding(vocabulary: 5, channels: 3, name: "words"))
    do {
      _ = try model.compile(
        parameters: RandomParameters(seed: 1), options: CompileOptions(verify: .samples(1)))
      Issue.record("it verified")
    } catch {
      #expect("\(error)".contains("a number is not an id of the vocabulary"), "\(error)")
    }
  }

  /// Ids are exact in Float32 up to 2²⁴.
  @Test func largeVocabularies() throws {
    let ids = Input(shape: [2], name: "ids")
    let count = 1_200_001
    let words = Embedding(vocabulary: count, channels: 1, name: "words")
    let compiled = try Model(input: ids, output: ids --> words).compile { _, count, _ in
      ParameterValues((0..<count).map { Float($0) })
    }
    #expect(try compiled.predict([1_200_000, 1_199_999]) == [1_200_000, 1_199_999])
    #expect(throws: PredictionError.self) { try compiled.predict([0, Float(count)]) }
    for count in [0, -1, 1 << 24 + 1, .max] {
      let embedding = Embedding(vocabulary: count, channels: 1, name: "words")
      #expect(throws: CompileError.self, "\(count)") {
        try Model(input: ids, output: ids --> embedding).compile(
          parameters: RandomParameters(seed: 1))
      }
    }
  }

  /// Layers that gather as ONNX does keep its meaning.
  @Test func gatheredRowsCountFromTheEnd() throws {
    let data = Input(shape: [3, 2], name: "data")
    let places = Input(shape: [3], name: "places")
    let compiled = try Model(inputs: [data, places], outputs: [[data, places] --> GatherRows()])
      .compile()
    let found = try compiled.predict(["data": [0, 1, 2, 3, 4, 5], "places": [-1, 1, -3]])
    #expect(found.outputs.values.first?.values == [4, 5, 2, 3, 0, 1])
    #expect(throws: PredictionError.self) {
      try compiled.predict(["data": [0, 1, 2, 3, 4, 5], "places": [-1, 1, 3]])
    }
  }
}
