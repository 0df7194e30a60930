import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

/// Shapes of every kind that layers pass through unchanged.
private let anyShape = [
  image(7, 5, 3), image(nil, nil, 3), image(7, 5, nil), .vector(11), Shape(sizes: [13, 2]),
  Shape(sizes: [2, 3, 5, 7]),
]

@Suite struct ActivationTests {
  @Test(arguments: anyShape)
  func shapes(input: Shape) throws {
    #expect(try Activation(.relu).outputShape(for: [input]) == input)
    #expect(try Activation(.relu).parameters(for: [input]).isEmpty)
    #expect(try Activation(.relu).multiplyAdds(for: [input]) == 0)
  }

  @Test(
    arguments: [
      (.relu, "relu"), (.relu6, "relu6"), (.leakyReLU(slope: 0.25), "leakyReLU(slope: 0.25)"),
      (.hardSwish, "hardSwish"), (.geluTanh, "geluTanh"), (.linear, "identity"),
    ] as [(ActivationFunction, String)])
  func lowering(function: ActivationFunction, name: String) throws {
    #expect(try Lowered(Activation(function), image(nil, 5, 3)).text == ["\(name) x0"])
  }

  @Test(
    arguments: [
      (.leakyReLU(slope: .nan), "leakyReLU(slope: nan)", "a finite slope"),
      (.elu(alpha: .infinity), "elu(alpha: inf)", "a finite alpha"),
      (
        .clipped(minimum: 2, maximum: 1), "clipped(minimum: 2.0, maximum: 1.0)",
        "minimum at most maximum"
      ),
      (
        .clipped(minimum: .nan, maximum: 1), "clipped(minimum: nan, maximum: 1.0)",
        "minimum at most maximum"
      ),
      (
        .hardSigmoidLinear(alpha: 1, beta: .nan), "hardSigmoidLinear(alpha: 1.0, beta: nan)",
        "a finite alpha and beta"
      ),
    ] as [(ActivationFunction, String, String)])
  func functionOutOfRange(function: ActivationFunction, text: String, needs: String) {
    expectError(
      Activation(function), [.vector(3)], .invalidArgument,
      """
      activation is out of range
        received  activation: \(text)
        needs     \(needs)
      """)
  }
}

@Suite struct SoftmaxTests {
  @Test(arguments: anyShape)
  func shapesAndLowering(input: Shape) throws {
    #expect(try Softmax().outputShape(for: [input]) == input)
    #expect(try LogSoftmax().outputShape(for: [input]) == input)
    #expect(try Lowered(Softmax(), input).text == ["softmax x0"])
    #expect(try Lowered(LogSoftmax(), input).text == ["logSoftmax x0"])
  }

  @Test func wrongInputs() {
    let text = """
      wrong number of inputs
        received  2 tensors
        needs     exactly 1 tensor
      """
    expectError(Softmax(), [.vector(3), .vector(3)], .wrongInputCount, text)
    expectError(LogSoftmax(), [.vector(3), .vector(3)], .wrongInputCount, text)
  }
}

@Suite struct DropoutTests {
  @Test(arguments: anyShape)
  func shapesAndLowering(input: Shape) throws {
    #expect(try Dropout(rate: 0.5).outputShape(for: [input]) == input)
    #expect(try Lowered(Dropout(rate: 0.5), input).text == ["identity x0"])
  }

  @Test(arguments: [-0.1, 1.5, .nan, .infinity, -.infinity] as [Float])
  func rateOutOfRange(rate: Float) {
    expectError(
      Dropout(rate: rate), [.vector(3)], .invalidArgument,
      """
      rate is out of range
        received  rate: \(rate)
        needs     a number from 0 to 1
      """)
  }

  @Test(arguments: [0, 1] as [Float])
  func rateAtTheBounds(rate: Float) throws {
    #expect(try Dropout(rate: rate).outputShape(for: [.vector(3)]) == .vector(3))
  }
}

@Suite struct PReLUTests {
  private static let all: Set<Axis> = [.time, .height, .width, .channels]

  @Test(arguments: [
    // One slope per channel unless stated, whatever the position.
    (PReLU(), image(7, 5, 3), "3 [C]"),
    (PReLU(), image(nil, nil, 3), "3 [C]"),
    (PReLU(), Shape(sizes: [13, 2]), "2 [C]"),
    (PReLU(), Shape([nil, 2]), "2 [C]"),
    (PReLU(), Shape(sizes: [11]), "11 [C]"),
    // One per element: 5·7·3.
    (PReLU(shared: []), image(7, 5, 3), "5×7×3 [H][W][C]"),
    (PReLU(shared: []), Shape(sizes: [13, 2]), "13×2 [W][C]"),
    (PReLU(shared: []), Shape(sizes: [11]), "11 [C]"),
    // Some axes shared; the sizes of shared axes may be unknown.
    (PReLU(shared: [.height]), image(7, nil, 3), "1×7×3 [H][W][C]"),
    (PReLU(shared: [.width]), image(nil, 5, 3), "5×1×3 [H][W][C]"),
    (PReLU(shared: [.width, .channels]), image(7, 5, 3), "5×1×1 [H][W][C]"),
    // A single slope.
    (PReLU(shared: all), image(nil, nil, nil), "1 [C]"),
    (PReLU(shared: all), Shape(sizes: [13, 2]), "1 [C]"),
  ])
  func shapesAndParameters(layer: PReLU, input: Shape, text: String) throws {
    #expect(try layer.outputShape(for: [input]) == input)
    let specs = try layer.parameters(for: [input])
    #expect(specs.map(\.shapeText) == [text])
    #expect(specs.map(\.type) == [.slopes])
    #expect(try Lowered(layer, input).text == ["prelu x0, slopes"])
  }

  @Test func invalidArguments() {
    expectError(
      PReLU(), [Shape(sizes: [2, 3, 5, 7])], .shapeMismatch,
      """
      the axes of the input have no names
        needs     1 to 3 axes, not 4
        remedy    put a Reshape before this layer
      """)
    let unknown = unknownSize("known sizes along the axes that do not share slopes")
    expectError(PReLU(), [image(7, 5, nil)], .unknownSize, unknown)
    expectError(PReLU(shared: []), [image(nil, 5, 3)], .unknownSize, unknown)
  }
}
