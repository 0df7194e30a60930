import ForgeGraph
import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

/// Layers whose names and places are given where they are used.
@Suite struct NamedLayerTests {
  private let input = Input(width: 12, height: 8, channels: 4)

  /// A layer without fields for its name and place.
  private struct ChannelBias: Layer {
    var scale: Float = 1
    func lower(into lowering: inout Lowering) throws(ShapeError) {
      let input = try lowering.input()
      guard let count = lowering.shape(of: input).channels, scale != 0 else {
        throw ShapeError(.invalidArgument, "scale is out of range", received: "scale: \(scale)")
      }
      let biases = try lowering.parameter(.biases, [.channels: count])
      lowering.output = try lowering.apply(.binary(.add), to: [input, biases])
    }
  }

  @Test func nameReplacesThatOfLayer() {
    let model = Model(
      input: input,
      output: input --> ChannelBias().named("bias1") --> ChannelBias()
        --> Activation(.relu, name: "old").named("new"))
    #expect(mistakes(model) == [])
    #expect(names(model) == ["input", "bias1", "__ChannelBias_2__", "new"])
    #expect(model.layers.map(\.isNamed) == [true, false, true])
    #expect(model.parameterSpecs.first?.layer == "bias1")
  }

  @Test func namesInScopesAndBlocks() {
    let block = ChannelBias().named("b") --> Softmax()
    let model = Model(input: input, output: input --> block.named("s1") --> block.named("s2"))
    #expect(
      names(model) == ["input", "s1.b", "s1.__Softmax_2__", "s2.b", "s2.__Softmax_4__"])
  }

  @Test func placeIsThatOfTheName() {
    let bias = ChannelBias(scale: 0).named("b", fileID: "App/Net.swift", line: 3, column: 7)
    #expect(
      problems(Model(input: input, output: input --> bias)).map(\.description) == [
        """
        App/Net.swift:3:7: layer 1 "b" (ChannelBias): scale is out of range
          received  scale: 0.0
        """
      ])
    #expect(
      problems(Model(input: input, output: input --> ChannelBias(scale: 0))).map(\.description) == [
        """
        layer 1 "__ChannelBias_1__" (ChannelBias): scale is out of range
          received  scale: 0.0
        """
      ])
  }

  @Test func sharingNeedsOnePlace() {
    let bias = ChannelBias().named("b")
    let shared = Model(input: input, output: input --> bias --> bias)
    #expect(mistakes(shared) == [])
    #expect(shared.parameterCount == 4)
    let two = Model(
      input: input,
      output: input --> ChannelBias().named("b", fileID: "App/Net.swift", line: 1, column: 1)
        --> ChannelBias().named("b", fileID: "App/Net.swift", line: 2, column: 1))
    #expect(
      problems(two).map(\.description) == [
        """
        App/Net.swift:2:1: layer 2 "b" (ChannelBias): the name "b" has two definitions
          received  layer 1 "b" (ChannelBias) at App/Net.swift:1:1
          needs     the same layer from the same place in source, to share its parameters
          remedy    give one of them another name
        """
      ])
  }
}
