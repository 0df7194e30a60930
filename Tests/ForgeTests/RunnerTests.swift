import Forge
import ForgeTestSupport
import Synchronization
import Testing

/// A compiled model behind a runner.
@Suite(.timeLimit(.minutes(20))) struct RunnerTests {
  private func network(keep: [String] = [], layers: Int = 3) throws -> CompiledModel {
    let input = Input(width: 9, height: 7, channels: 3)
    var output = input
    for number in 1...layers {
      output =
        output
        --> Convolution(kernel: (3, 3), channels: 5, activation: .relu, name: "conv\(number)")
    }
    return try Model(input: input, output: output --> Dense(neurons: 4)).compile(
      parameters: SeededParameters(), options: CompileOptions(keep: keep))
  }

  private let inputs = (0..<50).map { seededValues(count: 9 * 7 * 3, seed: UInt64($0)) }

  @Test func bitsMatchDirectPrediction() async throws {
    let network = try network()
    let expected = try inputs.map { try network.predict($0) }
    let runner = try Runner(network, inflightBuffers: 3)
    #expect(try await runner.predictBatch(inputs) == expected)
    #expect(try await runner.predict(inputs[7], deadline: .after(.seconds(100))) == expected[7])
    let batches = try Runner(network, inflightBuffers: 2, batch: 7, within: .milliseconds(1))
    #expect(try await batches.predictBatch(inputs) == expected)
  }

  /// Also with more threads than the network was compiled for or the machine has.
  @Test(arguments: [1, 2, 3, 100]) func bitsAreIndependentOfThreads(threads: Int) async throws {
    var options = CompileOptions(threads: .exactly(3))
    options.smallestShare = 0
    let input = Input(width: 19, height: 17, channels: 3)
    let model = Model(
      input: input,
      output: input --> Convolution(kernel: (3, 3), channels: 40, activation: .relu)
        --> MaxPooling(kernel: (2, 2)) --> PointwiseConvolution(channels: 33) --> Softmax())
    let network = try model.compile(parameters: SeededParameters(), options: options)
    #expect(try Context(network, threads: threads).threads == min(threads, 3))
    let inputs = (0..<20).map { seededValues(count: 19 * 17 * 3, seed: UInt64($0)) }
    let single = try model.compile(
      parameters: SeededParameters(), options: CompileOptions(threads: 1))
    let expected = try inputs.map { try single.predict($0) }
    for count in [1, 3] {
      let runner = try Runner(network, inflightBuffers: count, threads: threads)
      #expect(try await runner.predictBatch(inputs) == expected)
      let batches = try Runner(
        network, inflightBuffers: count, batch: 4, within: .milliseconds(1), threads: threads)
      #expect(try await batches.predictBatch(inputs) == expected)
    }
  }

  @Test(arguments: [0, -3]) func nonPositiveThreadCounts(threads: Int) throws {
    let network = try network()
    let error = try #require(throws: RunnerError.self) { try Runner(network, threads: threads) }
    #expect(error.kind == .invalidCount)
  }

  @Test func keptTensorsAreReturned() async throws {
    let network = try network(keep: ["conv2"])
    let runner = try Runner(network, inflightBuffers: 2, batch: 3, within: .zero)
    for (input, index) in zip(inputs.prefix(9), 0...) {
      let expected = try network.predict([
        "input": TensorValues(
          width: 9, height: 7, channels: 3, values: input)
      ])
      let result = try await runner.result(for: input)
      #expect(result.kept == expected.kept, "\(index)")
      #expect(result.kept["conv2"]?.values.count == 9 * 7 * 5)
      #expect(result.latency >= result.waited)
    }
  }

  @Test func errorsAreReturned() async throws {
    let runner = try Runner(try network(), inflightBuffers: 1)
    let error = await #expect(throws: PredictionError.self) { try await runner.predict([1, 2]) }
    #expect(error?.kind == .wrongValueCount)
    #expect(throws: PredictionError.self) {
      _ = try Runner(try network(), batch: 65, within: .zero)
    }
    #expect(runner.freeSlots == 1)
  }

  /// A signal raised while a plan runs stops it before its next step: custom layers before and
  /// after C steps record the progress.
  @Test(arguments: 0..<4) func cancellationStopsBetweenSteps(step: Int) async throws {
    final class Trace: Sendable {
      let reached = Atomic<Int>(-1)
      let isCancelled = Atomic(false)
    }
    let trace = Trace()
    let input = Input(width: 9, height: 7, channels: 3)
    var output = input
    for number in 0..<4 {
      output =
        output
        --> Custom(shape: { $0[0] }, name: "watch\(number)") { inputs, output in
          trace.reached.store(number, ordering: .sequentiallyConsistent)
          if number == step {
            while !trace.isCancelled.load(ordering: .sequentiallyConsistent) {}
          }
          _ = output.update(fromContentsOf: inputs[0])
        } --> Convolution(kernel: (3, 3), channels: 3)
    }
    let network = try Model(input: input, output: output).compile(
      parameters: RandomParameters(seed: 1))
    let runner = try Runner(network, inflightBuffers: 1)
    let values = inputs[0]
    let task = Task { try await runner.predict(values) }
    while trace.reached.load(ordering: .sequentiallyConsistent) != step { await Task.yield() }
    task.cancel()
    let error = await #expect(throws: RunnerError.self) { try await task.value }
    #expect(error?.kind == .cancelled)
    #expect(runner.freeSlots == 0)
    trace.isCancelled.store(true, ordering: .sequentiallyConsistent)
    await runner.drain()
    #expect(runner.freeSlots == 1)
    #expect(trace.reached.load(ordering: .sequentiallyConsistent) == step)
  }
}
