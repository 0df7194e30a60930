import Forge
import Testing

/// Whole blocks of channels that are read where they are, and parts that are copied.
@Suite struct ViewChannelsTests {
  private let input = Input(width: 7, height: 5, channels: 16)

  private func image(_ channels: Int) -> Tensor {
    input --> Convolution(kernel: (3, 3), channels: channels)
  }

  private func part(_ x: Tensor, _ channels: Range<Int>) -> Tensor {
    x --> Slice(starts: [channels.lowerBound], ends: [channels.upperBound], axes: [2])
  }

  /// Expects these copies, and right values with and without the rewrite.
  private func expect(
    copies: [String], _ outputs: Tensor..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let model = Model(inputs: [input], outputs: outputs)
    let moved = ["copy", "copyChannels", "fill", "gatherChannels"]
    // It would compute only the parts.
    let with = try report(of: model, without: ["sliceEarlier"]).kernels.filter(moved.contains)
    #expect(with == copies, sourceLocation: sourceLocation)
    let all = Set(Rewrites.names)
    for disabled in [[], ["sliceEarlier"], ["viewChannels"], ["concatenateInPlace"], all] {
      try expectAgreement(
        model, options: CompileOptions(disabledRewrites: disabled), "\(disabled.sorted())",
        sourceLocation: sourceLocation)
    }
  }

  @Test func wholeBlocksAreViews() throws {
    let x = image(53)
    // The readers need borders of different sizes.
    try expect(
      copies: [],
      part(x, 0..<16) --> Convolution(kernel: (5, 3), channels: 9),
      part(x, 16..<48) --> DepthwiseConvolution(kernel: (3, 3), stride: (2, 2)),
      part(x, 32..<53) --> PointwiseConvolution(channels: 20),
      x --> MaxPooling(kernel: (2, 2)))
    // An output of the model.
    try expect(copies: [], part(image(32), 16..<32))
  }

  @Test func otherPartsAreCopied() throws {
    let x = image(53)
    for channels in [0..<8, 8..<24, 16..<40, 40..<53] {
      try expect(
        copies: ["gatherChannels"], part(x, channels) --> Convolution(kernel: (3, 3), channels: 4))
    }
    let reversed = Slice(starts: [47], ends: [31], axes: [2], steps: [-1])
    try expect(copies: ["gatherChannels"], x --> reversed --> Activation(.tanh))
  }

  @Test func disabledRewriteCopies() throws {
    let output = part(image(32), 16..<32) --> Activation(.tanh)
    let model = Model(input: input, output: output)
    let report = try report(of: model, without: ["viewChannels", "sliceEarlier"])
    #expect(report.kernels.contains("gatherChannels"))
  }

  @Test func partsOfParts() throws {
    let x = image(80)
    let middle = part(x, 16..<64)
    try expect(
      copies: [], part(middle, 16..<48) --> Convolution(kernel: (3, 3), channels: 7),
      middle --> Convolution(kernel: (1, 3), channels: 5))
    // Of a crop, and cropped: whoever has a border is a copy.
    let crop = Crop(top: 1, left: 1, bottom: 0, right: 2)
    try expect(copies: [], part(x --> crop, 16..<48) --> PointwiseConvolution(channels: 7))
    try expect(copies: [], part(x, 16..<48) --> crop --> PointwiseConvolution(channels: 7))
    try expect(
      copies: ["copy"], part(x, 16..<48) --> crop --> Convolution(kernel: (3, 3), channels: 7))
  }

  @Test func elementwiseReadersDoNotOverwriteTheWhole() throws {
    let x = image(48)
    let (first, last) = (part(x, 0..<16), part(x, 32..<48))
    let sum = [first --> Activation(.tanh), last] --> Add()
    try expect(copies: [], sum --> Activation(.sigmoid), x, last --> Activation(.tanh))
  }

  @Test func partsOfConcatenations() throws {
    let both = Concatenate([image(32), input --> Convolution(kernel: (1, 1), channels: 19)])
    try expect(
      copies: [], part(both, 16..<32) --> Convolution(kernel: (3, 3), channels: 5),
      part(both, 32..<51) --> Convolution(kernel: (5, 5), channels: 5))
    // The part of an image in another concatenation is the copy that this one needs.
    let x = image(32)
    try expect(
      copies: ["gatherChannels"], Concatenate([part(x, 16..<32), image(7)]),
      x --> Convolution(kernel: (3, 3), channels: 3))
  }

  @Test func splitsThatAreConcatenatedAgain() throws {
    // As in the C2f module of YOLOv8: both halves, and what follows from the second.
    let x = image(64)
    let (first, second) = (part(x, 0..<32), part(x, 32..<64))
    let third = second --> Convolution(kernel: (3, 3), channels: 32, activation: .swish)
    let fourth = [third --> Convolution(kernel: (3, 3), channels: 32), third] --> Add()
    let all = Concatenate([first, second, third, fourth])
    try expect(copies: [], all --> PointwiseConvolution(channels: 9))
    try expectRewrite("joinChannelSlices", places: 1, inputs: [input], outputs: [all])
    // Other orders are not the image.
    for parts in [[second, first, third], [first, third, second], [first, first, third]] {
      try expectRewrite(
        "joinChannelSlices", places: 0, inputs: [input], outputs: [Concatenate(parts)])
    }
    try expectRewrite(
      "joinChannelSlices", places: 0, inputs: [input], outputs: [Concatenate([first, second])])
  }
}
