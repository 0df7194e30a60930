import ForgeGraph
import ForgeLayers
import ForgeShapes
import Testing

private func residual(_ x: Tensor) -> Tensor {
  [x, x --> Convolution(kernel: 3, channels: 3, name: "conv")] --> Add(name: "sum")
}

private func split(_ x: Tensor) -> [Tensor] {
  [x --> Activation(.relu, name: "left"), x --> Activation(.tanh, name: "right")]
}

private func merge(_ tensors: [Tensor]) -> Tensor { tensors --> Concatenate(name: "joined") }

private func swapped(_ tensors: [Tensor]) -> [Tensor] { tensors.reversed() }

/// Functions of one or several tensors as operands of `-->`.
@Suite struct FunctionShapeTests {
  private let input = Input(width: 12, height: 8, channels: 3)

  private func wired(_ output: Tensor) -> [String] {
    wiring(Model(input: input, output: output))
  }

  @Test func severalTensorsIntoOne() {
    let a = input --> Activation(.relu, name: "a")
    let joined: Tensor = [a, input] --> merge
    #expect(wired(joined) == ["input", "a = Activation(input)", "joined = Concatenate(a, input)"])
    #expect(joined.shape == image(12, 8, 6))
  }

  @Test func oneTensorIntoSeveral() {
    let both: [Tensor] = input --> split
    #expect(both.count == 2)
    #expect(
      wired(input --> split --> swapped --> merge --> Softmax(name: "s")) == [
        "input", "left = Activation(input)", "right = Activation(input)",
        "joined = Concatenate(right, left)", "s = Softmax(joined)",
      ])
  }

  @Test func modelsBeforeFunctions() {
    let several = Model(input: input, output: input) --> split
    #expect(several.outputs.count == 2)
    #expect(
      wiring(several --> swapped --> merge --> residual) == [
        "input", "left = Activation(input)", "right = Activation(input)",
        "joined = Concatenate(right, left)", "conv = Convolution(joined)",
        "sum = Add(joined, conv)",
      ])
    let closure = several --> { (tensors: [Tensor]) in tensors[1] }
    #expect(closure.outputs.map { $0 === several.outputs[1] } == [true])
  }

  @Test func functionOfOneTensorAfterSeveralInBlock() {
    let block = Block(split) --> residual
    #expect(
      mistakes(input, input --> block).filter { $0.contains("Function") } == [
        """
        layer 3 "__Function_3__" (Function): a function takes one tensor
          received  2 tensors
          needs     one tensor, or a layer such as Concatenate before the function
        """
      ])
  }

  @Test func blocksHoldFunctions() {
    let block: Block = Activation(.relu, name: "a") --> residual
    let expected = [
      "input", "a = Activation(input)", "conv = Convolution(a)", "sum = Add(a, conv)",
    ]
    #expect(wired(input --> block) == expected)
    #expect(wiring(Model(input: input, output: input) --> block) == expected)
    let inner = Softmax(name: "s") --> split --> swapped --> merge --> Flatten(name: "f")
    #expect(
      wired(input --> inner) == [
        "input", "s = Softmax(input)", "left = Activation(s)", "right = Activation(s)",
        "joined = Concatenate(right, left)", "f = Flatten(joined)",
      ])
    let channels = 4
    let closure =
      Softmax(name: "s") --> { $0 --> Convolution(kernel: 1, channels: channels, name: "c") }
    #expect(wired(input --> closure) == ["input", "s = Softmax(input)", "c = Convolution(s)"])
  }

  @Test func blocksBeginWithFunctions() {
    #expect(
      wired(input --> (Block(residual) --> Softmax(name: "s"))) == [
        "input", "conv = Convolution(input)", "sum = Add(input, conv)", "s = Softmax(sum)",
      ])
    let join = Block(merge) --> Softmax(name: "s")
    #expect(wired([input, input] --> join).last == "s = Softmax(joined)")
    let twice = Block { x in [x, x] --> Add(name: "twice") }
    #expect(wired(input --> twice) == ["input", "twice = Add(input, input)"])
  }

  @Test func severalOutputsWhereOneIsNeeded() {
    let block = Block(split)
    #expect(block.outputs(for: [input]).count == 2)
    let model = Model(inputs: [input], outputs: [input --> block])
    #expect(
      mistakes(model) == [
        """
        layer 3 "__Block_3__" (Block): a step of one output is needed here
          received  a step of 2 outputs
          needs     one output, as --> returns one tensor
          remedy    call outputs(for: [x]), which returns all of them
        """
      ])
    let none = Block { (_: Tensor) in [Tensor]() }
    #expect(
      mistakes(input, input --> none).first?.contains("received  a step without outputs") == true)
  }
}

/// Types that build on tensors themselves.
@Suite struct GraphStepTests {
  private struct Repeated: GraphStep {
    let count: Int
    func outputs(for inputs: [Tensor]) -> [Tensor] {
      (1...count).reduce(inputs) { tensors, index in
        [tensors --> Average(name: "mean\(index)") --> Softmax(name: "s\(index)")]
      }
    }
  }

  @Test func stepBuildsOnTensors() {
    let input = Input(shape: [4])
    let output = [input, input] --> (Repeated(count: 1) as any Step) --> ReLU(name: "r")
    #expect(
      wiring(Model(input: input, output: output)) == [
        "input", "mean1 = Average(input, input)", "s1 = Softmax(mean1)", "r = Activation(s1)",
      ])
    #expect((Model(input: input, output: input) --> Repeated(count: 1)).outputs.count == 1)
  }
}
