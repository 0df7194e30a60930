import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct ConvolutionTests {
  let rgb = image(28, 20, 3)

  @Test(
    arguments: [
      // Kernel, stride, dilation, padding, input, output.
      ((3, 3), (1, 1), (1, 1), Padding.same, image(28, 28, 3), image(28, 28, 8)),
      // ⌈29/2⌉ = 15, ⌈20/3⌉ = 7.
      ((3, 3), (2, 3), (1, 1), .same, image(29, 20, 3), image(15, 7, 8)),
      // 17 − 5 + 1 = 13, 13 − 3 + 1 = 11.
      ((5, 3), (1, 1), (1, 1), .valid, image(17, 13, 3), image(13, 11, 8)),
      // ⌊(17 − 3)/2⌋ + 1 = 8, ⌊(13 − 3)/2⌋ + 1 = 6.
      ((3, 3), (2, 2), (1, 1), .valid, image(17, 13, 3), image(8, 6, 8)),
      // Dilated to 5×7: 17 − 5 + 1 = 13, 13 − 7 + 1 = 7.
      ((3, 3), (1, 1), (2, 3), .valid, image(17, 13, 3), image(13, 7, 8)),
      // ⌊(7 + 2 + 0 − 3)/2⌋ + 1 = 4, ⌊(5 + 1 + 3 − 3)/2⌋ + 1 = 4.
      (
        (3, 3), (2, 2), (1, 1), .explicit(top: 1, left: 2, bottom: 3, right: 0), image(7, 5, 3),
        image(4, 4, 8)
      ),
      // Padding may make room for the kernel: 1 + 2 + 2 − 5 + 1 = 1.
      (
        (5, 5), (1, 1), (1, 1), .explicit(top: 2, left: 2, bottom: 2, right: 2), image(1, 1, 3),
        image(1, 1, 8)
      ),
      ((7, 1), (1, 1), (1, 1), .same, image(1, 1, 3), image(1, 1, 8)),
      ((3, 3), (2, 2), (1, 1), .same, image(nil, nil, 3), image(nil, nil, 8)),
      ((3, 3), (2, 2), (1, 1), .valid, image(nil, 13, 3), image(nil, 6, 8)),
    ] as [((Int, Int), (Int, Int), (Int, Int), Padding, Shape, Shape)])
  func shapes(
    kernel: (Int, Int), stride: (Int, Int), dilation: (Int, Int), padding: Padding, input: Shape,
    output: Shape
  ) throws {
    let layer = Convolution(
      kernel: kernel, channels: 8, stride: stride, dilation: dilation, padding: padding)
    #expect(try layer.outputShape(for: [input]) == output)
  }

  @Test func defaults() {
    let layer = Convolution(kernel: (3, 3), channels: 4)
    #expect(layer.geometry.stride == .one)
    #expect(layer.geometry.dilation == .one)
    #expect(layer.geometry.padding == .same)
    #expect(layer.groups == 1)
    #expect(layer.activation == .linear)
    #expect(layer.hasBias)
    #expect(layer.name == nil)
  }

  @Test func parameters() throws {
    let specs = try Convolution(kernel: (5, 3), channels: 20).parameters(for: [rgb])
    // 20·3·5·3 = 900.
    #expect(specs.map(\.shapeText) == ["20×3×5×3 [O][H][W][I]", "20 [O]"])
    #expect(specs.map(\.type) == [.weights, .biases])
    #expect(specs.map(\.count) == [900, 20])
  }

  @Test func groupsDivideTheWeights() throws {
    let specs = try Convolution(kernel: (3, 3), channels: 8, groups: 4, useBias: false)
      .parameters(for: [image(9, 9, 12)])
    // 12/4 = 3 inputs each.
    #expect(specs.map(\.shapeText) == ["8×3×3×3 [O][H][W][I]"])
  }

  @Test func multiplyAdds() throws {
    // 14·10·8 outputs of 5·3·3 taps: 1120·45 = 50400.
    #expect(
      try Convolution(kernel: (5, 3), channels: 8).multiplyAdds(for: [image(14, 10, 3)])
        == 50400)
    // In 4 groups of 12/4 = 3 inputs with 3·3 taps: 1120·27 = 30240.
    #expect(
      try Convolution(kernel: (3, 3), channels: 8, groups: 4)
        .multiplyAdds(for: [image(14, 10, 12)]) == 30240)
    #expect(
      try Convolution(kernel: (3, 3), channels: 8)
        .multiplyAdds(for: [image(nil, nil, 3)]) == 0)
  }

  @Test func multiplyAddsSaturate() throws {
    // 2³⁹ outputs of 2³⁰ taps.
    let layer = Convolution(kernel: (1 << 15, 1 << 15), channels: 8)
    #expect(try layer.multiplyAdds(for: [image(1 << 18, 1 << 18, 1)]) == .max)
  }

  @Test func lowering() throws {
    let layer = Convolution(
      kernel: (5, 3), channels: 8, stride: (2, 1), dilation: (1, 2), padding: .valid, groups: 2,
      activation: .leakyReLU(slope: 0.1))
    let lowered = try Lowered(layer, image(28, 20, 4))
    #expect(
      lowered.text == ["convolution x0, weights, biases", "leakyReLU(slope: 0.1) v0"])
    guard case .convolution(let geometry, 8, 2) = lowered.nodes[0].primitive else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
    #expect(geometry == layer.geometry)
  }

  @Test func loweringWithoutBiasAndActivation() throws {
    let lowered = try Lowered(
      Convolution(kernel: (3, 3), channels: 8, useBias: false), image(nil, nil, 4))
    #expect(lowered.text == ["convolution x0, weights"])
  }

  @Test(arguments: [0, -1, .min, (1 << 20) + 1, .max])
  func argumentsOutOfRange(number: Int) {
    expectError(
      Convolution(kernel: (number, 3), channels: 1), [rgb], .invalidArgument,
      notPositive("kernel", "(\(number), 3)"))
    expectError(
      Convolution(kernel: (3, number), channels: 1), [rgb], .invalidArgument,
      notPositive("kernel", "(3, \(number))"))
    expectError(
      Convolution(kernel: (3, 3), channels: number), [rgb], .invalidArgument,
      notPositive("channels", "\(number)"))
    expectError(
      Convolution(kernel: (3, 3), channels: 1, stride: (1, number)), [rgb], .invalidArgument,
      notPositive("stride", "(1, \(number))"))
    expectError(
      Convolution(kernel: (3, 3), channels: 1, dilation: (number, 1)), [rgb], .invalidArgument,
      notPositive("dilation", "(\(number), 1)"))
    expectError(
      Convolution(kernel: (3, 3), channels: 1, groups: number), [rgb], .invalidArgument,
      notPositive("groups", "\(number)"))
  }

  @Test(arguments: [-1, .min, (1 << 20) + 1, .max])
  func paddingOutOfRange(number: Int) {
    expectError(
      Convolution(kernel: (3, 3), channels: 1, padding: .explicit(bottom: number)), [rgb],
      .invalidArgument, negative("padding", "top 0, left 0, bottom \(number), right 0"))
  }

  @Test func activationOutOfRange() {
    expectError(
      Convolution(kernel: (3, 3), channels: 1, activation: .elu(alpha: .nan)), [rgb],
      .invalidArgument,
      """
      activation is out of range
        received  activation: elu(alpha: nan)
        needs     a finite alpha
      """)
  }

  @Test func indivisibleGroups() {
    expectError(
      Convolution(kernel: (3, 3), channels: 4, groups: 2), [rgb], .channelsNotDivisible,
      """
      the input channels cannot be divided into 2 groups
        needs     a number of input channels divisible by 2, not 3
      """)
    expectError(
      Convolution(kernel: (3, 3), channels: 4, groups: 3), [rgb], .channelsNotDivisible,
      """
      the output channels cannot be divided into 3 groups
        needs     a number of output channels divisible by 3, not 4
      """)
  }

  @Test func windowLargerThanInput() {
    expectError(
      Convolution(kernel: (5, 5), channels: 1, padding: .valid), [image(2, 2, 20)], .emptyOutput,
      """
      the output would be empty
        needs     width and height of at least 5 for a 5×5 kernel with padding .valid
      """)
    expectError(
      Convolution(kernel: (5, 3), channels: 1, dilation: (2, 1), padding: .explicit(left: 1)),
      [image(nil, 2, 20)], .emptyOutput,
      """
      the output would be empty
        needs     width of at least 8 and height of at least 3 for a 5×3 kernel dilated to 9×3 \
      with padding .explicit(top 0, left 1, bottom 0, right 0)
      """)
  }

  @Test func wrongInputs() {
    let layer = Convolution(kernel: (3, 3), channels: 1)
    expectError(layer, [Shape(sizes: [10, 3])], .shapeMismatch, notAnImage)
    expectError(
      layer, [image(8, 8, nil)], .unknownSize, unknownSize("a known number of channels"))
    expectError(
      layer, [rgb, rgb], .wrongInputCount,
      """
      wrong number of inputs
        received  2 tensors
        needs     exactly 1 tensor
      """)
    expectError(
      layer, [], .wrongInputCount,
      """
      wrong number of inputs
        received  0 tensors
        needs     exactly 1 tensor
      """)
  }

  @Test func tooLarge() {
    expectError(
      Convolution(kernel: (1, 1), channels: 1 << 20), [image(1 << 11, 1 << 11, 1)], .tooLarge,
      """
      the output would be too large
        needs     at most 1099511627776 elements
      """)
    let error = #expect(throws: ShapeError.self) {
      try Convolution(kernel: (1024, 2048), channels: 1 << 20).parameters(for: [rgb])
    }
    #expect(
      error?.description == """
        the weights would be too large
          received  1048576×2048×1024×3 [O][H][W][I]
          needs     at most 1099511627776 values
        """)
  }
}
