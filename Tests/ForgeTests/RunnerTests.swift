import Forge
import ForgeTestSupport
import Synchronization
import Testing

/// A compiled model behind a runner.
@Suite(.timeLimit(.minutes(2))) struct RunnerTests {
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

  @Test func theSameBits() async throws {
    let network = try network()
    let expected = try inputs.map { try network.predict($0) }
    let runner = try Runner(network, inflightBuffers: 3)
    #expect(try await runner.predictBatch(inputs) == expected)
    #expect(try await runner.predict(inputs[7], deadline: .after(.seconds(100))) == expected[7])
    let batches = try Runner(network, inflightBuffers: 2, batch: 7, within: .milliseconds(1))
    #expect(try await batches.predictBatch(inputs) == expected)
  }

  @Test func keptTensors() async throws {
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

  @Test func mistakesComeBack() async throws {
    let runner = try Runner(try network(), inflightBuffers: 1)
    let error = await #expect(throws: PredictionError.self) { try await runner.predict([1, 2]) }
    #expect(error?.kind == .wrongValueCount)
    #expect(throws: PredictionError.self) {
      _ = try Runner(try network(), batch: 65, within: .zero)
    }
    #expect(runner.freeSlots == 1)
  }

  /// A signal that is raised while a plan runs stops it before its next step: custom layers on both
  /// sides of C steps say how far it came.
  @Test(arguments: 0..<4) func stoppedBetweenSteps(step: Int) async throws {
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
        --> Custom(name: "watch\(number)", shape: { $0[0] }) { inputs, output in
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
