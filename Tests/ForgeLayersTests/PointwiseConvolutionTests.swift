import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct PointwiseConvolutionTests {
  let input = image(28, 20, 6)

  @Test(
    arguments: [
      ((1, 1), image(28, 20, 6), image(28, 20, 8)),
      // ⌈29/2⌉ = 15, ⌈13/3⌉ = 5.
      ((2, 3), image(29, 13, 6), image(15, 5, 8)),
      // A stride larger than the image takes its first pixel.
      ((7, 7), image(5, 3, 1), image(1, 1, 8)),
      ((2, 2), image(nil, 7, 3), image(nil, 4, 8)),
    ] as [((Int, Int), Shape, Shape)])
  func shapes(stride: (Int, Int), input: Shape, output: Shape) throws {
    let layer = PointwiseConvolution(channels: 8, stride: stride)
    #expect(try layer.outputShape(for: [input]) == output)
  }

  @Test func defaults() {
    let layer = PointwiseConvolution(channels: 1)
    #expect(layer.geometry.stride == .one)
    #expect(layer.activation == .linear)
    #expect(layer.hasBias)
    #expect(layer.name == nil)
  }

  @Test func parameters() throws {
    let specs = try PointwiseConvolution(channels: 20).parameters(for: [input])
    // 20·6 = 120.
    #expect(specs.map(\.shapeText) == ["20×1×1×6 [O][H][W][I]", "20 [O]"])
    #expect(specs.map(\.type) == [.weights, .biases])
    #expect(specs.map(\.count) == [120, 20])
    let unbiased = try PointwiseConvolution(channels: 2, useBias: false).parameters(for: [input])
    #expect(unbiased.map(\.shapeText) == ["2×1×1×6 [O][H][W][I]"])
  }

  @Test func multiplyAdds() throws {
    let layer = PointwiseConvolution(channels: 8)
    // 14·10·8 outputs of 6 inputs: 1120·6 = 6720.
    #expect(try layer.multiplyAdds(for: [image(14, 10, 6)]) == 6720)
    #expect(try layer.multiplyAdds(for: [image(nil, 1, 6)]) == 0)
    #expect(MultiplyAdds.perElement(of: image(1, 1, 8), .max) == .max)
  }

  @Test func lowering() throws {
    let layer = PointwiseConvolution(channels: 8, stride: (2, 3), activation: .relu)
    let lowered = try Lowered(layer, input)
    #expect(lowered.text == ["convolution x0, weights, biases", "relu v0"])
    guard case .convolution(let geometry, 8, 1) = lowered.nodes[0].primitive else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
    #expect(geometry == layer.geometry)
    let plain = try Lowered(PointwiseConvolution(channels: 8, useBias: false), input)
    #expect(plain.text == ["convolution x0, weights"])
  }

  @Test(arguments: [0, -1, .min, (1 << 20) + 1, .max])
  func argumentsOutOfRange(number: Int) {
    expectError(
      PointwiseConvolution(channels: number), [input], .invalidArgument,
      notPositive("channels", "\(number)"))
    expectError(
      PointwiseConvolution(channels: 1, stride: (number, 1)), [input], .invalidArgument,
      notPositive("stride", "(\(number), 1)"))
  }

  @Test func otherErrors() {
    expectError(
      PointwiseConvolution(channels: 1, activation: .clipped(minimum: 1, maximum: 0)), [input],
      .invalidArgument,
      """
      activation is out of range
        received  activation: clipped(minimum: 1.0, maximum: 0.0)
        needs     minimum at most maximum
      """)
    let layer = PointwiseConvolution(channels: 1)
    expectError(layer, [Shape(sizes: [4, 4])], .shapeMismatch, notAnImage)
    expectError(
      layer, [image(8, 8, nil)], .unknownSize, unknownSize("a known number of channels"))
    expectError(
      layer, [], .wrongInputCount,
      """
      wrong number of inputs
        received  0 tensors
        needs     exactly 1 tensor
      """)
  }
}
