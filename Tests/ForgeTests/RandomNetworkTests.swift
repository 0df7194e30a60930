import Forge
import ForgeTestSupport
import Testing

/// Random networks against the reference executor, with and without rewrites.
@Suite struct RandomNetworkTests {
  /// The networks are dealt out to tests, which run side by side.
  static let seedsPerTest = 30

  /// Every network with all rewrites, with none, and with one of them off.
  ///
  /// A failure names the seed: `RandomNetwork(seed: 17)` is the network.
  @Test(arguments: 0..<10)
  func networksMatchReference(_ part: Int) throws {
    var failing: [UInt64] = []
    for seed in UInt64(part * Self.seedsPerTest)..<UInt64((part + 1) * Self.seedsPerTest) {
      let network = RandomNetwork(seed: seed)
      let reference = try ReferenceModel(network.model)
      let inputs = reference.inputs(seed: seed &+ 1000)
      let parameters = SeededParameters(seed: seed)
      let expected = try reference.run(inputs, parameters: parameters).outputs
      let sets = CompileOptions.InstructionSet.present
      let one = Rewrites.names[Int(seed) % Rewrites.names.count]
      for disabled in [[], Set(Rewrites.names), [one]] {
        let options = CompileOptions(
          disabledRewrites: disabled, instructionSet: sets[Int(seed) % sets.count])
        let compiled = try network.model.compile(parameters: parameters, options: options)
        #expect(compiled.misshapenNodes.isEmpty, "seed \(seed), without \(disabled.sorted())")
        for (index, actual) in try compiled.outputs(of: inputs).enumerated() {
          let closeness = Closeness(actual, expected[index])
          if !closeness.sameKind || !(closeness.relativeL2 <= 1e-5) { failing.append(seed) }
          expectClose(
            actual, expected[index], relativeL2: 1e-5,
            "seed \(seed), output \(index), without \(disabled.sorted())")
        }
      }
    }
    if !failing.isEmpty { print("failing seeds: \(Set(failing).sorted())") }
  }
}
