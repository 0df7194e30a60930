import Forge
import ForgeTestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Choice of the instruction set.
@Suite struct InstructionSetTests {
  @Test func defaultIsBestInstructionSet() throws {
    let sets = CompileOptions.InstructionSet.present
    #expect(try Self.model.compile().instructionSet == sets.last)
    for set in sets {
      let network = try Self.model.compile(options: CompileOptions(instructionSet: set))
      #expect(network.instructionSet == set)
      #expect(network.report.instructionSet == set.rawValue)
    }
  }

  /// All sets agree up to rounding, each with its own kernels.
  @Test func instructionSetsAgree() throws {
    let input = Input(width: 9, height: 7, channels: 19)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 21, activation: .tanh) --> Softmax()
    let model = Model(input: input, output: output)
    let values = seededValues(count: 9 * 7 * 19, seed: 1)
    let results = try CompileOptions.InstructionSet.present.map { set in
      try model.compile(
        parameters: SeededParameters(), options: CompileOptions(instructionSet: set)
      ).predict(values)
    }
    for result in results { expectClose(result, results[0], relativeL2: 1e-6) }
    // Sets that have a fused multiply-add round alike; the scalar kernels round like none of them.
    #expect(results.dropFirst().allSatisfy { $0.bits != results[0].bits })
  }

  /// The environment variable applies where the options state nothing.
  @Test func environmentVariableSelectsInstructionSet() async {
    await #expect(processExitsWith: .success) {
      setenv("FORGE_ISA", "scalar", 1)
      try #require(try Self.model.compile().instructionSet == .scalar)
      let options = CompileOptions(instructionSet: .baseline)
      try #require(try Self.model.compile(options: options).instructionSet == .baseline)
    }
  }

  @Test func unknownEnvironmentValue() async {
    await #expect(processExitsWith: .success) {
      setenv("FORGE_ISA", "avx", 1)
      let error = #expect(throws: CompileError.self) { try Self.model.compile() }
      try #require(
        error?.description == """
          FORGE_ISA does not name an instruction set
            received  "avx"
            remedy    did you mean "avx2"?
          """)
      let options = CompileOptions(instructionSet: .scalar)
      try #require(try Self.model.compile(options: options).instructionSet == .scalar)
    }
  }

  /// An empty variable is the same as an unset one.
  @Test func emptyEnvironmentValueIsIgnored() async {
    await #expect(processExitsWith: .success) {
      let best = try Self.model.compile().instructionSet
      setenv("FORGE_ISA", "", 1)
      try #require(try Self.model.compile().instructionSet == best)
    }
  }

  private static var model: Model {
    let input = Input(width: 2, height: 2, channels: 3)
    return Model(input: input, output: input --> Softmax())
  }
}
