import Forge
import ForgeOperations
import ForgeTestSupport
import Testing

/// Attention that keeps keys and values: a sequence in parts gives the bits of the whole sequence.
@Suite struct AttentionCacheTests {
  /// The channels of the sequences.
  static let channels = 24

  /// A network for streams of up to so many positions; `nil` for one without a stream.
  struct Network: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let layers: @Sendable (Tensor, Int?) -> Tensor

    static let all = [
      Network(testDescription: "one head") { x, length in
        x
          --> MultiHeadAttention(
            heads: 1, keyChannels: 16, isCausal: true, cacheLength: length, name: "attention")
      },
      Network(testDescription: "odd heads, rotary halves") { x, length in
        x
          --> MultiHeadAttention(
            heads: 3, keyChannels: 10, valueChannels: 7, outputs: 11, isCausal: true,
            rotary: .halves(channels: 6), cacheLength: length, useBias: false, name: "attention")
      },
      Network(testDescription: "grouped heads, rotary neighbors") { x, length in
        x --> PositionalEncoding(.learned(maximumLength: 400), streamLength: length, name: "place")
          --> MultiHeadAttention(
            heads: 6, keyChannels: 32, valueChannels: 16, keyValueHeads: 2, isCausal: true,
            rotary: .neighbors(), cacheLength: length, name: "attention")
      },
      Network(testDescription: "joined, between a convolution and a gru") { x, length in
        x
          --> Convolution1D(
            kernel: 3, channels: 24, padding: length == nil ? .causal : .streaming, name: "conv")
          --> PositionalEncoding(streamLength: length, name: "sines")
          --> MultiHeadAttention(
            heads: 4, keyChannels: 6, isCausal: true, cacheLength: length, form: .joined,
            name: "attention")
          --> GRU(units: 9, returnSequences: true, stateful: length != nil, name: "gru")
      },
      Network(testDescription: "two blocks") { x, length in
        let block = TransformerEncoder(
          heads: 2, hidden: 40, normalizesFirst: true, isCausal: true, rotary: .halves(),
          cacheLength: length)
        return x --> block.named("block1") --> block.named("block2")
      },
      Network(testDescription: "without products") { x, length in
        let y = x --> PositionalEncoding(.rotary(.halves(), heads: 2), streamLength: length)
        return [y, x, x]
          --> ScaledDotProductAttention(
            heads: 2, isCausal: true, cap: 3, cacheLength: length, name: "attention")
      },
      Network(testDescription: "a number for each head and key") { x, length in
        [x, mask(x, length, .added)]
          --> MultiHeadAttention(
            heads: 3, keyChannels: 8, isCausal: true, mask: .added, cacheLength: length,
            name: "attention")
      },
      Network(testDescription: "hidden keys") { x, length in
        [x, x, x, mask(x, length, .visible)]
          --> ScaledDotProductAttention(
            heads: 3, isCausal: true, mask: .visible, cacheLength: length,
            name: "attention")
      },
    ]

    /// A mask of three heads, which is the same for all queries, for each position of the cache.
    private static func mask(
      _ x: Tensor, _ length: Int?, _ kind: AttentionRule.Mask
    ) -> Tensor {
      let keys = length ?? x.shape?.dimensions.first.flatMap { $0 } ?? 1
      let values = (0..<3 * keys).map { place -> Float in
        let (head, key) = (place / keys, place % keys)
        if (key + 2 * head) % 7 == 3 { return kind == .added ? -.infinity : 0 }
        return kind == .added ? Float((key * 5 + head * 3) % 11) / 4 - 1 : 1
      }
      return Constant(values, shape: [3, 1, keys])
    }

    func model(positions: Int, cacheLength: Int?) -> Model {
      let input = Input(shape: [positions, AttentionCacheTests.channels], name: "x")
      return Model(input: input, output: layers(input, cacheLength))
    }

    func compile(
      positions: Int, cacheLength: Int? = 320, _ set: CompileOptions.InstructionSet? = nil,
      threads: Int = 1, keep: [String] = []
    ) throws -> CompiledModel {
      var options = CompileOptions(keep: keep, instructionSet: set, threads: .exactly(threads))
      options.smallestShare = threads > 1 ? 0 : nil
      return try model(positions: positions, cacheLength: cacheLength).compile(
        parameters: RandomParameters(seed: 7), options: options)
    }
  }

  private func sequence(_ positions: Int, seed: UInt64 = 3) -> [Float] {
    var random = SplitMix64(seed: seed)
    return (0..<positions * Self.channels).map { _ in random.nextSymmetric() }
  }

  /// Predicts a sequence in parts, each by a network for its length, which hand the state on.
  private func outputs(
    _ values: [Float], parts: [Int], _ compile: (Int) throws -> CompiledModel
  ) throws -> [Float] {
    var contexts: [Int: Context] = [:]
    var saved: SavedState?
    var found: [Float] = []
    var start = 0
    for part in parts {
      let context = try contexts[part] ?? Context(try compile(part))
      contexts[part] = context
      if let saved { try context.state.restore(saved) }
      found += try context.predict(
        Array(values[start * Self.channels..<(start + part) * Self.channels]))
      saved = contexts.count > 1 || Set(parts).count > 1 ? try context.state.saved() : nil
      start += part
    }
    return found
  }

  @Test(arguments: Network.all)
  func partsHaveTheBitsOfTheWhole(_ network: Network) throws {
    let values = sequence(22)
    for set in CompileOptions.InstructionSet.present {
      let whole = try network.compile(positions: 22, set).predict(values)
      let without = try network.compile(positions: 22, cacheLength: nil, set).predict(values)
      expectClose(without, whole, relativeL2: 1e-6, "\(set)")
      for parts in [[1, 3, 13, 5], Array(repeating: 1, count: 22), [21, 1], [11, 11]] {
        for threads in [1, 2] {
          let found = try outputs(values, parts: parts) {
            try network.compile(positions: $0, set, threads: threads)
          }
          #expect(found.bits == whole.bits, "\(set), parts of \(parts), \(threads) threads")
        }
      }
    }
  }

  /// What comes later is hidden, even if it is NaN or infinite.
  @Test(arguments: Network.all)
  func theFutureIsHidden(_ network: Network) throws {
    for (length, hostile) in [(22, 9), (300, 258)] {
      var values = sequence(length)
      values[hostile * Self.channels + 3] = .nan
      values[(hostile + 2) * Self.channels + 1] = .infinity
      for set in CompileOptions.InstructionSet.present {
        let whole = try network.compile(positions: length, set).predict(values)
        let found = try outputs(values, parts: [1, hostile - 1, 1, 1, length - hostile - 2]) {
          try network.compile(positions: $0, set)
        }
        // Which NaN a sum becomes depends on the order of its terms.
        let bits = { (values: [Float]) in values.map { $0.isNaN ? Float.nan : $0 }.bits }
        #expect(bits(found) == bits(whole), "\(set)")
        let before = whole.prefix(whole.count / length * hostile)
        #expect(before.allSatisfy { $0.isFinite })
        #expect(whole.suffix(whole.count / length).contains { $0.isNaN })
      }
    }
  }

  /// Around the 256 keys that a kernel takes at a time.
  @Test(arguments: Network.all)
  func longStreams(_ network: Network) throws {
    let values = sequence(300)
    let whole = try network.compile(positions: 300).predict(values)
    let without = try network.compile(positions: 300, cacheLength: nil).predict(values)
    expectClose(without, whole, relativeL2: 1e-6)
    for (parts, threads) in [
      ([254, 1, 1, 1, 1, 42], 1), ([97, 160, 43], 2), ([13, 242, 2, 43], 2),
      (Array(repeating: 1, count: 300), 1),
    ] {
      let found = try outputs(values, parts: parts) {
        try network.compile(positions: $0, threads: threads)
      }
      #expect(found.bits == whole.bits, "parts of \(parts.prefix(6)), \(threads) threads")
    }
  }

  @Test(arguments: Network.all)
  func plansAgreeWithTheReference(_ network: Network) throws {
    // `verify` compares at random positions.
    for disabled in [[], Set(Rewrites.names)] {
      try expectAgreement(
        network.model(positions: 3, cacheLength: 9),
        options: CompileOptions(verify: .samples(4), disabledRewrites: disabled))
    }
  }

  @Test(arguments: Network.all)
  func keptLayersChangeNothing(_ network: Network) throws {
    guard network.testDescription != "two blocks" else { return }
    let values = sequence(12)
    let plain = try network.compile(positions: 12).predict(values)
    let context = try Context(try network.compile(positions: 4, keep: ["attention"]))
    var (found, kept): ([Float], [Float]) = ([], [])
    for start in [0, 4, 8] {
      let part = Array(values[start * Self.channels..<(start + 4) * Self.channels])
      let results = try context.predict(["x": part])
      found += results.outputs.values.first?.values ?? []
      kept += results.kept["attention"]?.values ?? []
    }
    #expect(found.bits == plain.bits)
    if network.testDescription != Network.all[3].testDescription {
      #expect(kept.bits == found.bits)
    }
    #expect(!kept.isEmpty)
  }

  /// A token neither copies the cache nor makes room for a second one.
  @Test func cachesAreAppendedInPlace() throws {
    let compiled = try Network.all[4].compile(positions: 1)
    #expect(
      compiled.stateNames == [
        "block1.attention.keys", "block1.attention.values", "block1.attention.position",
        "block2.attention.keys", "block2.attention.values", "block2.attention.position",
      ])
    let model = Network.all[4].model(positions: 1, cacheLength: 320)
    let layouts = try ReferenceModel(model).graph.stateLayouts
    #expect(layouts.map(\.isInPlace) == [true, true, false, true, true, false])
    #expect(layouts[0].sizes == [320, 24])
    let steps = compiled.report.arithmetic
    #expect(steps.filter { $0 == "appendRows" }.count == 4)
    // Only the result and the two positions are copied.
    #expect(steps.filter { $0 == "copy" }.count == 3, "\(steps)")
    let memory = try StateMemory(layouts, batch: 2)
    #expect(memory.values(0, example: 1).baseAddress == memory.next(0, example: 1).baseAddress)
    #expect(memory.values(2, example: 1).baseAddress != memory.next(2, example: 1).baseAddress)
  }

  @Test func statesAreReadSavedAndRestored() throws {
    let network = Network.all[2]
    let compiled = try network.compile(positions: 2, cacheLength: 8)
    let context = try Context(compiled)
    let values = sequence(8)
    let parts = (0..<4).map { Array(values[$0 * 2 * Self.channels..<($0 + 1) * 2 * Self.channels]) }
    let expected = try parts.map { try context.predict($0).bits }
    #expect(try context.state.values(of: "attention.position").values == [8])
    try context.state.reset()
    for index in 0..<2 { #expect(try context.predict(parts[index]).bits == expected[index]) }
    let saved = try context.state.saved()
    #expect(saved["place.position"]?.values == [4])
    // Rows that are not written are zero.
    let keys = try #require(saved["attention.keys"])
    #expect(keys.shape.sizes == [8, 64])
    #expect(keys.values.suffix(4 * 64).allSatisfy { $0 == 0 })
    #expect(!keys.values.prefix(4 * 64).contains(0))
    #expect(try context.predict(parts[2]).bits == expected[2])
    let other = try Context(compiled)
    try other.state.restore(saved)
    #expect(try other.predict(parts[2]).bits == expected[2])
    #expect(try other.predict(parts[3]).bits == expected[3])
    // One position at a time goes back, and on with other numbers behind it.
    try other.state.set("attention.position", to: [4])
    try other.state.set("place.position", to: [4])
    #expect(try other.predict(parts[2]).bits == expected[2])
    #expect(try compiled.predict(parts[0]).bits == expected[0])

    let stranger = try Context(try Network.all[1].compile(positions: 2, cacheLength: 8))
    #expect(
      message { try other.state.restore(try stranger.state.saved()) }.hasPrefix(
        "the saved state is that of another network"))
    let longer = try Context(try network.compile(positions: 2, cacheLength: 9))
    #expect(
      message { try longer.state.restore(saved) } == """
        the saved state is that of another network
          received  "place.position" (1), "attention.keys" (8×64), "attention.values" (8×32), \
        "attention.position" (1)
          needs     "place.position" (1), "attention.keys" (9×64), "attention.values" (9×32), \
        "attention.position" (1)
        """)
  }

  private func message(_ body: () throws -> Void) -> String {
    do { try body() } catch { return "\(error)" }
    return "no error"
  }

  /// The message without its first line's place.
  private func withoutPlace(_ message: String) -> String {
    guard let range = message.range(of: "layer ") else { return message }
    return String(message[range.lowerBound...])
  }

  @Test func streamsThatAreTooLong() async throws {
    let compiled = try Network.all[1].compile(positions: 2, cacheLength: 5)
    let context = try Context(compiled)
    let values = sequence(2)
    let expected = try (0..<2).map { _ in try context.predict(values).bits }
    let before = try context.state.saved()
    let words = """
      layer 1 "attention" (MultiHeadAttention): the stream has become too long
        received  2 more positions after 4
        needs     at most 5 in all, by state "attention.position"
        remedy    reset the state, or give the layer a larger cacheLength or streamLength
      """
    for _ in 0..<2 { #expect(withoutPlace(message { _ = try context.predict(values) }) == words) }
    do { try context.predict() } catch { #expect(error.kind == .streamTooLong) }
    #expect(try context.state.saved() == before)
    try context.state.reset()
    #expect(try context.predict(values).bits == expected[0])

    let realtime = try RealtimeContext(compiled)
    var output = [Float](repeating: 0, count: 22)
    func predict() throws {
      var span = output.mutableSpan
      try realtime.predict(values.span, into: &span)
    }
    for index in 0..<2 {
      try predict()
      #expect(output.bits == expected[index])
    }
    #expect(withoutPlace(message { try predict() }) == words)
    #expect(withoutPlace(message { try realtime.predict() }) == words)

    let session = try Runner(compiled, inflightBuffers: 2).session()
    for bits in expected { #expect(try await session.predict(values).bits == bits) }
    do {
      _ = try await session.predict(values)
      Issue.record("the session went on")
    } catch {
      #expect(withoutPlace("\(error)") == words)
    }
    #expect(await session.saved() == before)
    await session.reset()
    #expect(try await session.predict(values).bits == expected[0])
    // Without a context every prediction begins anew.
    for _ in 0..<4 { #expect(try compiled.predict(values).bits == expected[0]) }
    // The second example is full; the first has not been predicted either.
    let both = try Context(compiled, batch: 2)
    try both.state.restore(before, example: 1)
    let first = try both.state.saved(example: 0)
    #expect(
      withoutPlace(message { try both.predict(batch: 2) }).contains("after 4 of example 1"))
    #expect(try both.state.saved(example: 0) == first)
    try both.predict(batch: 1)
  }

  @Test(arguments: [Float.nan, -1, 1e9, 2.5, .infinity, 6])
  func positionsThatAreNone(_ position: Float) throws {
    let compiled = try Network.all[1].compile(positions: 1, cacheLength: 5)
    let context = try Context(compiled)
    let values = sequence(1)
    _ = try context.predict(values)
    try context.state.set("attention.position", to: [position])
    do {
      _ = try context.predict(values)
      Issue.record("it predicted")
    } catch {
      #expect(error.kind == .wrongState)
      #expect(
        withoutPlace("\(error)").hasPrefix(
          "layer 1 \"attention\" (MultiHeadAttention): state \"attention.position\" is not a "
            + "position\n"))
      #expect("\(error)".contains("needs     a whole number from 0 to 5"))
    }
    #expect(
      try context.state.values(of: "attention.position").values.bits == [position].bits)
    try context.state.reset()
    _ = try context.predict(values)
  }

  /// A prediction that fails behind the attention leaves no trace.
  @Test func failedPredictionsChangeNothing() throws {
    struct Stop: Error {}
    let x = Input(shape: [2, Self.channels], name: "x")
    let output =
      Network.all[1].layers(x, 6)
      --> Custom { inputs, output in
        if inputs[0][0].isNaN { throw Stop() }
        for index in output.indices { output[index] = inputs[0][index] }
      }
    let compiled = try Model(input: x, output: output).compile(
      parameters: RandomParameters(seed: 7))
    let context = try Context(compiled)
    let values = sequence(2)
    let expected = try (0..<2).map { _ in try context.predict(values).bits }
    try context.state.reset()
    #expect(try context.predict(values).bits == expected[0])
    let before = try context.state.saved()
    #expect(throws: PredictionError.self) { try context.predict(values.map { _ in Float.nan }) }
    #expect(try context.state.saved() == before)
    #expect(try context.predict(values).bits == expected[1])
  }

  @Test func realtimeContexts() throws {
    let compiled = try Network.all[4].compile(positions: 1)
    let context = try Context(compiled, batch: 2)
    let realtime = try RealtimeContext(compiled, batch: 2)
    let values = sequence(20)
    for step in 0..<10 {
      let part = Array(values[step * 2 * Self.channels..<(step + 1) * 2 * Self.channels])
      let batch = step % 3 == 2 ? 1 : 2
      context.withInput(0) { span in for i in part.indices { span[i] = part[i] } }
      realtime.withInput(0) { span in for i in part.indices { span[i] = part[i] } }
      try context.predict(batch: batch)
      try realtime.predict(batch: batch)
      let outputs = context.withOutput(0) { span in span.indices.map { span[$0] } } ?? []
      let other = realtime.withOutput(0) { span in span.indices.map { span[$0] } } ?? []
      #expect(outputs.bits == other.bits && !outputs.isEmpty)
    }
    #expect(try context.state.values(of: "block2.attention.position", example: 0).values == [10])
    #expect(try context.state.values(of: "block2.attention.position", example: 1).values == [7])
  }

  @Test(arguments: [false, true])
  func streamsNeverMix(inBatches: Bool) async throws {
    let compiled = try Network.all[4].compile(positions: 1, cacheLength: 12)
    let runner =
      inBatches
      ? try Runner(compiled, inflightBuffers: 3, batch: 4, within: .milliseconds(1))
      : try Runner(compiled, inflightBuffers: 3)
    let found = try await withThrowingTaskGroup(of: (Int, [Bits]).self) { group in
      for stream in 0..<64 {
        let session = try runner.session()
        let values = sequence(12, seed: UInt64(100 + stream))
        group.addTask {
          var bits: [Bits] = []
          for step in 0..<12 {
            let part = Array(values[step * Self.channels..<(step + 1) * Self.channels])
            bits.append(try await session.predict(part).bits)
          }
          return (stream, bits)
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    let context = try Context(compiled)
    for stream in 0..<64 {
      try context.state.reset()
      let values = sequence(12, seed: UInt64(100 + stream))
      let expected = try (0..<12).map { step in
        try context.predict(Array(values[step * Self.channels..<(step + 1) * Self.channels])).bits
      }
      #expect(found[stream] == expected, "stream \(stream)")
    }
  }

  /// Layers that users write may keep tables, too; without a promise they are copied.
  @Test func ownLayers() throws {
    struct History: Layer {
      func lower(into lowering: inout Lowering) throws(ShapeError) {
        let input = try lowering.input()
        let image = try lowering.apply(.reshape([1, 1, 3]), to: [input])
        let rows = try lowering.state("rows", shape: Shape(sizes: [4, 3]))
        let position = try lowering.state("position", shape: Shape(sizes: [1]))
        let next = try lowering.apply(.appendRows, to: [rows, image, position])
        try lowering.setState(rows, to: next)
        try lowering.setState(
          position, to: try lowering.apply(.advance, to: [position, image]))
        lowering.output = try lowering.apply(.reduceRows(.sum), to: [next])
      }
    }
    let x = Input(shape: [3], name: "x")
    let model = Model(input: x, output: x --> History().named("history"))
    #expect(try ReferenceModel(model).graph.stateLayouts.allSatisfy { !$0.isInPlace })
    let context = try Context(try model.compile())
    #expect(try context.predict([1, 2, 3]) == [6, 0, 0, 0])
    #expect(try context.predict([1, 1, 1]) == [6, 3, 0, 0])
    #expect(try context.state.values(of: "history.rows").values.prefix(6) == [1, 2, 3, 1, 1, 1])
    for _ in 0..<2 { _ = try context.predict([0, 0, 0]) }
    #expect(throws: PredictionError.self) { try context.predict([0, 0, 0]) }
  }

  @Test func argumentsThatDoNotFit() throws {
    let x = Input(shape: [4, 6], name: "x")
    let rows = Input(shape: [2, 4, 6], name: "rows")
    let mask = Input(shape: [4, 4], name: "mask")
    func attention(
      _ cacheLength: Int, isCausal: Bool = true, mask: AttentionRule.Mask = .none
    ) -> MultiHeadAttention {
      MultiHeadAttention(
        heads: 2, keyChannels: 3, isCausal: isCausal, mask: mask, cacheLength: cacheLength,
        name: "attention")
    }
    let cases: [(Tensor, String)] = [
      (x --> attention(8, isCausal: false), "isCausal: true"),
      ([x, mask] --> attention(8, mask: .added), "the mask does not fit"),
      ([x, x] --> attention(8), "x alone, because of cacheLength: 8"),
      (x --> attention(0), "cacheLength"), (x --> attention(-5), "cacheLength"),
      (x --> attention(1 << 25), "numbers from 1 to 1048576"),
      (x --> attention(3), "one prediction has more positions than a stream may have in all"),
      (rows --> attention(8), "a stream has one row of positions"),
      (rows --> PositionalEncoding(streamLength: 8), "a stream has one row of positions"),
      (x --> PositionalEncoding(streamLength: 3), "one prediction has more positions"),
      (x --> PositionalEncoding(streamLength: 0), "streamLength"),
      (
        x --> PositionalEncoding(.learned(maximumLength: 5), streamLength: 6, name: "learned"),
        "longer than the learned positions"
      ),
      (
        [x, x, [x, x] --> Concatenate(axis: 0)]
          --> ScaledDotProductAttention(isCausal: true, cacheLength: 8),
        "as many positions in queries, keys and values"
      ),
      ([x, x, x] --> ScaledDotProductAttention(cacheLength: 8), "isCausal: true"),
    ]
    for (output, words) in cases {
      do {
        _ = try Model(inputs: [x, rows, mask], outputs: [output]).compile(
          parameters: RandomParameters(seed: 1))
        Issue.record("it compiled: \(words)")
      } catch {
        #expect("\(error)".contains(words), "\(error)")
      }
    }
  }
}
