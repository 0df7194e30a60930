import ForgeGraph
import ForgeLayers
import ForgeShapes
import Testing

/// The layers and parameters that a model lists.
@Suite struct ModelLayerTests {
  private let input = Input(width: 6, height: 4, channels: 2, name: "picture")

  @Test func layers() {
    let a =
      input
      --> Convolution(
        kernel: (3, 1), channels: 8, name: "a", fileID: "App/Net.swift", line: 14, column: 7)
    let output = [a, input --> PointwiseConvolution(channels: 8, name: "b")] --> Add()
    let layers = Model(input: input, output: output).layers
    #expect(layers.map(\.position) == [1, 2, 3])
    #expect(layers.map(\.name) == ["a", "b", "__Add_3__"])
    #expect(layers.map(\.isNamed) == [true, true, false])
    #expect(layers.map(\.scope) == ["", "", ""])
    #expect(layers.map(\.type) == ["Convolution", "PointwiseConvolution", "Add"])
    #expect(layers.map(\.inputs) == [["picture"], ["picture"], ["a", "b"]])
    #expect(layers[2].inputShapes == [image(6, 4, 8), image(6, 4, 8)])
    #expect(layers.map(\.outputShape) == Array(repeating: image(6, 4, 8), count: 3))
    // 8·3·2 + 8 and 8·2 + 8; 6·4·8 values of six taps and of two.
    #expect(layers.map(\.parameterCount) == [56, 24, 0])
    #expect(layers.map(\.multiplyAdds) == [1152, 384, 0])
    #expect(layers.map(\.parameters.count) == [2, 2, 0])
    #expect(layers[0].place == SourcePlace(fileID: "App/Net.swift", line: 14, column: 7))
    #expect((layers[0].layer as? Convolution)?.channels == 8)
    #expect(
      layers[0].description
        == "layer 1 \"a\" (Convolution): (6, 4, 2) → (6, 4, 8), 56 parameters, App/Net.swift:14:7")
  }

  @Test func sharedParametersAreListedOnce() {
    let conv = Convolution(kernel: (1, 1), channels: 2, name: "conv")
    let model = Model(input: input, output: input --> conv --> Softmax() --> conv)
    #expect(
      model.parameterSpecs.map { "\($0.layer) \($0.type) \($0.sizes)" } == [
        "conv weights [2, 1, 1, 2]", "conv biases [2]",
      ])
    #expect(model.layers.map(\.sharesParameters) == [false, false, true])
    #expect(model.layers.map(\.parameterCount) == [6, 0, 0])
    #expect(model.layers[2].description.contains("shared parameters"))
  }

  @Test func modelWithMistakes() {
    struct Sneaky: Step {}
    let model =
      Model() --> Convolution(kernel: (3, 3), channels: 4, name: "conv")
      --> Dense(neurons: 10, name: "fc") --> Sneaky()
    let layers = model.layers
    #expect(layers.map(\.outputShape) == [image(nil, nil, 4), nil, nil])
    #expect(layers.map(\.type) == ["Convolution", "Dense", "Sneaky"])
    #expect(layers[2].layer == nil)
    #expect(layers[2].place == nil)
    #expect(layers[2].description == "layer 3 \"__Sneaky_3__\" (Sneaky): ? → ?, 0 parameters")
    #expect(model.parameterSpecs.map(\.layer) == ["conv", "conv"])
    #expect(Model(inputs: [], outputs: []).layers.isEmpty)
  }
}
