import Forge
import ForgeTestSupport
import Testing

/// Activations fused into the operation before them, and those that need a step.
@Suite struct FuseActivationTests {
  private let input = Input(width: 7, height: 5, channels: 6)

  private func expect(
    _ places: Int, _ kernels: [String], _ outputs: Tensor...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectRewrite(
      "fuseActivation", places: places, leaving: kernels, inputs: [input], outputs: outputs,
      sourceLocation: sourceLocation)
  }

  @Test func fusionIntoEverySupportedOperation() throws {
    let function = Activation(.tanh, name: "function")
    try expect(
      1, ["convolution"], input --> Convolution(kernel: (3, 3), channels: 17) --> function)
    try expect(
      1, ["groupedConvolution"],
      input --> Convolution(kernel: (3, 3), channels: 4, groups: 2) --> function)
    try expect(1, ["depthwise"], input --> DepthwiseConvolution(kernel: (3, 3)) --> function)
    try expect(1, ["convolution"], input --> Dense(neurons: 3) --> function)
    try expect(1, ["pooling"], input --> MaxPooling(kernel: (2, 2)) --> function)
    try expect(1, ["pooling"], input --> AveragePooling(kernel: (2, 2)) --> function)
    try expect(1, ["pooling"], input --> GlobalAveragePooling() --> function)
    try expect(1, ["affine"], input --> BatchNormalization() --> function)
    try expect(1, ["affine"], input --> Scale(by: [2]) --> function)
    try expect(1, ["multiply"], input --> Multiply(constant: [2]) --> function)
    try expect(1, ["prelu"], input --> PReLU() --> function)
  }

  @Test func fusionOfActivationArguments() throws {
    try expect(
      2, ["convolution", "depthwise"],
      input --> Convolution(kernel: (3, 3), channels: 4, activation: .relu)
        --> DepthwiseConvolution(kernel: (3, 3), activation: .relu6))
  }

  @Test func fusionAfterResidual() throws {
    let conv = input --> Convolution(kernel: (3, 3), channels: 6)
    try expect(1, ["convolution"], [conv, input] --> Add() --> Activation(.relu))
  }

  @Test func fusionOnPlainTensors() throws {
    let vector = Input(shape: [9])
    try expectRewrite(
      "fuseActivation", places: 1, leaving: ["add", "copy"], inputs: [vector],
      outputs: [vector --> Add(constant: [0.5]) --> Activation(.mish)])
    try expectRewrite(
      "fuseActivation", places: 1, leaving: ["multiply", "add", "copy"], inputs: [vector],
      outputs: [vector --> Scale(by: [2]) --> Activation(.mish)])
  }

  @Test func fusionOfFirstActivationOnly() throws {
    try expect(
      1, ["convolution", "activation"],
      input --> Convolution(kernel: (3, 3), channels: 4, activation: .relu)
        --> Activation(.tanh))
  }

  @Test func fusionSkipsUnsupportedOperations() throws {
    let function = Activation(.tanh, name: "function")
    try expect(0, ["softmax", "activation"], input --> Softmax() --> function)
    try expect(0, ["resize", "activation"], input --> UpSampling() --> function)
    try expect(
      0, ["fill", "copy", "activation"], input --> ZeroPadding(1) --> function)
    try expect(0, ["custom", "activation"], input --> reversal() --> function)
    try expect(
      0, ["fill", "copyChannels", "copyChannels", "activation"],
      Concatenate([input, input]) --> function)
    try expect(0, ["activation"], input --> function)
  }

  @Test func fusionSkipsSharedInputs() throws {
    let conv = input --> Convolution(kernel: (3, 3), channels: 6)
    let function = conv --> Activation(.tanh)
    try expect(0, ["convolution", "activation"], function, conv)
    try expect(
      0, ["convolution", "activation", "multiply"], [function, conv] --> Multiply())
    // Two functions of one sum.
    try expect(
      0, ["convolution", "activation", "activation", "multiply"],
      [function, conv --> Activation(.sigmoid)] --> Multiply())
  }
}
