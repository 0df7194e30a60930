import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct TransposedConvolutionTests {
  @Test(
    arguments: [
      // Kernel, stride, dilation, padding, output padding; input; output.
      // Explicit: stride·(n − 1) + dilation·(kernel − 1) + 1 + extra − padding.
      ((2, 2), (2, 2), (1, 1), .all(0), (0, 0), image(7, 5, 3), image(14, 10, 4)),
      ((3, 4), (2, 2), (1, 1), .all(1), (0, 0), image(7, 5, 3), image(13, 10, 4)),
      ((3, 4), (2, 2), (1, 1), .all(1), (1, 0), image(7, 5, 3), image(14, 10, 4)),
      ((3, 3), (1, 3), (4, 2), .all(0), (0, 0), image(7, 5, 3), image(15, 17, 4)),
      // Keras: stride·n when same, stride·n + max(kernel − stride, 0) when valid.
      ((5, 2), (2, 3), (1, 1), .same, (0, 0), image(7, 5, 3), image(14, 15, 4)),
      ((5, 2), (2, 3), (1, 1), .valid, (0, 0), image(7, 5, 3), image(17, 15, 4)),
      ((2, 2), (2, 2), (1, 1), .same, (0, 0), image(nil, 5, 3), image(nil, 10, 4)),
      ((3, 3), (2, 2), (1, 1), .all(1), (0, 0), image(nil, nil, 3), image(nil, nil, 4)),
    ]
      as [(
        (Int, Int), (Int, Int), (Int, Int), Padding, (Int, Int), Shape, Shape
      )])
  func shapes(
    kernel: (Int, Int), stride: (Int, Int), dilation: (Int, Int), padding: Padding,
    extra: (Int, Int), input: Shape, output: Shape
  ) throws {
    let layer = TransposedConvolution(
      kernel: kernel, channels: 4, stride: stride, dilation: dilation, padding: padding,
      outputPadding: extra)
    // A pixel of unknown columns stays unknown after the interleaving.
    #expect(try layer.outputShape(for: [input]) == output)
  }

  @Test func parameters() throws {
    let layer = TransposedConvolution(kernel: (3, 5), channels: 4, name: "up")
    let specs = try layer.parameters(for: [image(7, 5, 6)])
    #expect(specs.map(\.type) == [.weights, .biases])
    #expect(specs[0].axes == [.outputs, .height, .width, .inputs])
    #expect(specs[0].sizes == [4, 5, 3, 6])
    #expect(specs[0].kerasAxes == [.height, .width, .outputs, .inputs])
    #expect(specs[0].pytorchAxes == [.inputs, .outputs, .height, .width])
    #expect(specs[1].sizes == [4])
    let grouped = TransposedConvolution(
      kernel: (3, 5), channels: 4, groups: 2, useBias: false, name: "up")
    let weights = try #require(try grouped.parameters(for: [image(7, 5, 6)]).first)
    #expect(weights.sizes == [2, 2, 5, 3, 3])
    // PyTorch's [inputs][outputs / groups][height][width].
    #expect(weights.fits([6, 2, 5, 3], in: .pytorch))
  }

  /// As many as taps times pixels of the input, whatever the stride.
  @Test(arguments: [(2, 2), (4, 2), (3, 3), (6, 3), (1, 1), (5, 1)])
  func multiplyAdds(kernel: Int, stride: Int) throws {
    let layer = TransposedConvolution(
      kernel: (kernel, kernel), channels: 4, stride: (stride, stride), padding: .all(0))
    let count = try layer.multiplyAdds(for: [image(50, 40, 6)])
    let least = kernel * kernel * 50 * 40 * 6 * 4
    // Pixels at the edges are computed from zeros.
    #expect(count >= least)
    #expect(Double(count) <= 1.3 * Double(least))
    if kernel == stride { #expect(count == least) }
  }

  @Test func lowering() throws {
    let equal = TransposedConvolution(kernel: (2, 2), channels: 4, stride: (2, 2))
    #expect(
      try Lowered(equal, image(7, 5, 3)).nodes.map(\.primitive.name)
        == ["convolution", "depthToSpace"])
    let wide = TransposedConvolution(kernel: (4, 4), channels: 4, stride: (2, 2))
    #expect(
      try Lowered(wide, image(7, 5, 3)).nodes.map(\.primitive.name)
        == Array(repeating: "convolution", count: 4) + ["interleavePixels"])
  }

  @Test func errors() {
    let input = image(7, 5, 3)
    expectError(
      TransposedConvolution(kernel: (0, 3), channels: 4), [input], .invalidArgument,
      notPositive("kernel", "(0, 3)"))
    expectError(
      TransposedConvolution(kernel: (3, 3), channels: 0), [input], .invalidArgument,
      notPositive("channels", "0"))
    expectError(
      TransposedConvolution(kernel: (3, 3), channels: 4, groups: 2), [input],
      .channelsNotDivisible,
      """
      the input channels cannot be divided into 2 groups
        needs     a number of input channels divisible by 2, not 3
      """)
    expectError(
      TransposedConvolution(kernel: (3, 3), channels: 4, outputPadding: (1, 0)), [input],
      .invalidArgument,
      """
      outputPadding is out of range
        received  outputPadding: (1, 0)
        needs     (0, 0) with padding .same
      """)
    expectError(
      TransposedConvolution(kernel: (3, 3), channels: 4, padding: .all(9)), [input],
      .emptyOutput,
      """
      the output would be empty
        needs     less padding than the kernels reach
      """)
    expectError(
      TransposedConvolution(kernel: (3, 3), channels: 4, stride: (64, 64)), [input],
      .invalidArgument,
      """
      stride is out of range
        received  stride: 64×64
        needs     at most 1024 pixels in a block of width × height
      """)
    expectError(
      TransposedConvolution(kernel: (3, 3), channels: 4), [Shape(sizes: [7, 3])],
      .shapeMismatch, notAnImage)
  }
}
