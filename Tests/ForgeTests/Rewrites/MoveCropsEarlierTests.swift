import Forge
import Testing

/// Crops moved before an elementwise operation, where `sliceEarlier` has not moved them.
@Suite struct MoveCropsEarlierTests {
  private let input = Input(width: 7, height: 5, channels: 6)

  private func expect(
    _ places: Int, _ outputs: Tensor..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectRewrite(
      "moveCropsEarlier", places: places, inputs: [input], outputs: outputs,
      without: ["sliceEarlier"], sourceLocation: sourceLocation)
  }

  @Test func cropMovesBeforeActivation() throws {
    try expect(
      1, input --> Softmax() --> Activation(.tanh) --> Crop(top: 1, left: 2, bottom: 1))
    try expect(1, input --> Activation(.softplus) --> Crop(right: 3))
  }

  @Test func moveSkipsSharedActivations() throws {
    let function = input --> Activation(.tanh)
    try expect(0, function --> Crop(top: 1), function)
    try expect(0, function --> Crop(top: 1), function --> Crop(left: 2))
  }

  @Test func moveSkipsSpatialOperations() throws {
    try expect(0, input --> Convolution(kernel: (3, 3), channels: 4) --> Crop(top: 1))
    try expect(0, input --> MaxPooling(kernel: (2, 2), stride: (1, 1)) --> Crop(top: 1))
    try expect(0, input --> UpSampling(mode: .bilinear) --> Crop(top: 1))
  }

  /// An activation that is fused at no cost stays fused.
  @Test func moveSkipsFusedActivations() throws {
    let conv = Convolution(kernel: (3, 3), channels: 4, activation: .relu)
    let model = Model(input: input, output: input --> conv --> Crop(top: 1))
    let report = try report(of: model)
    #expect(report.places("moveCropsEarlier") == 0)
    #expect(report.arithmetic == ["convolution"])
    try expectAgreement(model)
  }

  /// A crop is a view of memory where its consumers need no padding.
  @Test func cropsCopyNoData() throws {
    let model = Model(
      input: input,
      output: input --> Convolution(kernel: (3, 3), channels: 20)
        --> Crop(top: 1, left: 2, bottom: 1, right: 1) --> MaxPooling(kernel: (2, 2)))
    #expect(try report(of: model).arithmetic == ["convolution", "pooling"])
    try expectAgreement(model)
  }
}
