import CForgeTestSupport
import Forge
import ForgeModels
import ForgeTestSupport
import Foundation
import Testing

/// Compilation in processes with limited address space: each succeeds or reports the memory that is
/// missing.
@Suite(.serialized) struct AddressSpaceTests {
  /// What became of a child.
  private enum Outcome: Int32 { case compiled = 0, noMemory = 3, otherError = 4, noLimit = 5 }

  /// Compiles and predicts where there are `bytes` more than the process has.
  private static func outcome(_ model: () -> Model, bytes: Int) -> Int32 {
    let child = forge_fork()
    guard child == 0 else { return forge_wait(child) }
    forge_set_alarm(120)
    guard forge_limit_address_space(Int64(bytes)) == 0 else { _exit(Outcome.noLimit.rawValue) }
    do {
      let network = try model().compile(parameters: RandomParameters(seed: 1))
      let count = network.inputShapes[0].elementCount ?? 0
      _ = try network.predict(Array(repeating: 0.5, count: count))
      _exit(Outcome.compiled.rawValue)
    } catch {
      // An error of the compile, of the prediction, or of the source, which names the bytes.
      let text = "\(error)"
      let isTyped = error is CompileError || error is PredictionError
      let says = text.contains("memory") && text.contains(" bytes")
      _exit((isTyped && says ? Outcome.noMemory : .otherError).rawValue)
    }
  }

  /// The outcomes by limit, from 50 MB in steps of 50 MB until a compile succeeds.
  private static func outcomes(_ model: () -> Model) -> [Int32] {
    var outcomes: [Int32] = []
    for step in 1...80 {
      outcomes.append(outcome(model, bytes: step * 50_000_000))
      if outcomes.last == Outcome.compiled.rawValue { break }
    }
    return outcomes
  }

  private static func isTyped(_ outcomes: [Int32]) -> Bool {
    outcomes.last == Outcome.compiled.rawValue && outcomes.count > 2
      && outcomes.dropLast().allSatisfy { $0 == Outcome.noMemory.rawValue }
  }

  @Test func vgg16() async {
    await #expect(processExitsWith: .success) {
      let outcomes = AddressSpaceTests.outcomes { .vgg16() }
      if !AddressSpaceTests.isTyped(outcomes) { print("every 50 MB: \(outcomes)") }
      try #require(AddressSpaceTests.isTyped(outcomes))
    }
  }

  @Test func inceptionV3() async {
    await #expect(processExitsWith: .success) {
      let outcomes = AddressSpaceTests.outcomes { .inceptionV3() }
      if !AddressSpaceTests.isTyped(outcomes) { print("every 50 MB: \(outcomes)") }
      try #require(AddressSpaceTests.isTyped(outcomes))
    }
  }

  /// A prediction runs with fewer threads than requested; a runner reports that it has none.
  @Test func unavailableThreads() async {
    await #expect(processExitsWith: .success) {
      // The slots are small, so that it is the stacks of the threads for which there is no room.
      let input = Input(width: 13, height: 11, channels: 3)
      let model = Model(
        input: input, output: input --> Convolution(kernel: (3, 3), channels: 20, name: "conv"))
      let values = seededValues(count: 13 * 11 * 3, seed: 8)
      let expected = try model.compile(
        parameters: SeededParameters(), options: CompileOptions(threads: 1)
      ).predict(values)
      try #require(forge_limit_address_space(40_000_000) == 0)
      var options = CompileOptions(threads: .exactly(256))
      options.smallestShare = 0
      let network = try model.compile(parameters: SeededParameters(), options: options)
      for _ in 0..<3 { try #require(try network.predict(values) == expected) }
      let error = #expect(throws: RunnerError.self) {
        try Runner(network, inflightBuffers: 256)
      }
      try #require(error?.kind == .noThread)
      try #require(try network.predict(values) == expected)
    }
  }

  /// The error message with the requested number of bytes.
  @Test func errorStatesRequestedBytes() async {
    await #expect(processExitsWith: .success) {
      guard forge_limit_address_space(200_000_000) == 0 else { return }
      let input = Input(width: 1, height: 1, channels: 20_000)
      let model = Model(input: input, output: input --> Dense(neurons: 20_000, name: "large"))
      let error = #expect(throws: CompileError.self) {
        try model.compile(parameters: RandomParameters(seed: 1))
      }
      try #require(
        error?.description == """
          not enough memory for the compiled model
            needs     1600000000 bytes in one block, and a little more
            remedy    CompileOptions(preference: .size) packs parameters into less
          """)
    }
  }
}
