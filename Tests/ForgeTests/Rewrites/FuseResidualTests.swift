import Forge
import Testing

/// Residuals fused into the layer before the sum, and sums that must stay.
@Suite struct FuseResidualTests {
  private let input = Input(width: 7, height: 5, channels: 6)

  private func expect(
    _ places: Int, _ kernels: [String], _ outputs: Tensor...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectRewrite(
      "fuseResidual", places: places, leaving: kernels, inputs: [input], outputs: outputs,
      sourceLocation: sourceLocation)
  }

  @Test func fusionIntoEveryLinearLayer() throws {
    let conv = input --> Convolution(kernel: (3, 3), channels: 6)
    try expect(1, ["convolution"], [input, conv] --> Add())
    try expect(1, ["convolution"], [conv, input] --> Add())
    let depthwise = input --> DepthwiseConvolution(kernel: (3, 3))
    try expect(1, ["depthwise"], [depthwise, input] --> Add())
    let grouped = input --> Convolution(kernel: (3, 3), channels: 6, groups: 3)
    try expect(1, ["groupedConvolution"], [input, grouped] --> Add())
    let pointwise = input --> PointwiseConvolution(channels: 6)
    try expect(1, ["convolution"], [input, pointwise] --> Add())
  }

  @Test func fusionIntoDense() throws {
    let vector = Input(width: 1, height: 1, channels: 19)
    try expectRewrite(
      "fuseResidual", places: 1, leaving: ["convolution"], inputs: [vector],
      outputs: [[vector, vector --> Dense(neurons: 19)] --> Add()])
  }

  /// The branch that is computed last adds the other.
  @Test func fusionIntoLaterBranch() throws {
    let left = input --> Convolution(kernel: (3, 3), channels: 8)
    let right = input --> Convolution(kernel: (1, 1), channels: 8)
    try expect(1, ["convolution", "convolution"], [left, right] --> Add())
    try expect(1, ["convolution", "convolution"], [right, left] --> Add())
  }

  @Test func fusionOfConsecutiveResiduals() throws {
    var x = input
    for _ in 0..<3 { x = [x, x --> Convolution(kernel: (3, 3), channels: 6)] --> Add() }
    try expect(3, ["convolution", "convolution", "convolution"], x)
  }

  @Test func fusionAfterFoldedNormalization() throws {
    let branch = input --> Convolution(kernel: (3, 3), channels: 6) --> BatchNormalization()
    try expect(1, ["convolution"], [input, branch] --> Add() --> Activation(.relu))
  }

  @Test func fusionOfThreeOperandSums() throws {
    let a = input --> Convolution(kernel: (3, 3), channels: 6)
    let b = input --> Convolution(kernel: (1, 1), channels: 6)
    // a + b is one place; the sum of the two has its shortcut already.
    try expect(1, ["convolution", "convolution", "add"], [a, b, input] --> Add())
    // a + input is one, b takes that sum.
    try expect(2, ["convolution", "convolution"], [a, input, b] --> Add())
  }

  @Test func fusionOfConstantShortcut() throws {
    let values = (0..<210).map { Float($0) / 100 }
    let constant = Constant(values, shape: [5, 7, 6])
    try expect(
      1, ["convolution"],
      [input --> Convolution(kernel: (3, 3), channels: 6), constant] --> Add())
  }

  @Test func fusionSkipsBroadcastOperands() throws {
    let conv = input --> Convolution(kernel: (3, 3), channels: 6)
    try expect(
      0, ["convolution", "pooling", "add"],
      [input --> GlobalAveragePooling(), conv] --> Add())
    try expect(0, ["convolution", "add"], conv --> Add(constant: [0.5]))
    let one = input --> PointwiseConvolution(channels: 1)
    try expect(0, ["convolution", "add"], [input, one] --> Add())
  }

  @Test func fusionSkipsActivatedBranches() throws {
    let conv = input --> Convolution(kernel: (3, 3), channels: 6, activation: .relu)
    try expect(0, ["convolution", "add"], [input, conv] --> Add())
  }

  @Test func fusionSkipsSharedBranches() throws {
    let conv = input --> Convolution(kernel: (3, 3), channels: 6)
    try expect(0, ["convolution", "add"], [input, conv] --> Add(), conv)
    // The sum of a branch with itself.
    try expect(0, ["convolution", "add"], [conv, conv] --> Add())
  }

  @Test func fusionSkipsOtherOperations() throws {
    let conv = input --> Convolution(kernel: (3, 3), channels: 6)
    try expect(0, ["convolution", "subtract"], [conv, input] --> Subtract())
    try expect(
      0, ["pooling", "add"],
      [input, input --> MaxPooling(kernel: (3, 3), stride: (1, 1), padding: .same)] --> Add())
  }

  /// A sum of inputs of unknown sizes might broadcast at run time.
  @Test func fusionSkipsUnknownSizes() throws {
    let any = Input(channels: 3)
    let output = [any, any --> Convolution(kernel: (3, 3), channels: 3)] --> Add()
    let model = Model(input: any, output: output)
    #expect(try report(of: model).places("fuseResidual") == 0)
  }
}
