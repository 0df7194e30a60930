import Forge
import Testing

/// Networks of thousands of layers: no recursion over depth.
@Suite struct DeepNetworkTests {
  @Test func longChain() throws {
    let input = Input(width: 1, height: 1, channels: 1)
    var output = input
    for step in 0..<4000 {
      switch step % 4 {
      case 0: output = output --> Multiply(constant: [2])
      case 1: output = output --> Add(constant: [1])
      case 2: output = output --> Multiply(constant: [0.5])
      default: output = output --> Subtract(constant: [0.5])
      }
    }
    let network = try Model(input: input, output: output).compile()
    #expect(try network.predict([3]) == [3])
    #expect(network.report.steps.count >= 4000)
    let kept = try Model(input: input, output: output).compile(
      options: CompileOptions(keep: ["__Multiply_3997__"]))
    let pixel = TensorValues(width: 1, height: 1, channels: 1, values: [3])
    #expect(try kept.predict(ordered: [pixel])["__Multiply_3997__"]?.values == [6])
  }

  /// Convolutions with normalizations, activations and residuals folded in.
  @Test func deepResidualNetwork() throws {
    let input = Input(width: 2, height: 2, channels: 1)
    var x = input
    for _ in 0..<400 {
      let branch =
        x --> Convolution(kernel: (1, 1), channels: 1) --> BatchNormalization()
        --> Activation(.relu) --> Convolution(kernel: (1, 1), channels: 1)
        --> BatchNormalization()
      x = [x, branch] --> Add() --> Activation(.tanh)
    }
    let model = Model(input: input, output: x)
    let report = try report(of: model)
    #expect(report.places("foldBatchNormalization") == 800)
    #expect(report.places("fuseResidual") == 400)
    #expect(report.places("fuseActivation") == 800)
    #expect(report.arithmetic == Array(repeating: "convolution", count: 800))
    try expectAgreement(model, relativeL2: 1e-5)
  }

  /// Tensors that stay live until the end, joined level by level.
  @Test func manyBranches() throws {
    let input = Input(width: 2, height: 1, channels: 16)
    var parts = (0..<64).map { _ in input --> PointwiseConvolution(channels: 16) }
    while parts.count > 1 {
      parts = stride(from: 0, to: parts.count, by: 2).map {
        Concatenate([parts[$0], parts[$0 + 1]])
      }
    }
    let model = Model(input: input, output: parts[0])
    #expect(try report(of: model).arithmetic == Array(repeating: "convolution", count: 64))
    try expectAgreement(model)
  }
}
