import CForgeKernels
import CForgeTestSupport
import Forge
import ForgeTestSupport
import Synchronization
import Testing

/// Predictions on several threads.
@Suite struct ThreadTests {
  /// Options under which every step of two tiles or more is dealt out, however small it is.
  private static func dealtOut(_ threads: Int) -> CompileOptions {
    var options = CompileOptions(threads: .exactly(threads))
    options.smallestShare = 0
    return options
  }

  /// The options state the size of the pool without knowing C.
  @Test func maximumThreadsMatchPoolSize() {
    #expect(CompileOptions.Threads.maximum == Int(FORGE_MOST_THREADS))
  }

  @Test(arguments: 0..<4)
  func bitsAreIndependentOfThreads(_ part: Int) throws {
    for seed in UInt64(part * 15)..<UInt64((part + 1) * 15) {
      let model = RandomNetwork(seed: seed).model
      let reference = try ReferenceModel(model)
      let examples = (0..<2).map { reference.inputs(seed: seed &* 31 &+ $0 &* 100) }
      var bits: [[Bits]]?
      for threads in [1, 2, 3, 5] {
        let network = try model.compile(
          parameters: SeededParameters(seed: seed), options: Self.dealtOut(threads))
        #expect(network.threads == threads)
        let context = try Context(network, batch: 2)
        for _ in 0..<3 {
          let results = try context.predict(examples).map { $0.map(\.bits) }
          if let bits {
            #expect(results == bits, "seed \(seed), \(threads) threads")
          } else {
            bits = results
          }
        }
      }
    }
  }

  /// Random networks are small: this one has more tiles and work, on every instruction set.
  @Test(arguments: CompileOptions.InstructionSet.present)
  func largeNetworkBitsAreIndependentOfThreads(_ level: CompileOptions.InstructionSet) throws {
    let input = Input(width: 53, height: 47, channels: 3)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 40, activation: .relu)
      --> DepthwiseConvolution(kernel: (3, 3)) --> PointwiseConvolution(channels: 70)
      --> MaxPooling(kernel: (2, 2)) --> Convolution(kernel: (5, 5), channels: 33)
      --> GlobalAveragePooling() --> Dense(neurons: 101) --> Softmax()
    let model = Model(input: input, output: output)
    let values = seededValues(count: 53 * 47 * 3, seed: 5)
    let bits = try [1, 2, 3, 5].map { threads in
      let options = CompileOptions(instructionSet: level, threads: .exactly(threads))
      let network = try model.compile(parameters: SeededParameters(), options: options)
      return try network.predict(values).bits
    }
    #expect(Set(bits).count == 1)
  }

  /// One prediction uses the pool, the others run on one thread, with equal results.
  @Test func concurrentPredictionsShareThePool() async throws {
    for seed in UInt64(0)..<8 {
      let model = RandomNetwork(seed: seed).model
      let reference = try ReferenceModel(model)
      let examples = (0..<4).map { reference.inputs(seed: seed &* 31 &+ $0 &* 100) }
      let alone = try model.compile(
        parameters: SeededParameters(seed: seed), options: Self.dealtOut(1))
      let bits = try examples.map { try Context(alone).predict([$0])[0].map(\.bits) }
      let network = try model.compile(
        parameters: SeededParameters(seed: seed), options: Self.dealtOut(2))
      let wrong = await withTaskGroup(of: Int.self) { group in
        for task in 0..<5 {
          group.addTask {
            guard let context = try? Context(network) else { return 1 }
            return (0..<40).count { step in
              let index = (task + step) % 4
              let result = try? context.predict([examples[index]])[0].map(\.bits)
              return result != bits[index]
            }
          }
        }
        return await group.reduce(0, +)
      }
      #expect(wrong == 0, "seed \(seed)")
    }
  }

  /// Workers use the caller's floating-point mode, also flush-to-zero.
  @Test func workersInheritFloatingPointMode() throws {
    let input = Input(width: 8, height: 64, channels: 16)
    let model = Model(input: input, output: input --> Multiply(constant: [0.5]))
    let network = try model.compile(options: Self.dealtOut(4))
    let values = [Float](repeating: .leastNormalMagnitude, count: 8 * 64 * 16)
    let kept = try network.predict(values)
    guard forge_flush_denormals(1) == 1 else { return }
    defer { forge_flush_denormals(0) }
    let flushed = try network.predict(values)
    #expect(Set(kept.map(\.bitPattern)) == [(Float.leastNormalMagnitude / 2).bitPattern])
    #expect(Set(flushed.map(\.bitPattern)) == [0])
  }

  @Test func contextsMayUseFewerThreads() throws {
    let input = Input(width: 20, height: 20, channels: 3)
    let model = Model(input: input, output: input --> Convolution(kernel: (3, 3), channels: 40))
    let network = try model.compile(parameters: SeededParameters(), options: Self.dealtOut(3))
    #expect(try Context(network).threads == 3)
    #expect(try Context(network, threads: 2).threads == 2)
    #expect(try Context(network, threads: 1).threads == 1)
    #expect(try Context(network, threads: 9).threads == 3)
    let error = try #require(throws: PredictionError.self) { try Context(network, threads: 0) }
    #expect(error.kind == .wrongThreads)
    #expect(
      error.description == """
        a prediction needs a thread
          received  threads: 0
          needs     at least 1
        """)
  }

  @Test func smallPlansUseOneThread() throws {
    let input = Input(width: 4, height: 4, channels: 3)
    let model = Model(input: input, output: input --> Convolution(kernel: (3, 3), channels: 4))
    let network = try model.compile(
      parameters: SeededParameters(), options: CompileOptions(threads: .exactly(4)))
    #expect(network.threads == 4)
    #expect(try Context(network).threads == 1)
  }

  @Test(arguments: [-1, 0, 257])
  func invalidThreadCounts(_ threads: Int) throws {
    let input = Input(width: 4, height: 4, channels: 3)
    let model = Model(input: input, output: input --> Softmax())
    for option in [CompileOptions.Threads.atMost(threads), .exactly(threads)] {
      let error = try #require(throws: CompileError.self) {
        try model.compile(options: CompileOptions(threads: option))
      }
      #expect(
        error.description == """
          the option threads is out of range
            received  \(threads)
            needs     1 to 256
          """)
    }
  }

  @Test func machineLimitsAutomaticThreadCount() throws {
    let input = Input(width: 4, height: 4, channels: 3)
    let model = Model(input: input, output: input --> Softmax())
    let usable = try #require(Device.all.first)
    #expect(try model.compile().threads == min(usable.usablePhysicalCores, 16))
    let most = try model.compile(options: CompileOptions(threads: .atMost(256))).threads
    #expect(most == min(usable.usableCores, 256))
  }

  // MARK: In a process of their own

  @Test func singleThreadDoesNotUsePool() async {
    await #expect(processExitsWith: .success) {
      let network = try ThreadTests.network(threads: 1)
      _ = try network.predict(ThreadTests.values)
      let two = try ThreadTests.network(threads: 2)
      let context = try Context(two, threads: 1)
      try context.predict()
      try #require(forge_worker_count() == 0)
      _ = try two.predict(ThreadTests.values)
      try #require(forge_worker_count() == 1)
    }
  }

  /// Packing gives the same bits and takes the same memory with any number of threads.
  @Test func packingIsIndependentOfThreads() async {
    await #expect(processExitsWith: .success) {
      let input = Input(width: 5, height: 5, channels: 67)
      let output =
        input --> Convolution(kernel: (3, 3), channels: 331) --> Dense(neurons: 97, name: "dense")
      let values = seededValues(count: 5 * 5 * 67, seed: 3)
      let compile = { (count: CompileOptions.Threads) in
        try Model(input: input, output: output).compile(
          parameters: SeededParameters(),
          options: CompileOptions(threads: 1, compileThreads: count))
      }
      let one = try compile(1)
      try #require(forge_worker_count() == 0)
      let three = try compile(.exactly(3))
      try #require(forge_worker_count() == 2)
      try #require(try one.predict(values).bits == three.predict(values).bits)
      try #require(one.memory.loadingPeak == three.memory.loadingPeak)
    }
  }

  @Test func idleWorkersUseNoCPUTime() async {
    await #expect(processExitsWith: .success) {
      let network = try ThreadTests.network(threads: 4)
      for _ in 0..<20 { _ = try network.predict(ThreadTests.values) }
      try #require(forge_worker_count() == 3)
      // Longer than workers spin.
      try await Task.sleep(for: .milliseconds(20))
      let before = forge_processor_seconds()
      try await Task.sleep(for: .seconds(1))
      try #require(forge_processor_seconds() - before < 0.01)
    }
  }

  @Test func forkedChildCreatesItsOwnWorkers() async {
    await #expect(processExitsWith: .success) {
      let network = try ThreadTests.network(threads: 3)
      let bits = try network.predict(ThreadTests.values).bits
      try #require(forge_worker_count() == 2)
      ThreadTests.forked.withLock { $0 = Forked(network: network, bits: bits) }
      let status = forge_fork_and_wait {
        guard forge_worker_count() == 0, let forked = ThreadTests.forked.withLock({ $0 }) else {
          return 2
        }
        for _ in 0..<5 {
          guard let values = try? forked.network.predict(ThreadTests.values),
            values.bits == forked.bits
          else { return 3 }
        }
        return forge_worker_count() == 2 ? 0 : 4
      }
      try #require(status == 0)
      try #require(try network.predict(ThreadTests.values).bits == bits)
    }
  }

  /// What a forked child compares.
  private struct Forked: Sendable {
    let network: CompiledModel
    let bits: Bits
  }

  private static let forked = Mutex<Forked?>(nil)

  private static let values = seededValues(count: 31 * 29 * 3, seed: 8)

  private static func network(threads: Int) throws -> CompiledModel {
    let input = Input(width: 31, height: 29, channels: 3)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 20, activation: .relu)
      --> MaxPooling(kernel: (2, 2)) --> Dense(neurons: 11) --> Softmax()
    return try Model(input: input, output: output).compile(
      parameters: SeededParameters(), options: dealtOut(threads))
  }
}
