import Forge
import Testing

/// Results written over an input that is no longer needed.
@Suite struct ReuseInPlaceTests {
  private let input = Input(width: 7, height: 5, channels: 20)
  /// 20 channels are two blocks.
  private let image = 7 * 5 * 32 * 4

  /// The bytes of all tensors with and without the rewrite; the results are compared on the way.
  private func bytes(
    _ outputs: Tensor..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [Int] {
    let model = Model(inputs: [input], outputs: outputs)
    return try [[], ["reuseInPlace"] as Set].map { disabled in
      try expectAgreement(
        model, options: CompileOptions(disabledRewrites: disabled), sourceLocation: sourceLocation)
      return try report(of: model, without: disabled).unsharedBytes
    }
  }

  @Test func reuseByEveryElementwiseOperation() throws {
    // The blocked input, and without the rewrite the result too.
    #expect(try bytes(input --> Softmax()) == [image, 2 * image])
    #expect(try bytes(input --> LogSoftmax()) == [image, 2 * image])
    #expect(try bytes(input --> Activation(.tanh)) == [image, 2 * image])
    #expect(try bytes(input --> BatchNormalization()) == [image, 2 * image])
    // And the operand, one pixel of one or two blocks.
    #expect(try bytes(input --> Multiply(constant: [2])) == [image + 64, 2 * image + 64])
    #expect(try bytes(input --> PReLU()) == [image + 128, 2 * image + 128])
  }

  @Test func reuseByConsecutiveOperations() throws {
    #expect(
      try bytes(input --> Softmax() --> LogSoftmax() --> Activation(.tanh))
        == [image, 4 * image])
  }

  /// A concatenation is overwritten only when its parts have no more consumers.
  @Test func reuseOfConcatenations() throws {
    let a = input --> PointwiseConvolution(channels: 16)
    let b = input --> PointwiseConvolution(channels: 16)
    let joined = Concatenate([a, b])
    #expect(try bytes(joined --> Softmax()) == [2 * image, 3 * image])
    #expect(try bytes(joined --> Softmax(), b) == [3 * image, 3 * image])
  }

  @Test func reuseOfEitherOperand() throws {
    let a = input --> Softmax()
    let b = input --> LogSoftmax()
    // The input, a, b, and their sum in the place of one of them.
    #expect(try bytes([a, b] --> Maximum()) == [2 * image, 4 * image])
  }

  @Test func reuseSkipsLiveInputs() throws {
    let a = input --> Softmax()
    let b = a --> Activation(.tanh)
    // a lies over the blocked input; neither b nor the product may lie over a.
    #expect(try bytes([b, a] --> Multiply(), a, b) == [3 * image, 4 * image])
  }
}
