import Forge
import ForgeTestSupport
import Testing

@Suite struct TemporaryTests {
  @Test func stress() throws {
    for seed in UInt64(1000)..<8000 {
      let model = RandomNetwork(seed: seed).model
      let reference = try ReferenceModel(model)
      let inputs = reference.inputs(seed: seed &+ 1000)
      let parameters = SeededParameters(seed: seed)
      let names = Set(reference.layerNames).sorted()
      let expected = try reference.run(inputs, layers: names, parameters: parameters)
      let sets = CompileOptions.InstructionSet.present
      let set = sets[Int(seed) % sets.count]
      let one = Rewrites.names[Int(seed / 4) % Rewrites.names.count]
      for disabled in [[], Set(Rewrites.names), [one]] {
        do {
        let compiled = try model.compile(parameters: parameters, options: CompileOptions(disabledRewrites: disabled, instructionSet: set))
        let keeping = try model.compile(parameters: parameters, options: CompileOptions(keep: names, disabledRewrites: disabled, instructionSet: set))
        let outputs = try Context(compiled).predict([inputs])[0]
        for (index, actual) in outputs.enumerated() {
          expectClose(
            actual, expected.outputs[index], relativeL2: 1e-5,
            "seed \(seed), output \(index), \(set) without \(disabled.sorted())")
        }
        let workspace = try SpoiledWorkspace(keeping, batch: 2)
        workspace.spoilArena()
        let two = try workspace.predict([inputs, inputs])
        for (index, actual) in outputs.enumerated() {
          #expect(two[0][index].bits == actual.bits, "seed \(seed)")
          #expect(two[1][index].bits == actual.bits, "seed \(seed)")
        }
        for (index, name) in names.enumerated() {
          expectClose(
            two[1][outputs.count + index], expected.layers[name] ?? [], relativeL2: 1e-5,
            "seed \(seed), kept \(name), \(set) without \(disabled.sorted())")
        }
        } catch { Issue.record("seed \(seed) \(error)") }
      }
    }
  }
}
