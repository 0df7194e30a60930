import Forge
import Testing

/// Activations that exporters write as arithmetic.
@Suite struct RecognizeActivationsTests {
  private let name = "recognizeActivations"
  private let input = Input(width: 7, height: 5, channels: 6)
  private var x: Tensor { input --> PointwiseConvolution(channels: 11) }

  /// Expects the function of one convolution's output to become that convolution's activation.
  private func expectFused(
    _ function: (Tensor) -> Tensor, places: Int = 1,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectRewrite(
      name, places: places, leaving: ["convolution"], inputs: [input], outputs: [function(x)],
      sourceLocation: sourceLocation)
  }

  /// Expects the arithmetic to stay.
  private func expectLeft(
    _ function: (Tensor) -> Tensor, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectRewrite(
      name, places: 0, inputs: [input], outputs: [function(x)], sourceLocation: sourceLocation)
  }

  @Test func swish() throws {
    try expectFused { $0 * ($0 --> Activation(.sigmoid)) }
    try expectFused { ($0 --> Activation(.sigmoid)) * $0 }
    // Another argument, another factor and another shift make other functions.
    try expectLeft { $0 * (1.5 * $0 --> Activation(.sigmoid)) }
    try expectLeft { $0 * (0.5 * ($0 --> Activation(.sigmoid))) }
    try expectLeft { $0 * (($0 --> Activation(.sigmoid)) + 0.5) }
    let other = input --> PointwiseConvolution(channels: 11)
    try expectLeft { $0 * (other --> Activation(.sigmoid)) }
  }

  @Test func mish() throws {
    try expectFused { $0 * ($0 --> Activation(.softplus) --> Activation(.tanh)) }
    try expectLeft { $0 * (2 * ($0 --> Activation(.softplus)) --> Activation(.tanh)) }
  }

  @Test func hardSigmoid() throws {
    try expectFused { ($0 + 3 --> Activation(.relu6)) / 6 }
    try expectFused { ($0 + 3 --> Activation(.relu6)) * (1 / 6) }
    try expectFused { (0.4 * $0 + 1 --> Activation(.clipped(minimum: 0, maximum: 2))) * 0.5 }
    // The range of the clip is not that of the scale.
    try expectLeft { ($0 + 3 --> Activation(.relu6)) / 5 }
    try expectLeft { ($0 + 3 --> Activation(.relu6)) / -6 }
  }

  @Test func hardSwish() throws {
    try expectFused { $0 * ($0 + 3 --> Activation(.relu6)) / 6 }
    try expectFused { $0 * (($0 + 3 --> Activation(.relu6)) * (1 / 6)) }
    try expectFused { ($0 / 6) * ($0 + 3 --> Activation(.relu6)) }
    try expectFused { $0 * ($0 --> Activation(.hardSigmoid)) }
    try expectFused {
      $0 * ($0 --> Activation(.hardSigmoidLinear(alpha: 1 / 6, beta: 0.5)))
    }
    try expectLeft { $0 * ($0 --> Activation(.hardSigmoidLinear(alpha: 0.2, beta: 0.5))) }
  }

  @Test func gelu() throws {
    let root = Float(0.5).squareRoot()
    try expectFused { 0.5 * $0 * (($0 * root --> Unary(.errorFunction)) + 1) }
    try expectFused { $0 * (($0 / Float(2).squareRoot() --> Unary(.errorFunction)) + 1) * 0.5 }
    try expectFused { $0 * (0.5 * ($0 * root --> Unary(.errorFunction)) + 0.5) }
    try expectLeft { 0.5 * $0 * (($0 --> Unary(.errorFunction)) + 1) }
    try expectLeft { $0 * (($0 * root --> Unary(.errorFunction)) + 1) }
  }

  @Test func geluTanh() throws {
    let slope = (2 / Float.pi).squareRoot()
    try expectFused { x in
      0.5 * x * ((slope * (x + 0.044715 * (x * x * x)) --> Activation(.tanh)) + 1)
    }
    try expectFused { x in
      0.5 * x * ((slope * (x + 0.044715 * (x --> Power(of: [3]))) --> Activation(.tanh)) + 1)
    }
    try expectLeft { x in
      0.5 * x * ((slope * (x + 0.044715 * (x * x)) --> Activation(.tanh)) + 1)
    }
    try expectLeft { x in
      0.5 * x * ((slope * (x + 0.05 * (x * x * x)) --> Activation(.tanh)) + 1)
    }
  }

  @Test func broadcastGatesAreLeft() throws {
    // The gate of a squeeze and excite block has one number per channel.
    let x = x
    let gate = x --> GlobalAveragePooling() --> Activation(.sigmoid)
    try expectRewrite(name, places: 0, inputs: [input], outputs: [x * gate])
  }

  @Test func partsWithOtherReadersStay() throws {
    let x = x
    let gate = x --> Activation(.sigmoid)
    try expectRewrite(name, places: 1, inputs: [input], outputs: [x * gate, gate])
  }
}
