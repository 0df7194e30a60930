import ForgeShapes
import ForgeTestSupport
import Testing

@Suite struct ConvolutionGeometryTests {
  private func geometry(
    _ kernel: (Int, Int), stride: (Int, Int) = (1, 1), dilation: (Int, Int) = (1, 1),
    _ padding: Padding = .valid
  ) -> ConvolutionGeometry {
    ConvolutionGeometry(
      kernel: Size(width: kernel.0, height: kernel.1),
      stride: Size(width: stride.0, height: stride.1),
      dilation: Size(width: dilation.0, height: dilation.1), padding: padding)
  }

  @Test func defaults() {
    let geometry = ConvolutionGeometry(kernel: Size(width: 3, height: 5))
    #expect(geometry.stride == .one)
    #expect(geometry.dilation == .one)
    #expect(geometry.padding == .valid)
    let other = geometry.withPadding(.same)
    #expect(other == ConvolutionGeometry(kernel: Size(width: 3, height: 5), padding: .same))
  }

  @Test func extent() {
    #expect(geometry((3, 5)).extent == Size(width: 3, height: 5))
    // 2·(3 − 1) + 1 and 3·(5 − 1) + 1.
    #expect(geometry((3, 5), dilation: (2, 3)).extent == Size(width: 5, height: 13))
    #expect(geometry((1, 1), dilation: (9, 9)).extent == .one)
  }

  @Test func pointwise() {
    #expect(geometry((1, 1)).isPointwise)
    #expect(geometry((1, 1), .same).isPointwise)
    #expect(geometry((1, 1), .edges(.none)).isPointwise)
    #expect(!geometry((1, 1), .explicit(left: 1)).isPointwise)
    #expect(!geometry((1, 2)).isPointwise)
    #expect(!geometry((1, 1), stride: (2, 1), .same).isPointwise)
  }

  /// One axis of `.same` by hand: input, kernel, stride, dilation → pixels before, after, output.
  @Test(
    arguments: [
      (5, 3, 1, 1, 1, 1, 5),
      (5, 2, 1, 1, 0, 1, 5),  // One pixel: at the bottom and right.
      (5, 4, 1, 1, 1, 2, 5),
      (5, 3, 2, 1, 1, 1, 3),
      (6, 3, 2, 1, 0, 1, 3),  // (3 − 1)·2 + 3 − 6 = 1.
      (7, 3, 2, 1, 1, 1, 4),
      (8, 5, 3, 1, 1, 2, 3),  // (3 − 1)·3 + 5 − 8 = 3.
      (7, 2, 3, 1, 0, 1, 3),  // (3 − 1)·3 + 2 − 7 = 1.
      (9, 1, 2, 1, 0, 0, 5),  // (5 − 1)·2 + 1 − 9 = 0.
      (10, 1, 4, 1, 0, 0, 3),  // (3 − 1)·4 + 1 − 10 < 0: no pixel is cut.
      (224, 7, 2, 1, 2, 3, 112),
      (224, 3, 2, 1, 0, 1, 112),
      (13, 3, 1, 2, 2, 2, 13),
      (11, 3, 2, 3, 3, 3, 6),  // The window covers 7: (6 − 1)·2 + 7 − 11 = 6.
      (12, 2, 5, 4, 1, 2, 3),  // The window covers 5: (3 − 1)·5 + 5 − 12 = 3.
      (1, 7, 1, 1, 3, 3, 1),
      (1, 2, 9, 1, 0, 1, 1),
    ] as [(Int, Int, Int, Int, Int, Int, Int)])
  func samePaddingMatchesManualValues(
    input: Int, kernel: Int, stride: Int, dilation: Int, before: Int, after: Int, output: Int
  ) {
    let wide = geometry((kernel, 1), stride: (stride, 1), dilation: (dilation, 1), .same)
    #expect(wide.edges(width: input, height: 1) == Edges(left: before, right: after))
    #expect(wide.output(width: input, height: 1) == Size(width: output, height: 1))
    let high = geometry((1, kernel), stride: (1, stride), dilation: (1, dilation), .same)
    #expect(high.edges(width: 1, height: input) == Edges(top: before, bottom: after))
    #expect(high.output(width: 1, height: input) == Size(width: 1, height: output))
  }

  /// Against the formula in TensorFlow's documentation (tf.nn, "Notes on padding"), which goes by
  /// the remainder of the input instead of the output.
  @Test func samePaddingMatchesTensorFlow() {
    func pad(_ input: Int, _ extent: Int, _ stride: Int) -> Int {
      input % stride == 0 ? max(extent - stride, 0) : max(extent - input % stride, 0)
    }
    for input in 1...17 {
      for kernel in 1...7 {
        for stride in 1...5 {
          for dilation in 1...3 {
            let total = pad(input, (kernel - 1) * dilation + 1, stride)
            let window = geometry(
              (kernel, 3), stride: (stride, 2), dilation: (dilation, 1), .same)
            let edges = window.edges(width: input, height: 9)
            #expect(edges.left == total / 2, "\(window)")
            #expect(edges.right == total - total / 2, "\(window)")
            #expect(edges.top == 1)
            #expect(edges.bottom == 1)
            let output = window.output(width: input, height: 9)
            #expect(output == Size(width: (input + stride - 1) / stride, height: 5))
          }
        }
      }
    }
  }

  /// The formula against counted windows.
  @Test func outputSizeMatchesWindowCount() {
    var random = SplitMix64(seed: 0xF0_46E)
    for _ in 0..<2000 {
      func small(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
      let kernel = small(1...6)
      let stride = small(1...4)
      let dilation = small(1...3)
      let left = small(0...4)
      let right = small(0...4)
      let input = small(1...20)
      var count = 0
      var start = -left
      while start + dilation * (kernel - 1) <= input - 1 + right {
        count += 1
        start += stride
      }
      let window = geometry(
        (kernel, 1), stride: (stride, 1), dilation: (dilation, 1),
        .explicit(left: left, right: right))
      #expect(window.output(width: input, height: 1).width == count, "\(window) of \(input)")
    }
  }

  @Test func shapes() throws {
    let window = geometry((3, 2), stride: (2, 1))
    #expect(try window.outputShape(for: image(7, 5, 3), channels: 4) == image(3, 4, 4))
    #expect(try window.outputShape(for: image(nil, 5, 3), channels: 4) == image(nil, 4, 4))
    #expect(try window.outputShape(for: image(7, nil, nil), channels: 4) == image(3, nil, 4))
    #expect(try window.poolingShape(for: image(7, 5, 3)) == image(3, 4, 3))
    #expect(
      try geometry((3, 3), .explicit(top: 2, left: 2, bottom: 2, right: 2))
        .poolingShape(for: image(1, 1, 3)) == image(3, 3, 3))
  }

  @Test func windowsLargerThanInput() {
    expectError(
      .emptyOutput,
      """
      the output would be empty
        needs     width and height of at least 5 for a 5×5 kernel with padding .valid
      """
    ) { _ = try geometry((5, 5)).outputShape(for: image(9, 4, 3), channels: 1) }
    expectError(
      .kernelLargerThanInput,
      """
      the kernel is larger than the input
        needs     width of at least 4 and height of at least 9 for a 5×3 kernel dilated to 5×9 \
      with padding .explicit(top 0, left 1, bottom 0, right 0)
      """
    ) {
      _ = try geometry((5, 3), dilation: (1, 4), .explicit(left: 1)).poolingShape(
        for: image(nil, 8, 3))
    }
  }

  @Test func poolingWindowsInsidePadding() {
    expectError(
      .invalidArgument,
      """
      padding is out of range
        received  padding: .explicit(top 0, left 0, bottom 3, right 0)
        needs     left and right below 2, top and bottom below 3, so that every window holds a pixel
      """
    ) { _ = try geometry((2, 3), .explicit(bottom: 3)).poolingShape(for: image(9, 9, 3)) }
    expectError(
      .unknownSize,
      """
      the size of the input is not known
        needs     a known number of channels
        remedy    give the Input a width and a height, or put a Resize before this layer
      """
    ) { _ = try geometry((2, 3)).poolingShape(for: image(9, 9, nil)) }
  }

  @Test func nonImageInputs() {
    for rank in [0, 1, 2, 4] {
      expectError(
        .shapeMismatch,
        """
        the input is not an image
          needs     three axes: height, width, channels
          remedy    put a Reshape before this layer
        """
      ) {
        _ = try geometry((1, 1)).outputShape(
          for: Shape(sizes: Array(repeating: 9, count: rank)), channels: 1)
      }
    }
  }

  @Test(arguments: [.min, -1, 0, (1 << 20) + 1, .max] as [Int])
  func argumentsOutOfRange(number: Int) {
    let cases: [(String, ConvolutionGeometry)] = [
      ("kernel", geometry((3, number))),
      ("stride", geometry((3, 3), stride: (3, number))),
      ("dilation", geometry((3, 3), dilation: (3, number))),
    ]
    for (name, window) in cases {
      expectError(
        .invalidArgument,
        """
        \(name) must be \(number < 1 ? "positive" : "at most 1048576")
          received  \(name): (3, \(number))
          needs     numbers from 1 to 1048576
        """
      ) { try window.validate() }
    }
    guard number != 0 else { return }
    expectError(
      .invalidArgument,
      """
      padding must \(number < 0 ? "not be negative" : "be at most 1048576")
        received  padding: top 0, left 0, bottom 0, right \(number)
        needs     numbers from 0 to 1048576
      """
    ) { try geometry((3, 3), .explicit(right: number)).validate() }
  }

  @Test func largestValidArguments() throws {
    let most = ConvolutionGeometry.maximumArgument
    let window = geometry(
      (most, most), stride: (most, most), dilation: (4, 4),
      .explicit(top: most, left: most, bottom: most, right: most))
    try window.validate()
    // 4·(2²⁰ − 1) + 1 pixels.
    #expect(window.extent == Size(width: 4_194_301, height: 4_194_301))
    try geometry((2, 1), dilation: (most, most)).validate()
    expectError(
      .emptyOutput,
      """
      the output would be empty
        needs     width and height of at least 2097149 for a 1048576×1048576 kernel \
      dilated to 4194301×4194301 with padding \
      .explicit(top 1048576, left 1048576, bottom 1048576, right 1048576)
      """
    ) { _ = try window.outputShape(for: image(1 << 40, 1, 1), channels: 1) }
    let same = window.withPadding(.same)
    #expect(try same.outputShape(for: image(1 << 40, 1, 1), channels: 1) == image(1 << 20, 1, 1))
  }

  @Test func excessiveDilation() {
    // 2²² is the most that one may cover.
    for (kernel, dilation, extent) in [
      ((1 << 20, 1), (5, 1), "5242876×1"), ((1, 6), (1, 1 << 20), "1×5242881"),
      ((1 << 20, 1 << 20), (1 << 20, 1 << 20), "1099510579201×1099510579201"),
    ] {
      expectError(
        .invalidArgument,
        """
        the dilated kernel is out of range
          received  the dilated kernel: \(extent)
          needs     at most 4194304 pixels along each axis
        """
      ) { try geometry(kernel, dilation: dilation).validate() }
    }
  }
}
