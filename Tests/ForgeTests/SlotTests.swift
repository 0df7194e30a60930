import Forge
import ForgeTestSupport
import Testing

/// The calls a `Runner` makes on a context, with invalid arguments.
@Suite struct SlotTests {
  /// Every number that is not an example of a context of `count`.
  private func wrongExamples(_ count: Int) -> [Int] { [-1, count, count + 1, .max, .min] }

  private func network() throws -> CompiledModel {
    let input = Input(width: 3, height: 2, channels: 2, name: "pixels")
    let output =
      input --> Dense(neurons: 5, name: "first") --> Activation(.relu, name: "kept")
      --> Dense(neurons: 4, name: "second")
    return try Model(input: input, output: output).compile(
      parameters: SeededParameters(), options: CompileOptions(maximumBatch: 4, keep: ["kept"]))
  }

  @Test func outOfRangeExamples() throws {
    let network = try network()
    let values = seededValues(count: 12, seed: 3)
    for count in [1, 3] {
      let slot = try network.makeSlot(batch: count)
      for example in 0..<count {
        try network.encode(SlotInput(values), into: slot, at: example)
      }
      try network.run(slot, batch: count, until: .never)
      for example in 0..<count {
        #expect(try network.fetch(from: slot, at: example) == network.fetch(from: slot))
        #expect(try network.kept(in: slot, at: example)["kept"]?.values.count == 5)
      }
      for example in wrongExamples(count) {
        for attempt in [
          { try network.encode(SlotInput(values), into: slot, at: example) },
          { _ = try network.fetch(from: slot, at: example) },
          { _ = try network.kept(in: slot, at: example) },
        ] {
          let error = #expect(throws: PredictionError.self) { try attempt() }
          #expect(error?.kind == .wrongBatch)
          #expect(
            error?.description == """
              the batch has no such example
                received  example \(example)
                needs     \(count == 1 ? "0, the only one" : "0 to 2")
                remedy    makeSlot(batch: …)
              """)
        }
      }
    }
  }

  private struct Shared: @unchecked Sendable { let context: Context }

  /// Each caller gets its own result while others predict in the same context.
  @Test func concurrentCallersGetTheirOwnResults() async throws {
    let side = 512
    let input = Input(width: side, height: side, channels: 1)
    let network = try Model(input: input, output: input --> Activation(.relu)).compile(
      options: CompileOptions(threads: 1))
    let shared = Shared(context: try Context(network))
    let wrong = await withTaskGroup(of: Int.self) { group in
      for task in 1...2 {
        group.addTask {
          let values = Array(repeating: Float(task), count: side * side)
          var result = Array(repeating: Float(0), count: side * side)
          var wrong = 0
          var made = 0
          // Not counting the calls that found the other one at work.
          while made < 300 {
            var target = result.mutableSpan
            do throws(PredictionError) {
              try shared.context.predict(values.span, into: &target)
            } catch {
              guard error.kind == .busy else { return -1 }
              continue
            }
            made += 1
            wrong += result == values ? 0 : 1
          }
          return wrong
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }
}
