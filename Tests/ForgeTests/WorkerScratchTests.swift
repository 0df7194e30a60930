import Forge
import ForgeTestSupport
import Testing

/// The scratch memory of threads, which all steps of a plan share.
@Suite struct WorkerScratchTests {
  /// Products of Strassen's algorithm of three sizes, with attention between them.
  private func model(_ length: InputSize) -> Model {
    let input = Input(shape: [length, 256], name: "x")
    let narrow =
      input --> LastAxisDense(neurons: 512, activation: .gelu, name: "wide")
      --> LastAxisDense(neurons: 256, name: "narrow")
    let attended = narrow --> MultiHeadAttention(heads: 4, keyChannels: 64, name: "attention")
    return Model(input: input, output: [attended, narrow] --> Add())
  }

  private func network(_ length: InputSize, threads: Int) throws -> CompiledModel {
    var options = CompileOptions(threads: .exactly(threads))
    options.smallestShare = 0
    return try model(length).compile(parameters: SeededParameters(), options: options)
  }

  /// One tensor serves the first to the last of the steps, in place of one for each.
  @Test func stepsShareScratch() throws {
    let network = try network(.exactly(128), threads: 2)
    let kernels = network.report.steps.map(\.kernel)
    let users = kernels.indices.filter {
      kernels[$0].hasPrefix("strassen") || kernels[$0].hasPrefix("attention")
    }
    try #require(users.count >= 4, "\(kernels)")
    let scratch = try PlacedTensor.all(in: network.report).filter { !$0.isBlocked }.map(\.steps)
    let first = try #require(users.first), last = try #require(users.last)
    #expect(scratch.count { $0 == first + 1...last + 1 } == 1, "\(scratch)")
    for user in users { #expect(!scratch.contains(user + 1...user + 1), "\(scratch)") }
  }

  /// The memory is that of the step that needs most, whatever the others need.
  @Test func scratchDoesNotGrowWithSteps() throws {
    let bytes = try [1, 5].map { blocks in
      let input = Input(shape: [128, 256], name: "x")
      var output: Tensor = input
      for block in 1...blocks {
        output =
          output --> LastAxisDense(neurons: 512, name: "wide\(block)")
          --> LastAxisDense(neurons: 256, name: "narrow\(block)")
      }
      let network = try Model(input: input, output: output).compile(parameters: SeededParameters())
      #expect(network.report.steps.count { $0.kernel.hasPrefix("strassen") } == 2 * blocks)
      return network.report.arenaBytes
    }
    #expect(bytes[0] == bytes[1])
  }

  /// What a step leaves in the memory does not reach the next one, whoever computes it.
  @Test(arguments: [InputSize.exactly(128), .upTo(128)])
  func bitsAreIndependentOfThreads(_ length: InputSize) throws {
    let values = normalValues(count: 128 * 256, seed: 3)
    // Longer sequences first: their scratch is larger.
    let lengths = length == .upTo(128) ? [128, 37, 8, 61] : [128, 128]
    var expected: [Bits] = []
    for threads in 1...4 {
      let network = try network(length, threads: threads)
      let name = try #require(network.outputNames.first)
      let outputs = try lengths.map { count in
        let found = try network.predict(["x": Array(values.prefix(count * 256))])
        return try #require(found[name]).values.bits
      }
      if expected.isEmpty { expected = outputs }
      #expect(outputs == expected, "\(threads) threads")
    }
  }
}
