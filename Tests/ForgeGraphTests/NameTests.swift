import ForgeGraph
import ForgeLayers
import ForgeShapes
import Testing

/// The names of tensors, given and generated.
@Suite struct NameTests {
  private let input = Input(width: 12, height: 8, channels: 3)

  @Test func generatedNamesCountEveryLayer() {
    let output =
      input
      --> Convolution(kernel: (3, 3), channels: 4, name: "conv1")
      --> MaxPooling(kernel: (2, 2))
      --> Convolution(kernel: (3, 3), channels: 4)
      --> DepthwiseConvolution(kernel: (3, 3))
      --> GlobalAveragePooling()
    #expect(
      names(Model(input: input, output: output)) == [
        "input", "conv1", "__MaxPool_2__", "__Conv_3__", "__DepthwConv_4__", "__GlbAvgPool_5__",
      ])
  }

  @Test func namesFollowCreationOrder() {
    let second = input --> Softmax()
    let first = input --> Activation(.relu)
    let model = Model(inputs: [input], outputs: [first, second])
    #expect(names(model) == ["input", "__Softmax_1__", "__Activation_2__"])
    let sum = Model(input: input, output: [first, second] --> Add())
    #expect(names(sum) == ["input", "__Softmax_1__", "__Activation_2__", "__Add_3__"])
  }

  @Test func inputsHaveNoPosition() {
    let x = input --> Softmax()
    let late = Input(width: 12, height: 8, channels: 3)
    let y = [x, late] --> Add()
    let model = Model(inputs: [input, late], outputs: [y])
    #expect(names(model) == ["input", "__Softmax_1__", "input2", "__Add_2__"])
    #expect(Inference(model).nodes.map(\.position) == [0, 1, 0, 2])
  }

  @Test func unnamedInputsAreNumberedFromSecond() {
    let inputs = [
      Input(shape: [4]), Input(shape: [4], name: "mask"), Input(shape: [4]), Input(shape: [4]),
    ]
    let model = Model(inputs: inputs.reversed(), outputs: [inputs --> Add(name: "sum")])
    #expect(names(model) == ["input", "mask", "input2", "input3", "sum"])
  }

  @Test func unusedLayersHaveNoPosition() {
    _ = input --> Softmax() --> Flatten()
    let output = input --> Activation(.relu)
    #expect(names(Model(input: input, output: output)) == ["input", "__Activation_1__"])
  }

  @Test func sharedTensorIsNamedPerModel() {
    let a = input --> Softmax()
    let b = a --> Flatten()
    let other = Input(shape: [96 * 3])
    let c = [b, other] --> Concatenate()
    #expect(names(Model(input: input, output: b)) == ["input", "__Softmax_1__", "__Flatten_2__"])
    #expect(
      names(Model(inputs: [input, other], outputs: [c])) == [
        "input", "__Softmax_1__", "__Flatten_2__", "input2", "__Concat_3__",
      ])
  }

  @Test func namesInNestedFunctions() {
    func inner(_ x: Tensor, _ name: String) -> Tensor {
      x --> Activation(.relu) --> Convolution(kernel: (1, 1), channels: 3, name: "\(name)/conv")
    }
    func outer(_ x: Tensor, _ name: String) -> Tensor {
      [inner(x, "\(name)/a") --> Softmax(), inner(x, "\(name)/b")] --> Add()
    }
    let output = outer(outer(input, "one"), "two")
    #expect(
      names(Model(input: input, output: output)) == [
        "input", "__Activation_1__", "one/a/conv", "__Softmax_3__", "__Activation_4__",
        "one/b/conv", "__Add_6__", "__Activation_7__", "two/a/conv", "__Softmax_9__",
        "__Activation_10__", "two/b/conv", "__Add_12__",
      ])
    #expect(mistakes(input, output) == [])
  }

  @Test func namesInBlocksAndLoops() {
    let block = Activation(.relu) --> Softmax()
    var x = input
    for _ in 1...2 { x = x --> block }
    #expect(
      names(Model(input: input, output: x)) == [
        "input", "__Activation_1__", "__Softmax_2__", "__Activation_3__", "__Softmax_4__",
      ])
  }

  @Test func messagesIncludePosition() {
    let output = input --> Softmax() --> Flatten() --> Dense(neurons: 0)
    #expect(
      problems(Model(input: input, output: output)).map { $0.layer?.description } == [
        "layer 3 \"__Dense_3__\" (Dense)"
      ])
  }
}
