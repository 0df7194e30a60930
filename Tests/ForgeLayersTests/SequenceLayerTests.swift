import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

/// The layers of sequences [time][channels].
@Suite struct SequenceLayerTests {
  let input = Shape(sizes: [23, 6])

  @Test(
    arguments: [
      (3, 1, 1, Padding1D.same, 23), (4, 3, 2, .same, 8), (4, 1, 2, .valid, 17),
      (4, 2, 2, .causal, 12), (3, 2, 1, .explicit(before: 2, after: 1), 12),
    ])
  func lengths(kernel: Int, stride: Int, dilation: Int, padding: Padding1D, output: Int) throws {
    let convolution = Convolution1D(
      kernel: kernel, channels: 5, stride: stride, dilation: dilation, padding: padding)
    #expect(try convolution.outputShape(for: [input]) == Shape(sizes: [output, 5]))
    let depthwise = DepthwiseConvolution1D(
      kernel: kernel, stride: stride, dilation: dilation, padding: padding, multiplier: 2)
    #expect(try depthwise.outputShape(for: [input]) == Shape(sizes: [output, 12]))
    let separable = SeparableConvolution1D(
      kernel: kernel, channels: 5, stride: stride, dilation: dilation, padding: padding)
    #expect(try separable.outputShape(for: [input]) == Shape(sizes: [output, 5]))
  }

  @Test func poolings() throws {
    #expect(try MaxPooling1D(kernel: 2).outputShape(for: [input]) == Shape(sizes: [11, 6]))
    let up = AveragePooling1D(kernel: 2, rounding: .ceiling)
    #expect(try up.outputShape(for: [input]) == Shape(sizes: [12, 6]))
    #expect(try GlobalMaxPooling1D().outputShape(for: [input]) == .vector(6))
    #expect(try GlobalAveragePooling1D().outputShape(for: [input]) == .vector(6))
    let transposed = TransposedConvolution1D(kernel: 4, channels: 5, stride: 2)
    #expect(try transposed.outputShape(for: [input]) == Shape(sizes: [46, 5]))
  }

  @Test func parameters() throws {
    let convolution = try Convolution1D(kernel: 3, channels: 4, groups: 2)
      .parameters(for: [input])
    #expect(convolution[0].sizes == [4, 3, 3])
    #expect(convolution[0].kerasAxes == [.width, .inputs, .outputs])
    #expect(convolution[0].pytorchAxes == [.outputs, .inputs, .width])
    let depthwise = try DepthwiseConvolution1D(kernel: 3, multiplier: 2)
      .parameters(for: [input])
    #expect(depthwise[0].sizes == [6, 2, 3])
    #expect(depthwise[0].kerasAxes == [.width, .channels, .multiplier])
    // PyTorch's Conv1d with as many groups as channels.
    #expect(depthwise[0].fits([12, 1, 3], in: .pytorch))
    let transposed = try TransposedConvolution1D(kernel: 3, channels: 4)
      .parameters(for: [input])
    #expect(transposed[0].kerasAxes == [.width, .outputs, .inputs])
    #expect(transposed[0].pytorchAxes == [.inputs, .outputs, .width])
    let separable = try SeparableConvolution1D(kernel: 3, channels: 4, multiplier: 2)
      .parameters(for: [input])
    #expect(separable.map(\.type) == [.depthwise, .weights, .biases])
    // Keras's depthwise and pointwise kernels.
    #expect(separable[0].fits([3, 6, 2], in: .keras))
    #expect(separable[1].fits([1, 12, 4], in: .keras))
  }

  @Test func errors() {
    let text = """
      the input is not a sequence
        received  7×5×3 (width×height×channels)
        needs     two axes: time, channels
        remedy    put a Reshape before this layer
      """
    expectError(
      Convolution1D(kernel: 3, channels: 4), [image(7, 5, 3)], .shapeMismatch, text)
    expectError(MaxPooling1D(kernel: 3), [image(7, 5, 3)], .shapeMismatch, text)
    expectError(
      TransposedConvolution1D(kernel: 3, channels: 4, padding: .causal), [input],
      .invalidArgument,
      """
      padding is out of range
        received  padding: causal
        needs     .same, .valid or .explicit
      """)
    expectError(
      LSTM(units: 5, projection: 2), [input, Shape(sizes: [2]), Shape(sizes: [1, 4])],
      .shapeMismatch,
      """
      the initial c has a different size from the layer
        received  1×4 (in memory order)
        needs     5 numbers
      """)
    expectError(
      Convolution1D(kernel: 3, channels: 4), [Shape([nil, 6])], .unknownSize,
      unknownSize("a sequence of known length"))
  }
}
