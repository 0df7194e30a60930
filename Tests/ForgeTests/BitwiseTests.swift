import Forge
import ForgeTestSupport
import Synchronization
import Testing

/// Result bits do not depend on batch, context or thread.
@Suite struct BitwiseTests {
  /// A network with its inputs for several examples and the bits of each prediction on its own.
  private struct Case {
    let network: CompiledModel
    let examples: [[TensorValues]]
    let bits: [[Bits]]

    init(seed: UInt64, examples count: Int) throws {
      let model = RandomNetwork(seed: seed).model
      let reference = try ReferenceModel(model)
      network = try model.compile(parameters: SeededParameters(seed: seed))
      examples = (0..<UInt64(count)).map { reference.inputs(seed: seed &* 31 &+ $0 &* 100) }
      let network = network
      bits = try examples.map { try Context(network).predict([$0])[0].map(\.bits) }
    }
  }

  @Test(arguments: 0..<4)
  func bitsAreIndependentOfBatchAndPosition(_ part: Int) throws {
    for seed in UInt64(part * 10)..<UInt64((part + 1) * 10) {
      let sample = try Case(seed: seed, examples: 5)
      // Every example at every position, in batches of 1 to 5 in contexts of 5 to 7.
      for (batch, room) in [(1, 5), (2, 7), (3, 5), (5, 5)] {
        let context = try Context(sample.network, batch: room)
        for first in 0..<5 {
          let order = (0..<batch).map { (first + $0 * 2) % 5 }
          let results = try context.predict(order.map { sample.examples[$0] })
          #expect(
            results.map { $0.map(\.bits) } == order.map { sample.bits[$0] },
            "seed \(seed), batch \(batch) from \(first)")
        }
      }
    }
  }

  @Test(arguments: 0..<4)
  func bitsAreIndependentOfContextReuse(_ part: Int) throws {
    for seed in UInt64(part * 10)..<UInt64((part + 1) * 10) {
      let sample = try Case(seed: seed, examples: 3)
      let context = try Context(sample.network)
      for index in [0, 1, 2, 1, 0, 0, 2] {
        let again = try context.predict([sample.examples[index]])[0].map(\.bits)
        #expect(again == sample.bits[index], "seed \(seed), example \(index)")
        let own = try sample.network.predict(ordered: sample.examples[index])
        let first = try #require(own.outputs[sample.network.outputNames[0]])
        #expect(first.values.bits == sample.bits[index][0], "seed \(seed), by the network")
      }
    }
  }

  @Test func bitsAreIndependentOfPredictionMethod() throws {
    let input = Input(width: 9, height: 7, channels: 3)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 20, activation: .swish)
      --> MaxPooling(kernel: (2, 2)) --> Dense(neurons: 11) --> Softmax()
    let network = try Model(input: input, output: output).compile(
      parameters: SeededParameters(), options: CompileOptions(maximumBatch: 3))
    let examples = (0..<7).map { seededValues(count: 9 * 7 * 3, seed: 40 + $0) }
    let results = try examples.map { try network.predict($0) }
    let bits = results.map(\.bits)

    #expect(Set(bits).count == 7)
    // More examples than a batch holds are dealt out.
    #expect(try network.predict(batch: examples).map(\.bits) == bits)
    let three = try network.predict(Array(examples[2...4].joined()), batch: 3)
    #expect(three.bits == Array(results[2...4].joined()).bits)
    let context = try Context(network, batch: 2)
    for (example, bits) in zip(examples, bits) {
      var result = Array(repeating: Float.nan, count: 11)
      var target = result.mutableSpan
      try context.predict(example.span, into: &target)
      #expect(result.bits == bits)
      let named = TensorValues(width: 9, height: 7, channels: 3, values: example)
      #expect(try network.predict(named).bits == bits)
      let slot = try network.makeSlot()
      try network.encode(SlotInput(example), into: slot)
      network.run(slot)
      #expect(try network.fetch(from: slot).outputs.values.first?.values.bits == bits)
    }
  }

  /// Many tasks predict with one network, directly and through their own contexts.
  @Test func bitsAreIndependentOfConcurrency() async throws {
    for seed in UInt64(0)..<12 {
      let sample = try Case(seed: seed, examples: 4)
      let network = sample.network
      let (examples, bits) = (sample.examples, sample.bits)
      let wrong = await withTaskGroup(of: Int.self) { group in
        for task in 0..<6 {
          group.addTask {
            var wrong = 0
            guard let context = try? Context(network, batch: 2) else { return 1 }
            for step in 0..<12 {
              let index = (task + step) % 4
              if step.isMultiple(of: 2) {
                let results = try? context.predict([examples[index], examples[(index + 1) % 4]])
                let expected = [bits[index], bits[(index + 1) % 4]]
                wrong += results?.map({ $0.map(\.bits) }) == expected ? 0 : 1
              } else {
                let result = try? network.predict(ordered: examples[index])
                let first = result?.outputs[network.outputNames[0]]
                wrong += first?.values.bits == bits[index][0] ? 0 : 1
              }
            }
            return wrong
          }
        }
        return await group.reduce(0, +)
      }
      #expect(wrong == 0, "seed \(seed)")
    }
  }
}
