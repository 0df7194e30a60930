import Forge
import ForgeTestSupport
import Testing

/// Streams of predictions on a runner.
@Suite struct SessionTests {
  private static let channels = 7

  private func network() throws -> CompiledModel {
    let input = Input(shape: [1, Self.channels], name: "x")
    let output =
      input --> Convolution1D(kernel: 3, channels: 16, padding: .streaming, name: "conv")
      --> GRU(units: 20, returnSequences: true, stateful: true, name: "gru")
      --> LastAxisDense(neurons: 5, name: "dense")
    return try Model(input: input, output: output).compile(parameters: RandomParameters(seed: 3))
  }

  private func frames(_ stream: Int, count: Int = 12) -> [[Float]] {
    var random = SplitMix64(seed: UInt64(100 + stream))
    return (0..<count).map { _ in (0..<Self.channels).map { _ in random.nextSymmetric() } }
  }

  private func expected(_ network: CompiledModel, _ frames: [[Float]]) throws -> [Bits] {
    let context = try Context(network)
    return try frames.map { try context.predict($0).bits }
  }

  @Test(arguments: [false, true])
  func streamsNeverMix(inBatches: Bool) async throws {
    let network = try network()
    let runner =
      inBatches
      ? try Runner(network, inflightBuffers: 3, batch: 4, within: .milliseconds(1))
      : try Runner(network, inflightBuffers: 3)
    let found = try await withThrowingTaskGroup(of: (Int, [Bits]).self) { group in
      for stream in 0..<64 {
        let session = try runner.session()
        let frames = frames(stream)
        group.addTask {
          var bits: [Bits] = []
          for frame in frames { bits.append(try await session.predict(frame).bits) }
          return (stream, bits)
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    #expect(found.count == 64)
    for stream in 0..<64 {
      #expect(try found[stream] == expected(network, frames(stream)), "stream \(stream)")
    }
    // Predictions without a session begin anew.
    let first = frames(0)[0]
    #expect(try await runner.predict(first).bits == expected(network, [first])[0])
  }

  /// The predictions of a session run in the order of their calls.
  @Test func callsAtOnceStayInOrder() async throws {
    let network = try network()
    let runner = try Runner(network, inflightBuffers: 3)
    let session = try runner.session()
    let frame = frames(1)[0]
    let found = try await withThrowingTaskGroup(of: Bits.self) { group in
      for _ in 0..<20 { group.addTask { try await session.predict(frame).bits } }
      return try await group.reduce(into: Set<Bits>()) { $0.insert($1) }
    }
    let expected = try expected(network, Array(repeating: frame, count: 20))
    #expect(found == Set(expected))
    #expect(Set(expected).count > 10)
  }

  @Test func statesAreSavedAndRestored() async throws {
    let network = try network()
    let session = try Runner(network, inflightBuffers: 2).session()
    let frames = frames(2)
    let expected = try expected(network, frames)
    for (frame, bits) in zip(frames, expected).prefix(5) {
      #expect(try await session.predict(frame).bits == bits)
    }
    let saved = await session.saved()
    #expect(saved.names == ["conv.steps", "gru.hidden"])
    await session.reset()
    #expect(try await session.predict(frames[0]).bits == expected[0])
    try await session.restore(saved)
    #expect(try await session.predict(frames[5]).bits == expected[5])
    // A context goes on where a session has ended.
    let context = try Context(network)
    try context.state.restore(saved)
    #expect(try context.predict(frames[5]).bits == expected[5])

    let other = Input(shape: [3], name: "y")
    let stateless = try Model(input: other, output: other --> Dense(neurons: 2, name: "d"))
      .compile(parameters: RandomParameters(seed: 1))
    let empty = await (try Runner(stateless, inflightBuffers: 1).session()).saved()
    #expect(empty.names.isEmpty)
    await #expect(throws: PredictionError.self) { try await session.restore(empty) }
    #expect(try await session.predict(frames[6]).bits == expected[6])
  }

  /// Failed and canceled predictions give the state back as it was.
  @Test func failuresGiveTheStateBack() async throws {
    let network = try network()
    let runner = try Runner(network, inflightBuffers: 2)
    let session = try runner.session()
    let frames = frames(3)
    let expected = try expected(network, frames)
    #expect(try await session.predict(frames[0]).bits == expected[0])
    await #expect(throws: PredictionError.self) { try await session.predict([1, 2]) }
    await #expect(throws: RunnerError.self) {
      try await session.predict(frames[1], deadline: .after(.zero))
    }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await session.predict(frames[1])
    }
    await #expect(throws: RunnerError.self) { try await task.value }
    #expect(try await session.predict(frames[1]).bits == expected[1])
    await runner.shutDown()
    await #expect(throws: RunnerError.self) { try await session.predict(frames[2]) }
  }
}
