import Forge
import Testing

/// Concatenated parts written directly into the result, and parts that are copied.
@Suite struct ConcatenateInPlaceTests {
  private let input = Input(width: 7, height: 5, channels: 16)

  private func branch(_ channels: Int, kernel: Int = 3) -> Tensor {
    input --> Convolution(kernel: (kernel, kernel), channels: channels)
  }

  /// Expects so many copies, and right values with and without the rewrite.
  private func expect(
    copies: [String], _ outputs: Tensor..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let model = Model(inputs: [input], outputs: outputs)
    let moved = ["copy", "copyChannels", "fill"]
    let with = try report(of: model).kernels.filter(moved.contains)
    #expect(with == copies, sourceLocation: sourceLocation)
    for disabled in [[], ["concatenateInPlace"], Set(Rewrites.names)] {
      try expectAgreement(
        model, options: CompileOptions(disabledRewrites: disabled), "\(disabled.sorted())",
        sourceLocation: sourceLocation)
    }
  }

  @Test func wholeChannelBlocksAreInPlace() throws {
    try expect(copies: [], Concatenate([branch(16), branch(32), branch(48)]))
    // The last part may end anywhere.
    try expect(copies: [], Concatenate([branch(16), branch(32), branch(5)]))
    try expect(copies: [], Concatenate([branch(64, kernel: 1), branch(1)]))
  }

  @Test func disabledRewriteCopies() throws {
    let model = Model(input: input, output: Concatenate([branch(16), branch(32)]))
    let report = try report(of: model, without: ["concatenateInPlace"])
    #expect(report.arithmetic == ["convolution", "convolution", "copy", "copy"])
  }

  @Test func nestedConcatenations() throws {
    let inner = Concatenate([branch(16), branch(32)])
    try expect(copies: [], Concatenate([branch(16), inner, branch(3)]))
    let deeper = Concatenate([Concatenate([inner, branch(16)]), branch(16)])
    try expect(copies: [], deeper --> Convolution(kernel: (3, 3), channels: 5))
  }

  @Test func sharedPartsAreInPlace() throws {
    let (a, b) = (branch(16), branch(16))
    let inner = Concatenate([a, b])
    let more = inner --> Convolution(kernel: (5, 5), channels: 16)
    let outer = Concatenate([inner, more])
    let last = outer --> Convolution(kernel: (1, 1), channels: 16)
    // A dense block: everything is read again, with borders of its own.
    try expect(
      copies: [], last, inner, [a, last] --> Multiply(),
      b --> MaxPooling(kernel: (3, 3), padding: .same))
  }

  @Test func nonConvolutionParts() throws {
    let pooled = input --> MaxPooling(kernel: (3, 3), stride: (1, 1), padding: .same)
    let function = input --> Activation(.tanh)
    let sum = [input, pooled] --> Add()
    try expect(copies: [], Concatenate([pooled, function, sum, input --> Softmax()]))
  }

  @Test func inputsAreCopied() throws {
    try expect(copies: ["copy"], Concatenate([input, branch(16)]))
  }

  @Test func repeatedPartIsCopied() throws {
    let part = branch(16)
    try expect(copies: ["copy"], Concatenate([part, part]))
    try expect(
      copies: ["copy", "copy"], Concatenate([part, branch(16)]), Concatenate([part, part]))
  }

  @Test func partialChannelBlocks() throws {
    try expect(
      copies: ["fill", "copyChannels", "copyChannels"], Concatenate([branch(5), branch(16)]))
    try expect(
      copies: ["fill", "copyChannels", "copyChannels", "copyChannels"],
      Concatenate([branch(17), branch(1), branch(30)]))
    // The inner one fits, the outer one does not.
    let inner = Concatenate([branch(16), branch(20)])
    try expect(
      copies: ["fill", "copyChannels", "copyChannels"], Concatenate([inner, branch(16)]))
  }

  @Test func concatenationAlongRowsAndColumns() throws {
    try expect(copies: ["copy", "copy"], Concatenate([branch(5), branch(5, kernel: 1)], axis: 0))
    try expect(copies: ["copy", "copy"], Concatenate([branch(20), branch(20)], axis: 1))
    // The part is cut below its zeros.
    try expect(
      copies: ["copy", "copy"],
      Concatenate([branch(20), branch(20)], axis: 0) --> Convolution(kernel: (3, 3), channels: 2))
  }
}
