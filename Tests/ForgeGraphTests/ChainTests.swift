import ForgeGraph
import ForgeLayers
import ForgeShapes
import Testing

/// The operands of `-->` and its results.
@Suite struct ChainTests {
  private let input = Input(width: 12, height: 8, channels: 3)

  private func wired(_ output: Tensor) -> [String] {
    wiring(Model(input: input, output: output))
  }

  @Test func layersAfterAnInput() {
    let output =
      input
      --> Convolution(kernel: (5, 5), channels: 20, activation: .relu, name: "conv1")
      --> MaxPooling(kernel: (2, 2), stride: (2, 2))
      --> Dense(neurons: 10, name: "fc1")
      --> Softmax()
    #expect(
      wired(output) == [
        "input", "conv1 = Convolution(input)", "__MaxPool_2__ = MaxPooling(conv1)",
        "fc1 = Dense(__MaxPool_2__)", "__Softmax_4__ = Softmax(fc1)",
      ])
    #expect(output.shape == image(1, 1, 10))
    #expect(mistakes(input, output).isEmpty)
  }

  @Test func layersAfterAModel() {
    let model = Model() --> Resize(width: 64, height: 48) --> Dense(neurons: 10, name: "fc1")
    #expect(
      wiring(model) == ["input", "__Resize_1__ = Resize(input)", "fc1 = Dense(__Resize_1__)"])
    #expect(model.inputs.map(\.shape) == [image(nil, nil, 3)])
    #expect(model.outputs.map(\.shape) == [image(1, 1, 10)])
    #expect(mistakes(model).isEmpty)
  }

  @Test func modelWithOtherChannelCount() {
    let model = Model(channels: 1) --> Convolution(kernel: (3, 3), channels: 4, name: "a")
    #expect(model.inputs.map(\.shape) == [image(nil, nil, 1)])
    #expect(model.outputs.map(\.shape) == [image(nil, nil, 4)])
  }

  @Test func modelHasValueSemantics() {
    let base = Model() --> Softmax()
    let longer = base --> Activation(.relu)
    #expect(names(base) == ["input", "__Softmax_1__"])
    #expect(names(longer) == ["input", "__Softmax_1__", "__Activation_2__"])
    #expect(base.inputs[0] === longer.inputs[0])
  }

  @Test func modelPreservesMetadataAndParameters() {
    struct Nothing: ParameterSource {
      func parameter(for spec: ParameterSpec) -> (any ParameterData)? { nil }
    }
    var model = Model()
    let line = #line - 1
    model.metadata = ModelMetadata(name: "digits", about: "none", labels: ["zero", "one"])
    model.parameters = Nothing()
    let longer = model --> Softmax() --> { $0 --> Activation(.relu) }
    #expect(longer.metadata.name == "digits")
    #expect(longer.metadata.about == "none")
    #expect(longer.metadata.labels == ["zero", "one"])
    #expect(longer.parameters is Nothing)
    #expect(longer.place.line == line)
  }

  @Test func severalTensorsBeforeLayer() {
    let a = input --> Convolution(kernel: (3, 3), channels: 3, name: "a")
    let b = [input, a] --> Add(name: "b")
    let list: [Tensor] = [a, input, b]
    let output = list --> Concatenate(name: "c")
    #expect(
      wired(output) == [
        "input", "a = Convolution(input)", "b = Add(input, a)", "c = Concatenate(a, input, b)",
      ])
    #expect(b.shape == image(12, 8, 3))
    #expect(output.shape == image(12, 8, 9))
  }

  @Test func severalTensorsBeforeChain() {
    let a = input --> Activation(.relu, name: "a")
    let output = [a, input] --> Multiply(name: "b") --> Softmax(name: "c")
    #expect(
      wired(output) == [
        "input", "a = Activation(input)", "b = Multiply(a, input)", "c = Softmax(b)",
      ])
  }

  @Test func concatenateAsFunction() {
    let a = input --> Activation(.relu, name: "a")
    let wide = Concatenate([input, a])
    #expect(wide.shape == image(12, 8, 6))
    let line = #line + 1
    let high = Concatenate([input, a, a], axis: 0, name: "high")
    #expect(high.shape == image(12, 24, 3))
    #expect(wired(high)[2] == "high = Concatenate(input, a, a)")
    guard case .layer(let layer) = high.source else {
      Issue.record("\(high.source)")
      return
    }
    #expect(layer.place.line == line)
    #expect(layer.place.fileID == "ForgeGraphTests/ChainTests.swift")
  }

  @Test func tensorUsedTwice() {
    let a = input --> Activation(.relu, name: "a")
    let b = a --> Activation(.tanh, name: "b")
    let c = a --> Activation(.sigmoid, name: "c")
    #expect(
      wired([b, c, a] --> Add(name: "d")) == [
        "input", "a = Activation(input)", "b = Activation(a)", "c = Activation(a)",
        "d = Add(b, c, a)",
      ])
    #expect(wired([a, a] --> Add(name: "twice")).last == "twice = Add(a, a)")
  }

  @Test func shapeDuringModelDefinition() {
    #expect(input.shape == image(12, 8, 3))
    var x = input
    while let height = x.shape?.height, height > 1 {
      x = x --> MaxPooling(kernel: (2, 2))
    }
    #expect(x.shape == image(1, 1, 3))
    #expect(
      names(Model(input: input, output: x)) == [
        "input", "__MaxPool_1__", "__MaxPool_2__", "__MaxPool_3__",
      ])
  }

  @Test func shapeAfterError() {
    let wrong = input --> MaxPooling(kernel: (9, 9))
    #expect(wrong.shape == nil)
    #expect((wrong --> Softmax()).shape == nil)
  }

  @Test(arguments: [1, 2]) func conditionalExpressionsInChains(stride: Int) {
    let x = input --> Activation(.relu, name: "x")
    let y = stride == 1 ? x : x --> ZeroPadding(bottom: 1, right: 1, name: "pad")
    #expect(y.shape == (stride == 1 ? image(12, 8, 3) : image(13, 9, 3)))
    let z = stride != 1 && x.shape != nil ? x --> Softmax(name: "a") : x --> Flatten(name: "b")
    #expect(wired(z).last == (stride == 1 ? "b = Flatten(x)" : "a = Softmax(x)"))
  }

  @Test func loopsInChains() {
    var x = input
    for (index, channels) in [4, 8, 16].enumerated() {
      x = x --> Convolution(kernel: (3, 3), channels: channels, name: "conv\(index + 1)")
    }
    #expect(
      wired(x) == [
        "input", "conv1 = Convolution(input)", "conv2 = Convolution(conv1)",
        "conv3 = Convolution(conv2)",
      ])
    #expect(mistakes(input, x) == [])
    let branches = (1...3).map { input --> Activation(.relu, name: "branch\($0)") }
    #expect(wired(branches --> Add(name: "sum")).last == "sum = Add(branch1, branch2, branch3)")
  }

  @Test func runtimeSelectedSteps() {
    let steps: [any Step] = [
      Activation(.relu, name: "a"), Softmax(name: "b") --> Flatten(name: "c"),
      Dense(neurons: 2, name: "d"),
    ]
    var x = input
    for step in steps { x = x --> step }
    #expect(
      wired(x) == [
        "input", "a = Activation(input)", "b = Softmax(a)", "c = Flatten(b)", "d = Dense(c)",
      ])
    let layers: [any Layer] = [Activation(.relu, name: "a"), Softmax(name: "b")]
    let block: Block = layers[0] --> layers[1]
    #expect(wired(input --> block) == ["input", "a = Activation(input)", "b = Softmax(a)"])
  }

  @Test func constants() {
    let one = Constant([1, 2, 3])
    #expect(one.shape == Shape(sizes: [3]))
    let two = Constant([1, 2], shape: [2, 1, 1], name: "two")
    #expect(two.shape == image(1, 2, 1))
    let sum = [input, one] --> Multiply(name: "product")
    #expect(
      wired(sum) == [
        "input", "__Constant_1__ = Constant()", "product = Multiply(input, __Constant_1__)",
      ])
    #expect(sum.shape == image(12, 8, 3))
    #expect(mistakes(input, sum) == [])
  }

  @Test func severalInputsAndOutputs() {
    let left = Input(width: 4, height: 4, channels: 1, name: "left")
    let right = Input(shape: [16], name: "right")
    let a = left --> Dense(neurons: 5, name: "a")
    let b = right --> Dense(neurons: 5, name: "b")
    let sum = [a, b] --> Add(name: "sum")
    let model = Model(inputs: [right, left], outputs: [sum, a, left])
    let inference = Inference(model)
    #expect(inference.nodes.map(\.name) == ["left", "right", "a", "b", "sum"])
    #expect(inference.inputs == [1, 0])
    #expect(inference.outputs == [4, 2, 0])
    #expect(inference.problems.isEmpty)
  }

  @Test func modelWithSeveralOutputsContinues() {
    let a = input --> Activation(.relu, name: "a")
    let b = input --> Activation(.tanh, name: "b")
    let model = Model(inputs: [input], outputs: [b, a]) --> Concatenate(name: "c") --> Softmax()
    #expect(wiring(model)[3] == "c = Concatenate(b, a)")
    #expect(model.outputs.map(\.shape) == [image(12, 8, 6)])
  }

  @Test func inputsOfAnyRank() {
    #expect(Input(shape: [5]).shape == Shape(sizes: [5]))
    #expect(Input(shape: [2, 3, 4, 5]).shape == Shape(sizes: [2, 3, 4, 5]))
    #expect(Input(width: 7, channels: 2).shape == image(7, nil, 2))
    #expect(Input(shape: [20, 28, 3]).shape == image(28, 20, 3))
    #expect(Input().shape == image(nil, nil, 3))
  }
}

/// Blocks: sequences of layers without an input.
@Suite struct BlockTests {
  private let input = Input(width: 12, height: 8, channels: 3)

  private func wired(_ output: Tensor) -> [String] {
    wiring(Model(input: input, output: output))
  }

  @Test func blockAfterTensor() {
    let block = Convolution(kernel: (3, 3), channels: 4, name: "a") --> Softmax(name: "b")
    #expect(
      wired(input --> block --> Flatten(name: "c")) == [
        "input", "a = Convolution(input)", "b = Softmax(a)", "c = Flatten(b)",
      ])
    #expect(wired(input --> block) == ["input", "a = Convolution(input)", "b = Softmax(a)"])
  }

  @Test func blockAfterModel() {
    let block = Resize(width: 8, height: 8, name: "a") --> Softmax(name: "b")
    #expect(wiring(Model() --> block) == ["input", "a = Resize(input)", "b = Softmax(a)"])
  }

  @Test func blockAfterSeveralTensors() {
    let block = Add(name: "a") --> Softmax(name: "b")
    #expect(
      wired([input, input] --> block) == ["input", "a = Add(input, input)", "b = Softmax(a)"])
  }

  @Test func nestedBlocks() {
    let inner = Softmax(name: "b") --> Flatten(name: "c")
    let outer = Activation(.relu, name: "a") --> inner --> Dense(neurons: 2, name: "d")
    let both = outer --> (Activation(.tanh, name: "e") --> Softmax(name: "f"))
    #expect(
      wired(input --> both) == [
        "input", "a = Activation(input)", "b = Softmax(a)", "c = Flatten(b)", "d = Dense(c)",
        "e = Activation(d)", "f = Softmax(e)",
      ])
    let nested = Block([Block([]), Block([Block([Softmax(name: "a")])]), Flatten(name: "b")])
    #expect(wired(input --> nested) == ["input", "a = Softmax(input)", "b = Flatten(a)"])
  }

  @Test func blockHasValueSemantics() {
    let short = Softmax(name: "a") --> Flatten(name: "b")
    let long = short --> Activation(.relu, name: "c")
    #expect(short.steps.count == 2)
    #expect(long.steps.count == 3)
  }

  @Test func reusedBlockSharesParametersByName() {
    let block = Convolution(kernel: (3, 3), channels: 3, name: "a") --> MaxPooling(kernel: (1, 1))
    let model = Model(input: input, output: input --> block --> block)
    #expect(mistakes(model).isEmpty)
    #expect(names(model) == ["input", "a", "__MaxPool_2__", "a", "__MaxPool_4__"])
    #expect(Inference(model).nodes.map(\.sharesParameters) == [false, false, false, true, false])
  }

  @Test func emptyBlockIsIdentity() {
    #expect((input --> Block([])) === input)
    #expect(([input] --> Block([Block([])])) === input)
    let model = Model() --> Block([])
    #expect(model.outputs[0] === model.inputs[0])
  }
}

/// Functions from tensor to tensor as the right operand.
@Suite struct FunctionTests {
  private let input = Input(width: 12, height: 8, channels: 3)

  private func residual(_ x: Tensor) -> Tensor {
    [x, x --> Convolution(kernel: (3, 3), channels: 3, name: "conv")] --> Add(name: "sum")
  }

  private func wired(_ output: Tensor) -> [String] {
    wiring(Model(input: input, output: output))
  }

  @Test func functionAfterTensor() {
    #expect(
      wired(input --> residual --> Softmax(name: "a")) == [
        "input", "conv = Convolution(input)", "sum = Add(input, conv)", "a = Softmax(sum)",
      ])
  }

  @Test func functionAfterModel() {
    let model = Model() --> Resize(width: 8, height: 8, name: "a") --> residual --> Flatten()
    #expect(
      wiring(model) == [
        "input", "a = Resize(input)", "conv = Convolution(a)", "sum = Add(a, conv)",
        "__Flatten_4__ = Flatten(sum)",
      ])
    #expect(model.outputs.map(\.shape) == [image(1, 1, 192)])
  }

  @Test func closureAsStep() {
    let channels = 5
    let output =
      input
      --> { x in x --> Convolution(kernel: (1, 1), channels: channels, name: "a") }
      --> { $0 --> Softmax(name: "b") }
    #expect(wired(output) == ["input", "a = Convolution(input)", "b = Softmax(a)"])
  }

  @Test func identityFunction() {
    #expect((input --> { $0 }) === input)
  }

  @Test func functionReturningFunction() {
    func separable(_ channels: Int, _ name: String) -> (Tensor) -> Tensor {
      { x in
        x
          --> DepthwiseConvolution(kernel: (3, 3), name: "\(name)_dw")
          --> PointwiseConvolution(channels: channels, name: "\(name)_pw")
      }
    }
    let output = input --> separable(8, "a") --> separable(16, "b")
    #expect(
      names(Model(input: input, output: output)) == ["input", "a_dw", "a_pw", "b_dw", "b_pw"])
    #expect(output.shape == image(12, 8, 16))
    #expect(mistakes(input, output) == [])
  }
}
