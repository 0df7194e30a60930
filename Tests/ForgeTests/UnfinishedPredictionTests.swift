import Forge
import ForgeTestSupport
import Testing

/// Predictions that throw leave the state as it was, whoever runs them.
@Suite(.timeLimit(.minutes(20))) struct UnfinishedPredictionTests {
  private static let channels = 5

  private func frame(_ seed: UInt64) -> [Float] {
    var random = SplitMix64(seed: seed)
    return (0..<Self.channels).map { _ in random.nextSymmetric() }
  }

  /// A network with a state, whose output passes the gate.
  private func network(_ gate: PredictionGate? = nil) throws -> CompiledModel {
    let x = Input(shape: [1, Self.channels], name: "x")
    let gru = x --> GRU(units: 6, returnSequences: true, stateful: true, name: "gru")
    let attention =
      gru
      --> MultiHeadAttention(
        heads: 2, keyChannels: 3, isCausal: true, cacheLength: 9, name: "attention")
    let output = gate.map { attention --> $0.layer } ?? attention
    return try Model(input: x, output: output).compile(parameters: RandomParameters(seed: 4))
  }

  /// What a new stream predicts for these frames.
  private func expected(_ frames: [[Float]]) throws -> [Bits] {
    let context = try Context(try network())
    return try frames.map { try context.predict($0).bits }
  }

  // MARK: Sessions

  /// Four sessions share a slot, and all are canceled while the first one runs.
  @Test func cancelledBatchesReleaseTheirSessions() async throws {
    let gate = PredictionGate()
    let runner = try Runner(
      try network(gate), inflightBuffers: 1, batch: 4, within: .seconds(100))
    let sessions = try (0..<4).map { _ in try runner.session() }
    let tasks = sessions.map { session in
      let frame = frame(1)
      return Task { try await session.predict(frame) }
    }
    try await gate.waitForPrediction()
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: RunnerError.self) { try await task.value } }
    gate.open()
    let frames = [frame(2), frame(3)]
    let expected = try expected(frames)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for session in sessions {
        group.addTask {
          for (frame, bits) in zip(frames, expected) {
            let found = try await session.predict(frame).bits
            #expect(found == bits)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// One of two sessions in a slot is canceled; the prediction runs to its end for the other.
  @Test func aCancelledPredictionDoesNotAdvance() async throws {
    let gate = PredictionGate()
    let runner = try Runner(
      try network(gate), inflightBuffers: 1, batch: 2, within: .milliseconds(100))
    let (first, second) = (try runner.session(), try runner.session())
    let frames = [frame(1), frame(2)]
    let expected = try expected(frames)
    let cancelled = Task { try await first.predict(frames[0]) }
    let finished = Task { try await second.predict(frames[0]) }
    try await gate.waitForPrediction()
    cancelled.cancel()
    await #expect(throws: RunnerError.self) { try await cancelled.value }
    gate.open()
    #expect(try await finished.value.bits == expected[0])
    for (session, range) in [(first, 0..<2), (second, 1..<2)] {
      for index in range {
        #expect(try await session.predict(frames[index]).bits == expected[index])
      }
    }
    let context = try Context(try network())
    for frame in frames { _ = try context.predict(frame) }
    // The cache behind the position holds nothing of the canceled prediction.
    let expectedState = try context.state.saved()
    #expect(await first.saved() == expectedState)
  }

  /// The deadline and the cancellation of a prediction include its wait for those before it.
  @Test func waitingForATurnEnds() async throws {
    let gate = PredictionGate()
    let runner = try Runner(try network(gate), inflightBuffers: 2)
    let session = try runner.session()
    let frames = [frame(1), frame(2), frame(3)]
    let expected = try expected([frames[0], frames[2]])
    let first = Task { try await session.predict(frames[0]) }
    try await gate.waitForPrediction()
    do {
      _ = try await session.predict(frames[1], deadline: .after(.milliseconds(5)))
      Issue.record("it predicted")
    } catch let error as RunnerError {
      #expect(error.kind == .deadlineExceeded)
    }
    let second = Task { try await session.predict(frames[1]) }
    let third = Task { try await session.predict(frames[1]) }
    try await Task.sleep(for: .milliseconds(5))
    second.cancel()
    third.cancel()
    for task in [second, third] {
      do {
        _ = try await task.value
        Issue.record("it predicted")
      } catch let error as RunnerError {
        #expect(error.kind == .cancelled)
      }
    }
    #expect(runner.statistics.deadlineExceeded == 1)
    #expect(runner.statistics.cancelled == 2)
    gate.open()
    #expect(try await first.value.bits == expected[0])
    #expect(try await session.predict(frames[2]).bits == expected[1])
  }

  /// A reset and a prediction that are requested at once come one after the other.
  @Test func resetsTakeTheirTurn() async throws {
    let session = try Runner(try network(), inflightBuffers: 2).session()
    let frame = frame(1)
    let expected = try expected([frame, frame])
    for _ in 0..<200 {
      await session.reset()
      #expect(try await session.predict(frame).bits == expected[0])
      async let reset: Void = session.reset()
      async let prediction = session.predict(frame)
      let bits = try await prediction.bits
      await reset
      #expect(expected.contains(bits))
    }
  }

  @Test func sessionsSetAState() async throws {
    let session = try Runner(try network(), inflightBuffers: 1).session()
    let frames = [frame(1), frame(2)]
    let expected = try expected(frames)
    let context = try Context(try network())
    for (frame, bits) in zip(frames, expected) {
      #expect(try await session.predict(frame).bits == bits)
      _ = try context.predict(frame)
    }
    let hidden = (0..<6).map { Float($0) / 8 }
    try await session.set("gru.hidden", to: hidden)
    try await session.set("attention.position", to: [1])
    try context.state.set("gru.hidden", to: hidden)
    try context.state.set("attention.position", to: [1])
    let bits = try context.predict(frames[0]).bits
    #expect(try await session.predict(frames[0]).bits == bits)
    for (name, values) in [("gru.hidden", [1]), ("gru.cells", hidden)] {
      await #expect(throws: PredictionError.self) { try await session.set(name, to: values) }
    }
  }

  // MARK: Contexts

  /// A check fails after all layers have run.
  @Test func failedChecksChangeNothing() async throws {
    let x = Input(shape: [1, Self.channels], name: "x")
    let output =
      x --> GRU(units: 5, returnSequences: true, stateful: true, name: "gru")
      --> MultiHeadAttention(
        heads: 1, keyChannels: 4, isCausal: true, cacheLength: 9, name: "attention")
    let compiled = try Model(input: x, output: output).compile(
      parameters: RandomParameters(seed: 7), options: CompileOptions(checks: .finiteOutputs))
    let frames = [frame(1), frame(2)]
    let bad = frame(3).map { $0 > 0 ? $0 : .nan }
    let context = try Context(compiled)
    let expected = try frames.map { try context.predict($0).bits }
    try context.state.reset()
    let session = try Runner(compiled, inflightBuffers: 1).session()

    #expect(try context.predict(frames[0]).bits == expected[0])
    #expect(try await session.predict(frames[0]).bits == expected[0])
    let before = try context.state.saved()
    #expect(throws: PredictionError.self) { try context.predict(bad) }
    await #expect(throws: PredictionError.self) { try await session.predict(bad) }
    #expect(try context.state.saved() == before)
    #expect(await session.saved() == before)
    #expect(try context.predict(frames[1]).bits == expected[1])
    #expect(try await session.predict(frames[1]).bits == expected[1])

    try context.state.set("gru.hidden", to: [1, .infinity, 1, 1, 1])
    do {
      _ = try context.predict(frames[0])
      Issue.record("it predicted")
    } catch {
      #expect("\(error)".contains("state \"gru.hidden\", inf at index 1"), "\(error)")
    }
  }

  /// One example of a batch that fails leaves the states of all as they were.
  @Test func batchesAreAllOrNothing() throws {
    let ids = Input(shape: [1], name: "ids")
    let output =
      ids --> Embedding(vocabulary: 5, channels: 6, name: "words")
      --> GRU(units: 7, returnSequences: true, stateful: true, name: "gru")
      --> MultiHeadAttention(
        heads: 1, keyChannels: 4, isCausal: true, cacheLength: 9, name: "attention")
    let compiled = try Model(input: ids, output: output).compile(
      parameters: RandomParameters(seed: 7))
    let context = try Context(compiled, batch: 3)
    let realtime = try RealtimeContext(compiled, batch: 3)
    func predict(_ tokens: [Float], realtime isRealtime: Bool) throws {
      if isRealtime {
        realtime.withInput(0) { span in for i in tokens.indices { span[i] = tokens[i] } }
        try realtime.predict(batch: tokens.count)
      } else {
        context.withInput(0) { span in for i in tokens.indices { span[i] = tokens[i] } }
        try context.predict(batch: tokens.count)
      }
    }
    for isRealtime in [false, true] {
      let state = isRealtime ? realtime.state : context.state
      try predict([1, 2, 3], realtime: isRealtime)
      let before = try (0..<3).map { try state.saved(example: $0) }
      #expect(throws: PredictionError.self) { try predict([1, 5, 2], realtime: isRealtime) }
      #expect(throws: PredictionError.self) { try predict([1, 0, -2], realtime: isRealtime) }
      #expect(try (0..<3).map { try state.saved(example: $0) } == before)
      try predict([4, 4, 4], realtime: isRealtime)
      #expect(try state.saved(example: 0) != before[0])
    }
  }

  @Test func realtimeContextsHaveAState() throws {
    let compiled = try network()
    let context = try Context(compiled)
    let realtime = try RealtimeContext(compiled)
    let frames = [frame(1), frame(2)]
    var output = Array(repeating: Float.nan, count: Self.channels + 1)
    for frame in frames {
      _ = try context.predict(frame)
      var span = output.mutableSpan
      try realtime.predict(frame.span, into: &span)
    }
    #expect(realtime.state.names == compiled.stateNames)
    let saved = try context.state.saved()
    #expect(try realtime.state.saved() == saved)
    try realtime.state.reset()
    #expect(try realtime.state.values(of: "attention.position").values == [0])
    try realtime.state.restore(saved)
    let frame = frames[0]
    var span = output.mutableSpan
    try realtime.predict(frame.span, into: &span)
    #expect(try context.predict(frame).bits == output.bits)
  }
}
