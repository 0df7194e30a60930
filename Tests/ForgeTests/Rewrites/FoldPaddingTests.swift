import Forge
import Testing

/// Zero padding folded into the convolution after it.
@Suite struct FoldPaddingTests {
  private let input = Input(width: 7, height: 5, channels: 6)

  private func expect(
    _ places: Int, _ kernels: [String], _ outputs: Tensor...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectRewrite(
      "foldPadding", places: places, leaving: kernels, inputs: [input], outputs: outputs,
      sourceLocation: sourceLocation)
  }

  private var padded: Tensor { input --> ZeroPadding(top: 2, left: 0, bottom: 1, right: 3) }

  @Test func foldingIntoConvolutionsOfEveryPadding() throws {
    for padding in [Padding.valid, .same, .explicit(top: 1, left: 2, bottom: 0, right: 1)] {
      try expect(
        1, ["convolution"],
        padded --> Convolution(kernel: (3, 3), channels: 9, stride: (2, 1), padding: padding))
      try expect(
        1, ["depthwise"], padded --> DepthwiseConvolution(kernel: (2, 3), padding: padding))
      try expect(
        1, ["groupedConvolution"],
        padded --> Convolution(kernel: (3, 2), channels: 4, padding: padding, groups: 2))
    }
    try expect(1, ["convolution"], padded --> PointwiseConvolution(channels: 4))
  }

  @Test func foldingIntoEveryConsumer() throws {
    let padded = padded
    let conv = Convolution(kernel: (3, 3), channels: 6, padding: .valid, name: "conv")
    let other = DepthwiseConvolution(kernel: (3, 3), padding: .valid, name: "other")
    try expect(2, ["convolution", "depthwise"], [padded --> conv, padded --> other] --> Add())
  }

  @Test func foldingSkipsSharedPadding() throws {
    let padded = padded
    let conv = padded --> Convolution(kernel: (3, 3), channels: 9, padding: .valid)
    try expect(1, ["fill", "copy", "convolution"], conv, padded)
  }

  private func average(
    _ border: AveragePooling.Border, padding: Padding = .valid, rounding: WindowRounding = .floor
  ) -> AveragePooling {
    AveragePooling(
      kernel: (3, 2), stride: (2, 1), padding: padding, border: border, rounding: rounding)
  }

  @Test func foldingIntoAverages() throws {
    for padding in [Padding.valid, .same, .explicit(top: 1, left: 2, bottom: 0, right: 1)] {
      try expect(1, ["pooling"], padded --> average(.counted, padding: padding))
    }
    try expect(1, ["pooling"], padded --> average(.excluded))
    // The border of the pooling's own padding is left out of the divisor.
    let own = Padding.explicit(top: 1, left: 0, bottom: 0, right: 0)
    try expect(0, ["fill", "copy", "pooling"], padded --> average(.excluded, padding: own))
    try expect(0, ["fill", "copy", "pooling"], padded --> average(.excluded, rounding: .ceiling))
  }

  @Test func foldingIntoMaxima() throws {
    for padding in [Padding.valid, .same] {
      let pooling = MaxPooling(kernel: (3, 3), stride: (2, 2), padding: padding)
      // Zeros are larger than negative values.
      try expect(0, ["fill", "copy", "pooling"], padded --> pooling)
      let edges = ZeroPadding(top: 2, left: 0, bottom: 1, right: 3)
      for function in [ActivationFunction.relu, .relu6, .sigmoid] {
        try expectRewrite(
          "foldPadding", places: 1, inputs: [input],
          outputs: [input --> Activation(function) --> edges --> pooling])
      }
      try expectRewrite(
        "foldPadding", places: 0, inputs: [input],
        outputs: [input --> Activation(.elu(alpha: 1)) --> edges --> pooling])
    }
  }

  @Test func foldingSkipsActivations() throws {
    // Softplus makes ln 2 of the zeros.
    try expect(
      0, ["fill", "copy", "activation", "convolution"],
      padded --> Activation(.softplus)
        --> Convolution(kernel: (3, 3), channels: 9, padding: .valid))
  }

  @Test func foldingWithUnknownSizes() throws {
    let any = Input(channels: 3)
    let conv = { (padding: Padding) in
      Model(
        input: any,
        output: any --> ZeroPadding(1)
          --> Convolution(kernel: (3, 3), channels: 3, stride: (2, 2), padding: padding))
    }
    #expect(try report(of: conv(.valid)).places("foldPadding") == 1)
    // The amount of .same follows from the padded size.
    #expect(try report(of: conv(.same)).places("foldPadding") == 0)
  }

  /// A window that rounds up may start in the zeros of a layer, not in padding of its own.
  @Test func foldingKeepsRoundedUpSizes() throws {
    func pool(_ width: Int, _ height: Int, kernel: Int, _ places: Int) throws {
      let image = Input(width: width, height: height, channels: 3)
      let padded = image --> ReLU() --> ZeroPadding(1)
      let pooled = padded --> MaxPooling(kernel: kernel, stride: 2, rounding: .ceiling)
      try expectRewrite("foldPadding", places: places, inputs: [image], outputs: [pooled])
    }
    try pool(5, 6, kernel: 2, 0)
    try pool(7, 4, kernel: 2, 0)
    try pool(6, 6, kernel: 2, 1)
    try pool(5, 6, kernel: 3, 1)
    let any = Input(width: nil, height: nil, channels: 3)
    let pooled =
      any --> ReLU() --> ZeroPadding(1)
      --> MaxPooling(kernel: 2, stride: 2, rounding: .ceiling)
    let network = try Model(input: any, output: pooled).compile()
    #expect(network.report.places("foldPadding") ?? 0 == 0)
  }
}
