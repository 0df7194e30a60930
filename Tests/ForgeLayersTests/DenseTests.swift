import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct DenseTests {
  @Test(arguments: [
    image(7, 5, 50), .vector(320), Shape(sizes: [13]), Shape(sizes: [11, 3]),
    Shape(sizes: [2, 3, 5, 7]),
  ])
  func shapes(input: Shape) throws {
    #expect(try Dense(neurons: 10).outputShape(for: [input]) == .vector(10))
  }

  @Test func defaults() {
    let layer = Dense(neurons: 1)
    #expect(layer.activation == .linear)
    #expect(layer.hasBias)
    #expect(layer.name == nil)
  }

  @Test(
    arguments: [
      // The image's own axes: 10·5·7·50 = 17500.
      (image(7, 5, 50), "10×5×7×50 [O][H][W][I]", 17500),
      (.vector(320), "10×1×1×320 [O][H][W][I]", 3200),
      // Anything else: height and width 1, 11·3 = 33 inputs.
      (Shape(sizes: [11, 3]), "10×1×1×33 [O][H][W][I]", 330),
      (Shape(sizes: [2, 3, 5, 7]), "10×1×1×210 [O][H][W][I]", 2100),
    ] as [(Shape, String, Int)])
  func parameters(input: Shape, text: String, count: Int) throws {
    let specs = try Dense(neurons: 10).parameters(for: [input])
    #expect(specs.map(\.shapeText) == [text, "10 [O]"])
    #expect(specs.map(\.type) == [.weights, .biases])
    #expect(specs.map(\.count) == [count, 10])
    let unbiased = try Dense(neurons: 10, useBias: false).parameters(for: [input])
    #expect(unbiased.map(\.shapeText) == [text])
  }

  @Test func multiplyAdds() throws {
    let layer = Dense(neurons: 10)
    // 10 neurons of 7·5·50 = 1750 inputs.
    #expect(try layer.multiplyAdds(for: [image(7, 5, 50)]) == 17500)
    #expect(throws: ShapeError.self) { try layer.multiplyAdds(for: [image(nil, 5, 50)]) }
  }

  @Test func lowering() throws {
    let lowered = try Lowered(Dense(neurons: 10, activation: .tanh), image(7, 5, 3))
    #expect(lowered.text == ["dense x0, weights, biases", "tanh v0"])
    guard case .dense(10) = lowered.nodes[0].primitive else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
    let plain = try Lowered(Dense(neurons: 10, useBias: false), Shape(sizes: [4, 3]))
    #expect(plain.text == ["dense x0, weights"])
  }

  @Test(arguments: [0, -1, .min, (1 << 20) + 1, .max])
  func neuronsOutOfRange(number: Int) {
    expectError(
      Dense(neurons: number), [.vector(3)], .invalidArgument, notPositive("neurons", "\(number)"))
  }

  @Test func otherErrors() {
    expectError(
      Dense(neurons: 1, activation: .hardSigmoidLinear(alpha: .nan, beta: 0)), [.vector(3)],
      .invalidArgument,
      """
      activation is out of range
        received  activation: hardSigmoidLinear(alpha: nan, beta: 0.0)
        needs     a finite alpha and beta
      """)
    expectError(
      Dense(neurons: 1), [image(nil, nil, 3)], .unknownSize,
      unknownSize("a known number of elements to flatten"))
    expectError(
      Dense(neurons: 1), [.vector(3), .vector(3)], .wrongInputCount,
      """
      wrong number of inputs
        received  2 tensors
        needs     exactly 1 tensor
      """)
    let error = #expect(throws: ShapeError.self) {
      try Dense(neurons: 1 << 20).parameters(for: [image(1 << 10, 1 << 10, 2)])
    }
    #expect(error?.kind == .tooLarge)
    #expect(
      error?.description == """
        the weights would be too large
          received  1048576×1024×1024×2 [O][H][W][I]
          needs     at most 1099511627776 values
        """)
  }
}
