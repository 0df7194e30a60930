import Forge
import ForgeTestSupport
import Testing

/// Average poolings exchanged with the pointwise convolution after them.
@Suite struct MoveAveragePoolingLaterTests {
  private let input = Input(width: 13, height: 11, channels: 40)

  private func expect(
    _ places: Int, _ outputs: Tensor..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectRewrite(
      "moveAveragePoolingLater", places: places, inputs: [input], outputs: outputs,
      sourceLocation: sourceLocation)
  }

  private func average(
    _ size: Int = 3, padding: Padding = .same, border: AveragePooling.Border = .excluded
  ) -> AveragePooling {
    AveragePooling(
      kernel: (size, size), stride: (1, 1), padding: padding, border: border, name: "average")
  }

  @Test func poolingMovesWhenChannelsDecrease() throws {
    try expect(1, input --> average() --> PointwiseConvolution(channels: 17))
    try expect(1, input --> average(5) --> PointwiseConvolution(channels: 39, useBias: false))
    try expect(1, input --> average() --> Convolution(kernel: (1, 1), channels: 1))
    // A function stays behind the average.
    try expect(
      1, input --> average() --> PointwiseConvolution(channels: 17, activation: .relu))
    try expect(
      1,
      input --> average() --> PointwiseConvolution(channels: 17, useBias: false)
        --> BatchNormalization() --> Activation(.relu))
  }

  /// Both results in single precision against each other, with a tighter bound than against the
  /// reference.
  @Test func resultsMatchOriginalOrder() throws {
    for (width, height, channels) in [(3, 3, 16), (2, 5, 31), (7, 1, 5)] {
      let model = Model(
        input: input,
        output: input
          --> AveragePooling(kernel: (width, height), stride: (1, 1), padding: .same)
          --> PointwiseConvolution(channels: channels, activation: .relu))
      let inputs = try ReferenceModel(model).inputs(seed: 8)
      let made = try [[], ["moveAveragePoolingLater"]].map { disabled in
        try model.compile(
          parameters: SeededParameters(), options: CompileOptions(disabledRewrites: Set(disabled))
        ).outputs(of: inputs)[0]
      }
      expectClose(made[0], made[1], relativeL2: 1e-6)
    }
  }

  @Test func moveSkipsNonDecreasingChannels() throws {
    try expect(0, input --> average() --> PointwiseConvolution(channels: 40))
    try expect(0, input --> average() --> PointwiseConvolution(channels: 64))
  }

  /// Averages that include padding: a bias would have less weight there.
  @Test func moveSkipsPaddedAverages() throws {
    try expect(0, input --> average(border: .counted) --> PointwiseConvolution(channels: 8))
  }

  @Test func moveSkipsOtherConvolutions() throws {
    try expect(0, input --> average() --> Convolution(kernel: (3, 3), channels: 8))
    try expect(0, input --> average() --> PointwiseConvolution(channels: 8, stride: (2, 2)))
    try expect(0, input --> average() --> Convolution(kernel: (1, 1), channels: 8, groups: 4))
    try expect(
      0,
      input --> average()
        --> Convolution(
          kernel: (1, 1), channels: 8, padding: .explicit(top: 1, left: 0, bottom: 0, right: 0)))
    // The product of all elements is long: its rounding errors are no matter of this test.
    let dense = Model(input: input, output: input --> average() --> Dense(neurons: 3))
    #expect(try report(of: dense).places("moveAveragePoolingLater") == 0)
  }

  @Test func moveSkipsOtherPoolings() throws {
    let point = PointwiseConvolution(channels: 8)
    try expect(
      0, input --> MaxPooling(kernel: (3, 3), stride: (1, 1), padding: .same) --> point)
    try expect(0, input --> AveragePooling(kernel: (3, 3), stride: (2, 2)) --> point)
    // Without padding the average has fewer pixels.
    try expect(0, input --> average(padding: .valid) --> point)
    try expect(0, input --> GlobalAveragePooling() --> point)
    try expect(0, input --> average() --> Activation(.tanh) --> point)
  }

  @Test func moveSkipsSharedAverages() throws {
    let averaged = input --> average()
    try expect(0, averaged --> PointwiseConvolution(channels: 8), averaged)
    try expect(
      0, averaged --> PointwiseConvolution(channels: 8, name: "a"),
      averaged --> PointwiseConvolution(channels: 9, name: "b"))
  }

  /// A kept average is computed by a separate step.
  @Test func keptAverageIsComputedSeparately() throws {
    let model = Model(
      input: input,
      output: input --> average()
        --> PointwiseConvolution(channels: 17, activation: .relu, name: "point"))
    let reference = try ReferenceModel(model)
    let inputs = reference.inputs(seed: 2)
    let names = ["average", "point"]
    let expected = try reference.run(inputs, layers: names).layers
    let plain = try model.compile(parameters: SeededParameters())
    #expect(plain.report.places("moveAveragePoolingLater") == 1)
    let bits = try plain.outputs(of: inputs)[0].bits
    for keep in [["average"], ["point"], names] {
      let network = try model.compile(
        parameters: SeededParameters(), options: CompileOptions(keep: keep))
      let predictions = try network.predict(ordered: inputs)
      #expect(predictions.outputs[network.outputNames[0]]?.values.bits == bits)
      for name in keep {
        expectClose(
          try #require(predictions.kept[name]?.values), try #require(expected[name]),
          relativeL2: 1e-6, name)
      }
    }
  }
}
