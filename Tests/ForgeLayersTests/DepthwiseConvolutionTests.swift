import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct DepthwiseConvolutionTests {
  let input = image(28, 20, 6)

  @Test(
    arguments: [
      // Kernel, stride, dilation, padding, multiplier, input, output.
      ((3, 3), (1, 1), (1, 1), Padding.same, 1, image(28, 20, 6), image(28, 20, 6)),
      // ⌈29/2⌉ = 15, ⌈13/2⌉ = 7; 6·3 = 18 channels.
      ((3, 3), (2, 2), (1, 1), .same, 3, image(29, 13, 6), image(15, 7, 18)),
      // 17 − 5 + 1 = 13, 13 − 3 + 1 = 11.
      ((5, 3), (1, 1), (1, 1), .valid, 1, image(17, 13, 7), image(13, 11, 7)),
      // Dilated to 5×7: ⌊(17 − 5)/2⌋ + 1 = 7, 13 − 7 + 1 = 7.
      ((3, 3), (2, 1), (2, 3), .valid, 2, image(17, 13, 1), image(7, 7, 2)),
      // MobileNet's: ⌊(112 + 0 + 1 − 3)/2⌋ + 1 = 56.
      (
        (3, 3), (2, 2), (1, 1), .explicit(bottom: 1, right: 1), 1, image(112, 112, 64),
        image(56, 56, 64)
      ),
      ((3, 3), (2, 2), (1, 1), .same, 2, image(nil, nil, 3), image(nil, nil, 6)),
      ((3, 3), (2, 2), (1, 1), .valid, 1, image(17, nil, 3), image(8, nil, 3)),
    ] as [((Int, Int), (Int, Int), (Int, Int), Padding, Int, Shape, Shape)])
  func shapes(
    kernel: (Int, Int), stride: (Int, Int), dilation: (Int, Int), padding: Padding,
    multiplier: Int, input: Shape, output: Shape
  ) throws {
    let layer = DepthwiseConvolution(
      kernel: kernel, stride: stride, dilation: dilation, padding: padding,
      multiplier: multiplier)
    #expect(try layer.outputShape(for: [input]) == output)
  }

  @Test func defaults() {
    let layer = DepthwiseConvolution(kernel: (3, 3))
    #expect(layer.geometry.stride == .one)
    #expect(layer.geometry.dilation == .one)
    #expect(layer.geometry.padding == .same)
    #expect(layer.multiplier == 1)
    #expect(layer.activation == .linear)
    #expect(layer.hasBias)
    #expect(layer.name == nil)
  }

  @Test func parameters() throws {
    let specs = try DepthwiseConvolution(kernel: (5, 3), multiplier: 2).parameters(for: [input])
    // 6·2·3·5 = 180; 6·2 = 12 biases.
    #expect(specs.map(\.shapeText) == ["6×2×3×5 [C][M][H][W]", "12 [O]"])
    #expect(specs.map(\.type) == [.weights, .biases])
    #expect(specs.map(\.count) == [180, 12])
    let unbiased = try DepthwiseConvolution(kernel: (3, 3), useBias: false)
      .parameters(for: [input])
    #expect(unbiased.map(\.shapeText) == ["6×1×3×3 [C][M][H][W]"])
  }

  @Test func multiplyAdds() throws {
    let layer = DepthwiseConvolution(kernel: (5, 3), multiplier: 2)
    // 14·10·12 outputs of 5·3 taps: 1680·15 = 25200.
    #expect(try layer.multiplyAdds(for: [image(14, 10, 6)]) == 25200)
    #expect(try layer.multiplyAdds(for: [image(nil, nil, 6)]) == 0)
    // 2³⁶ outputs of 2³⁰ taps.
    let largest = DepthwiseConvolution(kernel: (1 << 15, 1 << 15))
    #expect(try largest.multiplyAdds(for: [image(1 << 18, 1 << 18, 1)]) == .max)
  }

  @Test func lowering() throws {
    let layer = DepthwiseConvolution(
      kernel: (5, 3), stride: (2, 1), dilation: (1, 2), padding: .valid, multiplier: 3,
      activation: .relu)
    let lowered = try Lowered(layer, input)
    #expect(lowered.text == ["depthwiseConvolution x0, weights, biases", "relu v0"])
    guard case .depthwiseConvolution(let geometry, 3) = lowered.nodes[0].primitive else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
    #expect(geometry == layer.geometry)
    let plain = try Lowered(
      DepthwiseConvolution(kernel: (3, 3), useBias: false), image(nil, nil, 4))
    #expect(plain.text == ["depthwiseConvolution x0, weights"])
  }

  @Test(arguments: [0, -1, .min, (1 << 20) + 1, .max])
  func argumentsOutOfRange(number: Int) {
    expectError(
      DepthwiseConvolution(kernel: (number, 3)), [input], .invalidArgument,
      notPositive("kernel", "(\(number), 3)"))
    expectError(
      DepthwiseConvolution(kernel: (3, 3), stride: (1, number)), [input], .invalidArgument,
      notPositive("stride", "(1, \(number))"))
    expectError(
      DepthwiseConvolution(kernel: (3, 3), dilation: (number, 1)), [input], .invalidArgument,
      notPositive("dilation", "(\(number), 1)"))
    expectError(
      DepthwiseConvolution(kernel: (3, 3), multiplier: number), [input], .invalidArgument,
      notPositive("multiplier", "\(number)"))
  }

  @Test func otherErrors() {
    expectError(
      DepthwiseConvolution(kernel: (3, 3), padding: .explicit(right: -1)), [input],
      .invalidArgument, negative("padding", "top 0, left 0, bottom 0, right -1"))
    expectError(
      DepthwiseConvolution(kernel: (3, 3), activation: .leakyReLU(slope: .infinity)), [input],
      .invalidArgument,
      """
      activation is out of range
        received  activation: leakyReLU(slope: inf)
        needs     a finite slope
      """)
    expectError(
      DepthwiseConvolution(kernel: (3, 5), padding: .valid), [image(4, 4, 6)], .emptyOutput,
      """
      the output would be empty
        needs     width of at least 3 and height of at least 5 for a 3×5 kernel with padding .valid
      """)
    let layer = DepthwiseConvolution(kernel: (3, 3))
    expectError(layer, [Shape(sizes: [100])], .shapeMismatch, notAnImage)
    expectError(
      layer, [image(8, 8, nil)], .unknownSize, unknownSize("a known number of channels"))
    expectError(
      layer, [input, input], .wrongInputCount,
      """
      wrong number of inputs
        received  2 tensors
        needs     exactly 1 tensor
      """)
    expectError(
      DepthwiseConvolution(kernel: (1, 1), multiplier: 1 << 20), [image(1 << 10, 1 << 10, 2)],
      .tooLarge,
      """
      the output would be too large
        needs     at most 1099511627776 elements
      """)
  }
}
