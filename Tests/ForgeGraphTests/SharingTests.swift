import ForgeGraph
import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

/// Parameters are shared by name only.
@Suite struct SharingTests {
  private let input = Input(width: 12, height: 8, channels: 3)

  private func conv(
    _ name: String?, line: Int, channels: Int = 3, kernel: Int = 3
  ) -> Convolution {
    Convolution(
      kernel: (kernel, kernel), channels: channels, name: name, fileID: "App/Net.swift",
      line: line, column: 7)
  }

  private func shares(_ model: Model) -> [Bool] { Inference(model).nodes.map(\.sharesParameters) }

  @Test func layerUsedTwiceSharesParameters() {
    let conv = Convolution(kernel: (3, 3), channels: 3, name: "conv")
    let model = Model(input: input, output: input --> conv --> conv --> conv)
    #expect(mistakes(model).isEmpty)
    #expect(names(model) == ["input", "conv", "conv", "conv"])
    #expect(shares(model) == [false, false, true, true])
    // 3·3·3·3 + 3 = 84, once.
    #expect(model.summary().hasSuffix("Number of layers: 3\nTotal parameters: 84"))
    #expect(Inference(model).nodes.map(\.parameterCount) == [0, 84, 0, 0])
  }

  @Test func functionCalledTwiceSharesParameters() {
    func tower(_ x: Tensor) -> Tensor {
      x --> Convolution(kernel: (3, 3), channels: 4, name: "conv") --> Dense(neurons: 5, name: "fc")
    }
    let other = Input(width: 12, height: 8, channels: 3, name: "other")
    let output = [tower(input), tower(other)] --> Subtract()
    let model = Model(inputs: [input, other], outputs: [output])
    #expect(mistakes(model).isEmpty)
    #expect(names(model) == ["input", "other", "conv", "fc", "conv", "fc", "__Subtract_5__"])
    // 4·3·3·3 + 4 = 112 and 5·12·8·4 + 5 = 1925.
    #expect(model.summary().hasSuffix("Total parameters: 2037"))
  }

  @Test func loopSharesParameters() {
    var x = input
    for _ in 1...3 { x = x --> Convolution(kernel: (3, 3), channels: 3, name: "conv") }
    let model = Model(input: input, output: x)
    #expect(mistakes(model).isEmpty)
    #expect(shares(model) == [false, false, true, true])
  }

  @Test func unnamedLayersNeverShare() {
    let conv = Convolution(kernel: (3, 3), channels: 3)
    let model = Model(input: input, output: input --> conv --> conv)
    #expect(mistakes(model).isEmpty)
    #expect(names(model) == ["input", "__Conv_1__", "__Conv_2__"])
    #expect(shares(model) == [false, false, false])
    #expect(model.summary().hasSuffix("Total parameters: 168"))
  }

  @Test func parameterlessLayersMayShareNames() {
    let pool = MaxPooling(kernel: (2, 2), name: "pool")
    let model = Model(input: input, output: input --> pool --> pool)
    #expect(mistakes(model).isEmpty)
    #expect(shares(model) == [false, false, false])
  }

  @Test func sameNameAtDifferentLocations() {
    let model = Model(
      input: input, output: input --> conv("conv", line: 14) --> conv("conv", line: 15))
    #expect(
      problems(model).map(\.description) == [
        """
        App/Net.swift:15:7: layer 2 "conv" (Convolution): the name "conv" has two definitions
          received  layer 1 "conv" (Convolution) at App/Net.swift:14:7
          needs     the same layer from the same place in source, to share its parameters
          remedy    give one of them another name
        """
      ])
  }

  @Test func sameLocationWithDifferentFields() {
    let model = Model(
      input: input,
      output: input --> conv("conv", line: 14) --> conv("conv", line: 14, kernel: 5))
    #expect(
      problems(model).map(\.description) == [
        """
        App/Net.swift:14:7: layer 2 "conv" (Convolution): the name "conv" has two definitions
          received  layer 1 "conv" (Convolution) at App/Net.swift:14:7
          needs     the same layer from the same place in source, to share its parameters
          remedy    give one of them another name
        """
      ])
  }

  @Test func sameNameForDifferentType() {
    let model = Model(
      input: input,
      output: input --> conv("a", line: 14)
        --> Softmax(name: "a", fileID: "App/Net.swift", line: 14, column: 7))
    #expect(
      mistakes(model) == [
        """
        layer 2 "a" (Softmax): the name "a" has two definitions
          received  layer 1 "a" (Convolution) at App/Net.swift:14:7
          needs     the same layer from the same place in source, to share its parameters
          remedy    give one of them another name
        """
      ])
  }

  @Test func everyFurtherDefinitionIsReported() {
    let model = Model(
      input: input,
      output: input --> conv("a", line: 1) --> conv("a", line: 2) --> conv("a", line: 1)
        --> conv("a", line: 3))
    #expect(places(model) == ["App/Net.swift:2:7", "App/Net.swift:3:7"])
  }

  @Test func differentInputSizes() {
    let a = input --> conv("a", line: 1, channels: 5)
    let b = a --> conv("a", line: 1, channels: 5)
    #expect(
      problems(Model(input: input, output: b)).map(\.description) == [
        """
        App/Net.swift:1:7: layer 2 "a" (Convolution): the parameters shared by name have other \
        sizes here
          received  weights 5×3×3×5 [O][H][W][I], biases 5 [O]
          needs     weights 5×3×3×3 [O][H][W][I], biases 5 [O], as in layer 1
          remedy    give inputs of the same size to both, or give one another name
        """
      ])
  }

  @Test func convolutionAcceptsDifferentImageSizes() {
    func tower(_ x: Tensor) -> Tensor { x --> conv("a", line: 1) }
    let half = input --> MaxPooling(kernel: (2, 2))
    let output = [tower(input) --> MaxPooling(kernel: (2, 2)), tower(half)] --> Add()
    #expect(mistakes(input, output).isEmpty)
    func dense(_ x: Tensor) -> Tensor { x --> Dense(neurons: 2, name: "fc") }
    #expect(
      mistakes(input, [dense(input), dense(half)] --> Add()) == [
        """
        layer 3 "fc" (Dense): the parameters shared by name have other sizes here
          received  weights 2×4×6×3 [O][H][W][I], biases 2 [O]
          needs     weights 2×8×12×3 [O][H][W][I], biases 2 [O], as in layer 2
          remedy    give inputs of the same size to both, or give one another name
        """
      ])
  }

  @Test func errorInSharedLayerIsReportedOnce() {
    let fc = Dense(neurons: 2, name: "fc")
    let loose = Input(name: "loose")
    let model = Model(
      inputs: [input, loose], outputs: [input --> fc, loose --> fc])
    #expect(
      mistakes(model) == [
        """
        layer 2 "fc" (Dense): the size of the input is not known
          received  ?×?×3 (width×height×channels) from "loose"
          needs     a known number of elements to flatten
          remedy    give the Input a width and a height, or put a Resize before this layer
        """
      ])
  }

  @Test func inputsWithSameName() {
    let line = #line + 1
    let inputs = [Input(shape: [4], name: "a"), Input(shape: [4], name: "a")]
    let model = Model(inputs: inputs, outputs: [inputs --> Add()])
    #expect(
      problems(model).map(\.description) == [
        """
        ForgeGraphTests/SharingTests.swift:\(line):54: "a" (Input): the name "a" has two definitions
          received  "a" (Input) at ForgeGraphTests/SharingTests.swift:\(line):24
          needs     a name of its own, as inputs share nothing
          remedy    give one of them another name
        """
      ])
  }

  @Test func inputAndLayerWithSameName() {
    let x = Input(shape: [4], name: "a")
    #expect(
      mistakes(x, x --> Softmax(name: "a")).map { $0.split(separator: "\n")[0] } == [
        "layer 1 \"a\" (Softmax): the name \"a\" has two definitions"
      ])
  }

  @Test(arguments: [true, false]) func givenNameEqualToGeneratedName(givenFirst: Bool) {
    let given = givenFirst ? "__Softmax_2__" : "__Softmax_1__"
    let named = Activation(.relu, name: given)
    let output = givenFirst ? input --> named --> Softmax() : input --> Softmax() --> named
    #expect(mistakes(input, output) == [])
    let generated = givenFirst ? "__Softmax_2_2__" : "__Softmax_1_2__"
    #expect(
      names(Model(input: input, output: output))
        == ["input"] + (givenFirst ? [given, generated] : [generated, given]))
  }

  @Test func manyGivenNamesOfGeneratedForm() {
    let first = input --> Activation(.relu, name: "__Softmax_3__")
    let output = first --> Activation(.relu, name: "__Softmax_3_2__") --> Softmax()
    #expect(
      names(Model(input: input, output: output))
        == ["input", "__Softmax_3__", "__Softmax_3_2__", "__Softmax_3_3__"])
  }
}
