import ForgeGraph
import ForgeLayers
import ForgeShapes
import Testing

/// Errors of a model as a whole: its inputs, outputs and chains.
@Suite struct ModelMistakeTests {
  private let input = Input(
    width: 12, height: 8, channels: 3, name: "picture", fileID: "App/Net.swift", line: 3,
    column: 20)
  private let other = Input(
    width: 12, height: 8, channels: 3, fileID: "App/Net.swift", line: 4, column: 20)

  /// A model put together at App/Net.swift:9:14; everything that is wrong with it.
  private func texts(_ inputs: [Tensor], _ outputs: [Tensor]) -> [String] {
    problems(
      Model(inputs: inputs, outputs: outputs, fileID: "App/Net.swift", line: 9, column: 14)
    ).map(\.description)
  }

  @Test func inputWithoutPathToOutput() {
    let unused = """
      App/Net.swift:4:20: input "input" reaches no output
        remedy    use it, or leave it out of the model's inputs
      """
    #expect(texts([input, other], [input --> Softmax()]) == [unused])
    // Used, but by what leads nowhere.
    _ = other --> Softmax()
    #expect(texts([other, input], [input --> Softmax()]) == [unused])
  }

  @Test func namesAreOneLineOfText() {
    func text(_ name: String) -> [String] {
      let layer = Softmax(name: name, fileID: "App/Net.swift", line: 5, column: 7)
      return texts([input], [input --> layer])
    }
    #expect(text("a b") == [])
    #expect(
      text("") == [
        """
        App/Net.swift:5:7: layer 1 "" (Softmax): the name is empty
          remedy    leave the name out, or write one line of text
        """
      ])
    #expect(text("a\nb").map { $0.contains("the name has several lines") } == [true])
    let unnamed = Input(width: 1, height: 1, channels: 1, name: "")
    #expect(texts([unnamed], [unnamed --> Softmax()]).count == 1)
  }

  @Test func unnamedInputsAreNumbered() {
    let second = Input(shape: [4], fileID: "App/Net.swift", line: 5, column: 1)
    #expect(
      texts([other, second], [other --> Softmax()]) == [
        """
        App/Net.swift:5:1: input "input2" reaches no output
          remedy    use it, or leave it out of the model's inputs
        """
      ])
    #expect(
      texts([other], [other --> Softmax(), second --> Softmax()]) == [
        """
        App/Net.swift:5:1: input "input2" is used but is not among the model's inputs
          remedy    add it to Model(inputs:outputs:)
        """
      ])
  }

  @Test func undeclaredInput() {
    #expect(
      texts([other], [[other, input] --> Add()]) == [
        """
        App/Net.swift:3:20: input "picture" is used but is not among the model's inputs
          remedy    add it to Model(inputs:outputs:)
        """
      ])
  }

  @Test func duplicateInput() {
    #expect(
      texts([input, other, input], [[other, input] --> Add()]) == [
        "App/Net.swift:9:14: one input is given to the model twice"
      ])
  }

  @Test func outputWithoutPathFromInput() {
    let constant = Constant([1, 2], name: "two")
    #expect(
      texts([input], [input --> Softmax(), constant]) == [
        """
        App/Net.swift:9:14: an output depends on no input
          received  Constant "two"
        """
      ])
    #expect(
      texts([input], [input, [constant, constant] --> Add()]) == [
        """
        App/Net.swift:9:14: an output depends on no input
          received  Add
        """
      ])
    #expect(texts([input], [[input, Constant([1])] --> Add()]) == [])
  }

  @Test func nonInputAmongInputs() {
    let x = input --> Softmax()
    let y = x --> Flatten(name: "flat")
    let problem = { (what: String) in
      """
      App/Net.swift:9:14: the model's inputs hold something that is not an input
        received  \(what)
        needs     tensors made by Input(…)
      """
    }
    #expect(texts([input, x], [y]) == [problem("Softmax")])
    #expect(texts([x, input, y], [y]) == [problem("Softmax"), problem("Flatten \"flat\"")])
    #expect(
      texts([x], [y]) == [
        problem("Softmax"),
        """
        App/Net.swift:3:20: input "picture" is used but is not among the model's inputs
          remedy    add it to Model(inputs:outputs:)
        """,
      ])
  }

  @Test func noInputs() {
    #expect(
      texts([], [input --> Softmax()]) == [
        "App/Net.swift:9:14: the model has no inputs",
        """
        App/Net.swift:3:20: input "picture" is used but is not among the model's inputs
          remedy    add it to Model(inputs:outputs:)
        """,
      ])
  }

  @Test func noOutputs() {
    #expect(texts([input, other], []) == ["App/Net.swift:9:14: the model has no outputs"])
    #expect(
      texts([], []) == [
        "App/Net.swift:9:14: the model has no outputs",
        "App/Net.swift:9:14: the model has no inputs",
      ])
  }

  @Test func modelErrorsComeFirst() {
    let model = Model(inputs: [input, other], outputs: [input --> Dense(neurons: 0, name: "a")])
    #expect(
      mistakes(model).map { $0.split(separator: "\n")[0] } == [
        "input \"input\" reaches no output",
        "layer 1 \"a\" (Dense): neurons must be positive",
      ])
  }

  /// What follows from a layer without inputs is not reported beside it.
  @Test func layersWithoutInputsAreTheCause() {
    let none: [Tensor] = []
    let add = Add(fileID: "App/Net.swift", line: 6, column: 9)
    #expect(
      texts([input], [none --> add --> Softmax()]) == [
        """
        App/Net.swift:6:9: layer 1 "__Add_1__" (Add): wrong number of inputs
          received  0 tensors
          needs     at least 2 tensors, as in [a, b] --> Add()
        """
      ])
  }

  @Test func modelSourceLocation() {
    let model = Model(inputs: [], outputs: [input, input]); let line = #line
    #expect(
      places(model) == [
        "ForgeGraphTests/ModelMistakeTests.swift:\(line):22", "App/Net.swift:3:20",
      ])
    let chained = Model() --> Dense(neurons: 3); let next = #line
    #expect(places(chained) == ["ForgeGraphTests/ModelMistakeTests.swift:\(next):36"])
  }

  @Test func unknownStepType() {
    struct Sneaky: Step {}
    #expect(
      mistakes(input, input --> Softmax() --> Sneaky() --> Dense(neurons: 0)) == [
        """
        layer 2 "__Sneaky_2__" (Sneaky): only layers, blocks and models can be chained
          received  Sneaky
          needs     a type that conforms to Layer or GraphStep, or a Block of at least one layer
        """
      ])
    let block = Softmax() --> Sneaky()
    #expect(
      mistakes(Model() --> block).map { $0.split(separator: "\n")[0] } == [
        "layer 2 \"__Sneaky_2__\" (Sneaky): only layers, blocks and models can be chained"
      ])
  }

  @Test func emptyBlockAfterSeveralTensors() {
    let text = """
      layer 1 "__Block_1__" (Block): only layers, blocks and models can be chained
        received  a Block of no layers
        needs     a type that conforms to Layer or GraphStep, or a Block of at least one layer
      """
    #expect(mistakes(input, [input, input] --> Block([])) == [text])
    #expect(mistakes(input, [input, input] --> Block([Block([])]) --> Softmax()) == [text])
    let none: [Tensor] = []
    #expect(mistakes(input, [input, none --> Block([])] --> Add()) == [text])
  }

  @Test func functionAfterSeveralOutputs() {
    var calls = 0
    let model =
      Model(inputs: [input], outputs: [input, input --> Softmax()])
      --> { x in
        calls += 1
        return x --> Softmax()
      } --> Flatten()
    #expect(
      mistakes(model) == [
        """
        layer 2 "__Function_2__" (Function): a function takes one tensor
          received  2 outputs of the model
          needs     a model of one output, or a layer such as Concatenate before the function
        """
      ])
    #expect(calls == 0)
  }
}
