import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

/// Activations spelled like layers.
@Suite struct ActivationShorthandTests {
  @Test(
    arguments: [
      (ReLU(), .relu), (ReLU6(), .relu6),
      (ClippedReLU(maximum: 20), .clipped(minimum: 0, maximum: 20)),
      (ClippedReLU(minimum: -1, maximum: 1), .clipped(minimum: -1, maximum: 1)),
      (LeakyReLU(0.1), .leakyReLU(slope: 0.1)), (ELU(), .elu(alpha: 1)),
      (ELU(alpha: 0.5), .elu(alpha: 0.5)), (SELU(), .selu), (Sigmoid(), .sigmoid), (Tanh(), .tanh),
      (HardSigmoid(), .hardSigmoid), (HardSigmoidKeras2(), .hardSigmoidKeras2),
      (HardSigmoidLinear(alpha: 0.25, beta: 0.5), .hardSigmoidLinear(alpha: 0.25, beta: 0.5)),
      (HardSwish(), .hardSwish), (Swish(), .swish), (SiLU(), .swish), (Mish(), .mish),
      (GELU(), .gelu), (GELUTanh(), .geluTanh), (Softplus(), .softplus),
    ] as [(Activation, ActivationFunction)])
  func functions(layer: Activation, function: ActivationFunction) {
    #expect(layer.function == function)
    #expect(layer.name == nil)
  }

  @Test func nameAndPlace() {
    let layer = SiLU(name: "act"); let line = #line
    #expect(layer.name == "act")
    #expect(type(of: layer).summaryName == "Activation")
    #expect(
      layer.place
        == SourcePlace(
          fileID: "ForgeLayersTests/ActivationShorthandTests.swift", line: line, column: 21))
  }
}
