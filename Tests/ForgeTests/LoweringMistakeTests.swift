import Forge
import ForgeTestSupport
import Testing

/// Layers whose lowering fails, and their consumers.
@Suite struct LoweringMistakeTests {
  /// Fails when it is written down.
  private struct Failing: Layer {
    let name: String?
    let place = SourcePlace(fileID: "App/Net.swift", line: 7, column: 3)

    func lower(into lowering: inout Lowering) throws(ShapeError) {
      throw ShapeError(.invalidArgument, "it cannot be written down", needs: "something else")
    }
  }

  /// A correct layer that relies on what it has been promised: an input.
  private struct Relying: Layer {
    let name: String?
    let place = SourcePlace(fileID: "App/Net.swift", line: 8, column: 3)

    func lower(into lowering: inout Lowering) throws(ShapeError) {
      lowering.output = try lowering.apply(.activation(.relu), to: [lowering.inputs[0]])
    }
  }

  /// Keeps a value of its first lowering, and uses it in every later one.
  private struct Hoarding: Layer {
    let name: String?
    let place = SourcePlace(fileID: "App/Net.swift", line: 9, column: 3)
    let kept: Locked<Lowering.Value?>
    let asOutput: Bool

    static func == (a: Hoarding, b: Hoarding) -> Bool { a.name == b.name }

    func lower(into lowering: inout Lowering) throws(ShapeError) {
      let own = lowering.inputs[0]
      let value = kept.withLock { kept in
        let value = kept ?? own
        kept = value
        return value
      }
      lowering.output =
        asOutput ? value : try lowering.apply(.activation(.relu), to: [value])
    }
  }

  private let input = Input(width: 4, height: 3, channels: 2)

  /// One error is one problem: consumers are not lowered.
  @Test func failedLayerSuppressesConsumerErrors() {
    let failed = input --> Failing(name: "failing") --> Relying(name: "next")
    let both = [failed, input --> Relying(name: "beside")] --> Add(name: "sum")
    let model = Model(
      inputs: [input], outputs: [both --> Relying(name: "last"), failed --> Softmax()])
    let error = #expect(throws: CompileError.self) { try model.compile() }
    #expect(
      error?.description == """
        App/Net.swift:7:3: layer 1 "failing" (Failing): it cannot be written down
          received  4×3×2 (width×height×channels) from "input"
          needs     something else
        """)
  }

  /// Each layer that fails independently is named.
  @Test func independentFailuresAreReported() {
    let outputs = ["a", "b", "c"].map { input --> Failing(name: $0) --> Relying(name: $0 + "2") }
    let error = #expect(throws: CompileError.self) {
      try Model(inputs: [input], outputs: outputs).compile()
    }
    #expect(error?.problems.count == 3)
  }

  @Test(arguments: [false, true]) func valuesFromAnotherCompilation(asOutput: Bool) throws {
    let kept = Locked<Lowering.Value?>(nil)
    let model = Model(
      input: input,
      output: input --> Hoarding(name: "hoarding", kept: kept, asOutput: asOutput))
    // The first lowering was that of describing the network.
    let error = #expect(throws: CompileError.self) { try model.compile() }
    #expect(
      error?.description == """
        App/Net.swift:9:3: layer 1 "hoarding" (Hoarding): the layer uses a value of another lowering
          received  4×3×2 (width×height×channels) from "input"
          needs     its inputs, its parameters, and what apply has returned
        """)
  }
}
