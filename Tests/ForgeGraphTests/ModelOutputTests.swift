import ForgeGraph
import ForgeLayers
import ForgeShapes
import Testing

/// Models of outputs alone.
@Suite struct ModelOutputTests {
  @Test func inputsAreThoseThatLeadToTheOutputs() throws {
    let first = Input(shape: [4], name: "first")
    let unused = Input(shape: [4], name: "unused")
    let second = Input(shape: [4], name: "second")
    // The order is that of creation, not of use.
    let sum = second + first
    let model = Model(output: sum --> Softmax())
    #expect(model.inputs == [first, second])
    #expect(throws: Never.self) { try model.check() }
    #expect(Model(outputs: [sum, unused --> ReLU()]).inputs == [first, unused, second])
  }

  @Test func anInputMayBeAnOutput() throws {
    let input = Input(shape: [4])
    #expect(Model(output: input).inputs == [input])
    #expect(throws: Never.self) { try Model(output: input).check() }
  }

  @Test func nothingLeadsToTheOutput() {
    do {
      try Model(output: Constant([1, 2]) --> Softmax()).check()
      Issue.record("a model without inputs was taken")
    } catch {
      #expect(error.problems.map(\.headline).contains("the model has no inputs"))
    }
    #expect(throws: ModelError.self) { try Model(outputs: []).check() }
  }

  @Test func aProblemInOneLine() throws {
    let x = Input(width: 2, height: 2, channels: 1)
    let model = Model(output: Concatenate([x, x --> MaxPooling(2)]))
    do {
      try model.check()
      Issue.record("branches of different sizes were joined")
    } catch {
      var problem = try #require(error.problems.first)
      problem.place = nil
      #expect(
        problem.line == """
          layer 2 "__Concat_2__" (Concatenate): the inputs do not match; received 2×2×1 \
          (width×height×channels) from "input", 1×1×1 (width×height×channels) from \
          "__MaxPool_1__"; needs the same rank and, on every axis but channels, the same sizes
          """)
    }
  }
}
