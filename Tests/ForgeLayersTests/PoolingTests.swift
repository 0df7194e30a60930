import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct PoolingTests {
  let input = image(28, 20, 6)

  @Test(
    arguments: [
      // Kernel, stride, padding, input, output; no stride means the kernel's size.
      ((2, 2), nil, Padding.valid, image(28, 28, 20), image(14, 14, 20)),
      // ⌊(29 − 3)/3⌋ + 1 = 9, ⌊(20 − 2)/2⌋ + 1 = 10.
      ((3, 2), nil, .valid, image(29, 20, 7), image(9, 10, 7)),
      // ⌊(17 − 3)/2⌋ + 1 = 8, ⌊(13 − 3)/1⌋ + 1 = 11.
      ((3, 3), (2, 1), .valid, image(17, 13, 5), image(8, 11, 5)),
      // YOLO's last: size kept.
      ((2, 2), (1, 1), .same, image(13, 13, 512), image(13, 13, 512)),
      // ⌈17/2⌉ = 9, ⌈13/3⌉ = 5.
      ((3, 3), (2, 3), .same, image(17, 13, 5), image(9, 5, 5)),
      // ⌊(7 + 2 + 0 − 3)/2⌋ + 1 = 4, ⌊(5 + 1 + 2 − 3)/2⌋ + 1 = 3.
      (
        (3, 3), (2, 2), .explicit(top: 1, left: 2, bottom: 2, right: 0), image(7, 5, 3),
        image(4, 3, 3)
      ),
      ((35, 35), (1, 1), .valid, image(35, 35, 3), image(1, 1, 3)),
      ((2, 2), nil, .valid, image(nil, nil, 3), image(nil, nil, 3)),
      ((2, 2), nil, .same, image(nil, 5, 3), image(nil, 3, 3)),
    ] as [((Int, Int), (Int, Int)?, Padding, Shape, Shape)])
  func shapes(
    kernel: (Int, Int), stride: (Int, Int)?, padding: Padding, input: Shape, output: Shape
  ) throws {
    let largest = MaxPooling(kernel: kernel, stride: stride, padding: padding)
    #expect(try largest.outputShape(for: [input]) == output)
    let mean = AveragePooling(kernel: kernel, stride: stride, padding: padding)
    #expect(try mean.outputShape(for: [input]) == output)
  }

  @Test func defaults() {
    let geometry = ConvolutionGeometry(
      kernel: Size(width: 5, height: 3), stride: Size(width: 5, height: 3), padding: .valid)
    #expect(MaxPooling(kernel: (5, 3)).geometry == geometry)
    #expect(AveragePooling(kernel: (5, 3)).geometry == geometry)
    #expect(AveragePooling(kernel: (5, 3)).border == .excluded)
  }

  @Test func noParametersAndNoMultiplyAdds() throws {
    #expect(try MaxPooling(kernel: (2, 2)).parameters(for: [input]).isEmpty)
    #expect(try AveragePooling(kernel: (2, 2)).parameters(for: [input]).isEmpty)
    #expect(try MaxPooling(kernel: (2, 2)).multiplyAdds(for: [input]) == 0)
    #expect(try AveragePooling(kernel: (2, 2)).multiplyAdds(for: [input]) == 0)
  }

  @Test func lowering() throws {
    let largest = MaxPooling(kernel: (3, 2), stride: (2, 1), padding: .same)
    try expectPooling(largest, .maximum, largest.geometry)
    let inside = AveragePooling(kernel: (3, 2), stride: (2, 1), padding: .same)
    try expectPooling(inside, .averageInside, inside.geometry)
    let all = AveragePooling(kernel: (3, 2), stride: (2, 1), padding: .same, border: .counted)
    try expectPooling(all, .averageAll, all.geometry)
  }

  private func expectPooling(
    _ layer: some Layer, _ kind: PoolingKind, _ geometry: ConvolutionGeometry
  ) throws {
    for shape in [input, image(nil, nil, 6)] {
      let lowered = try Lowered(layer, shape)
      #expect(lowered.text == ["pooling x0"])
      guard case .pooling(kind, geometry) = lowered.nodes[0].primitive else {
        Issue.record("\(lowered.nodes[0].primitive)")
        return
      }
    }
  }

  @Test(arguments: [0, -1, .min, (1 << 20) + 1, .max])
  func argumentsOutOfRange(number: Int) {
    let kernel = notPositive("kernel", "(\(number), 3)")
    expectError(MaxPooling(kernel: (number, 3)), [input], .invalidArgument, kernel)
    expectError(AveragePooling(kernel: (number, 3)), [input], .invalidArgument, kernel)
    let stride = notPositive("stride", "(1, \(number))")
    expectError(
      MaxPooling(kernel: (3, 3), stride: (1, number)), [input], .invalidArgument, stride)
    expectError(
      AveragePooling(kernel: (3, 3), stride: (1, number)), [input], .invalidArgument, stride)
  }

  @Test func negativePadding() {
    expectError(
      MaxPooling(kernel: (3, 3), padding: .explicit(left: -2)), [input], .invalidArgument,
      negative("padding", "top 0, left -2, bottom 0, right 0"))
  }

  @Test(arguments: [
    Padding.explicit(left: 5), .explicit(right: 5), .explicit(top: 3), .explicit(bottom: 3),
  ])
  func paddingContainingWholeWindow(padding: Padding) {
    let text = """
      padding is out of range
        received  padding: \(padding)
        needs     left and right below 5, top and bottom below 3, so that every window holds a pixel
      """
    expectError(MaxPooling(kernel: (5, 3), padding: padding), [input], .invalidArgument, text)
    expectError(AveragePooling(kernel: (5, 3), padding: padding), [input], .invalidArgument, text)
  }

  @Test func paddingAlmostAsLargeAsTheKernel() throws {
    let padding = Padding.explicit(top: 2, left: 4, bottom: 2, right: 4)
    // 1 + 4 + 4 − 5 + 1 = 5, 1 + 2 + 2 − 3 + 1 = 3.
    #expect(
      try MaxPooling(kernel: (5, 3), stride: (1, 1), padding: padding)
        .outputShape(for: [image(1, 1, 2)]) == image(5, 3, 2))
  }

  @Test func windowLargerThanInput() {
    let text = """
      the kernel is larger than the input
        needs     width and height of at least 3 for a 3×3 kernel with padding .valid
      """
    expectError(MaxPooling(kernel: (3, 3)), [image(2, 9, 4)], .kernelLargerThanInput, text)
    expectError(
      AveragePooling(kernel: (3, 3)), [image(nil, 2, 4)], .kernelLargerThanInput, text)
    expectError(
      MaxPooling(kernel: (3, 3), padding: .explicit(top: 1)), [image(3, 1, 4)],
      .kernelLargerThanInput,
      """
      the kernel is larger than the input
        needs     width of at least 3 and height of at least 2 for a 3×3 kernel with padding \
      .explicit(top 1, left 0, bottom 0, right 0)
      """)
  }

  @Test func wrongInputs() {
    expectError(
      MaxPooling(kernel: (2, 2)), [Shape(sizes: [4, 4])], .shapeMismatch, notAnImage)
    expectError(
      AveragePooling(kernel: (2, 2)), [image(8, 8, nil)], .unknownSize,
      unknownSize("a known number of channels"))
    expectError(
      MaxPooling(kernel: (2, 2)), [input, input, input], .wrongInputCount,
      """
      wrong number of inputs
        received  3 tensors
        needs     exactly 1 tensor
      """)
  }
}

@Suite struct GlobalPoolingTests {
  @Test(arguments: [image(7, 5, 11), image(1, 1, 11), image(nil, nil, 11)])
  func shapes(input: Shape) throws {
    #expect(try GlobalAveragePooling().outputShape(for: [input]) == .vector(11))
    #expect(try GlobalMaxPooling().outputShape(for: [input]) == .vector(11))
  }

  @Test(arguments: [image(7, 5, 11), image(nil, nil, 11)])
  func lowering(input: Shape) throws {
    let mean = try Lowered(GlobalAveragePooling(), input)
    #expect(mean.text == ["globalPooling x0"])
    guard case .globalPooling(.averageInside) = mean.nodes[0].primitive else {
      Issue.record("\(mean.nodes[0].primitive)")
      return
    }
    let largest = try Lowered(GlobalMaxPooling(), input)
    #expect(largest.text == ["globalPooling x0"])
    guard case .globalPooling(.maximum) = largest.nodes[0].primitive else {
      Issue.record("\(largest.nodes[0].primitive)")
      return
    }
  }

  @Test func wrongInputs() {
    expectError(GlobalAveragePooling(), [Shape(sizes: [4, 4])], .shapeMismatch, notAnImage)
    expectError(GlobalMaxPooling(), [Shape(sizes: [4, 4])], .shapeMismatch, notAnImage)
    let unknown = unknownSize("a known number of channels")
    expectError(GlobalAveragePooling(), [image(4, 4, nil)], .unknownSize, unknown)
    expectError(GlobalMaxPooling(), [image(4, 4, nil)], .unknownSize, unknown)
  }
}
