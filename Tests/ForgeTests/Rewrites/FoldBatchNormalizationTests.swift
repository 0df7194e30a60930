import Forge
import Testing

/// Batch normalizations folded into preceding weights, and those that must stay.
@Suite struct FoldBatchNormalizationTests {
  private let input = Input(width: 7, height: 5, channels: 6)

  private func expect(
    _ places: Int, _ kernels: [String], _ outputs: Tensor...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectRewrite(
      "foldBatchNormalization", places: places, leaving: kernels, inputs: [input],
      outputs: outputs, sourceLocation: sourceLocation)
  }

  @Test func foldingIntoEveryLinearLayer() throws {
    let norm = BatchNormalization(name: "norm")
    try expect(
      1, ["convolution"], input --> Convolution(kernel: (3, 3), channels: 17) --> norm)
    try expect(1, ["convolution"], input --> PointwiseConvolution(channels: 3) --> norm)
    try expect(1, ["convolution"], input --> Dense(neurons: 18, useBias: false) --> norm)
    try expect(1, ["depthwise"], input --> DepthwiseConvolution(kernel: (3, 3)) --> norm)
    try expect(
      1, ["groupedConvolution"],
      input --> DepthwiseConvolution(kernel: (3, 3), multiplier: 3, useBias: false) --> norm)
    try expect(
      1, ["groupedConvolution"],
      input --> Convolution(kernel: (3, 3), channels: 8, groups: 2) --> norm)
  }

  @Test func foldingPartialNormalizationsAndScales() throws {
    let conv = Convolution(kernel: (3, 3), channels: 6, name: "conv")
    try expect(
      1, ["convolution"], input --> conv --> BatchNormalization(center: false, scale: false))
    try expect(1, ["convolution"], input --> conv --> BatchNormalization(epsilon: 0))
    try expect(1, ["convolution"], input --> conv --> Scale(by: [2], bias: [1, 2, 3, 4, 5, 6]))
    try expect(
      1, ["convolution"],
      input --> PointwiseConvolution(channels: 3)
        --> SubtractMeanColor(red: 1, green: 2, blue: 3))
  }

  @Test func foldingConsecutiveNormalizations() throws {
    try expect(
      3, ["convolution"],
      input --> Convolution(kernel: (3, 3), channels: 9) --> BatchNormalization()
        --> BatchNormalization() --> Scale(by: [0.5]))
  }

  @Test func foldingInConvolutionChains() throws {
    var x = input
    for channels in [5, 16, 20] {
      x = x --> Convolution(kernel: (3, 3), channels: channels) --> BatchNormalization()
    }
    try expect(3, ["convolution", "convolution", "convolution"], x)
  }

  @Test func foldingBeforeActivation() throws {
    try expect(
      1, ["convolution"],
      input --> Convolution(kernel: (3, 3), channels: 9) --> BatchNormalization()
        --> Activation(.relu))
  }

  /// A normalization without a preceding linear layer becomes a scale and a shift.
  @Test func standaloneNormalizationBecomesScale() throws {
    try expect(1, ["affine"], input --> BatchNormalization())
    try expect(
      1, ["pooling", "affine"], input --> MaxPooling(kernel: (2, 2)) --> BatchNormalization())
    // A scale that stays one is not a place.
    try expect(0, ["affine"], input --> Scale(by: [2]))
  }

  @Test func foldingSkipsNormalizationAfterActivation() throws {
    try expect(
      1, ["convolution", "affine"],
      input --> Convolution(kernel: (3, 3), channels: 9, activation: .relu)
        --> BatchNormalization())
  }

  @Test func foldingSkipsNormalizationBeforeConvolution() throws {
    try expect(
      1, ["affine", "convolution"],
      input --> BatchNormalization() --> Convolution(kernel: (3, 3), channels: 9))
  }

  @Test func foldingSkipsSharedOutputs() throws {
    let conv = input --> Convolution(kernel: (3, 3), channels: 9)
    let norm = conv --> BatchNormalization()
    try expect(1, ["convolution", "affine"], norm, conv)
    try expect(
      1, ["convolution", "affine", "multiply"], [norm, conv] --> Multiply())
  }

  @Test func foldingSkipsSums() throws {
    let conv = input --> Convolution(kernel: (3, 3), channels: 6)
    try expect(
      1, ["convolution", "affine"], [input, conv] --> Add() --> BatchNormalization())
  }

  @Test func scalesOfAllChannelsAreFolded() throws {
    let conv = input --> Convolution(kernel: (3, 3), channels: 9)
    try expect(1, ["convolution"], conv --> Scale(by: [2]))
    try expect(2, ["convolution"], conv --> Scale(by: [2]) --> BatchNormalization())
  }

  /// The preprocessing of many networks: a division, a mean, a deviation.
  @Test func scalesAndShiftsInARowAreOne() throws {
    let scaled = input --> Scale(by: [1 / 255]) --> BatchNormalization()
    try expect(2, ["affine"], scaled --> Scale(by: [3]))
    // A result with another reader stays.
    let first = input --> Scale(by: [0.5])
    try expect(0, ["affine", "affine"], first --> Scale(by: [4]), first)
    // An activation is not a scale, and a product may not be a float.
    try expect(0, ["affine", "affine"], first --> Activation(.relu) --> Scale(by: [4]))
    try expect(0, ["affine", "affine"], input --> Scale(by: [1e30]) --> Scale(by: [1e30]))
  }

  /// Weights of 1e25 overflow with factors of 1e20, results of inputs of 1e-20 do not.
  @Test func hugeFactorsStay() throws {
    let scaled = input --> PointwiseConvolution(channels: 3, name: "c") --> Scale(by: [1e20])
    let model = Model(input: input, output: scaled)
    #expect(try report(of: model).places("foldBatchNormalization") == 0)
    let network = try model.compile { _, count, type in
      StoredValues(Array(repeating: type == .weights ? 1e25 : 0, count: count))
    }
    let found = try network.predict(Array(repeating: Float(1e-20), count: 7 * 5 * 6))
    #expect(found.allSatisfy { abs($0 / 6e25 - 1) < 1e-5 })
  }
}
