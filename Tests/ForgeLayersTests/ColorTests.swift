import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct SubtractMeanColorTests {
  @Test(arguments: [image(7, 5, 3), image(nil, nil, 3)])
  func shapes(input: Shape) throws {
    let layer = SubtractMeanColor(red: 1, green: 2, blue: 3)
    #expect(try layer.outputShape(for: [input]) == input)
    #expect(try layer.parameters(for: [input]).isEmpty)
    // One for each value, where their number is known.
    #expect(try layer.multiplyAdds(for: [input]) == input.elementCount ?? 0)
  }

  @Test func lowering() throws {
    let lowered = try Lowered(SubtractMeanColor(red: 1, green: 2, blue: -3), image(nil, 5, 3))
    #expect(lowered.text == ["affine x0, [1.0, 1.0, 1.0], [-1.0, -2.0, 3.0]"])
    #expect(lowered.constants.map(\.shape) == [Shape(sizes: [3]), Shape(sizes: [3])])
  }

  @Test func errors() {
    let layer = SubtractMeanColor(red: 1, green: 2, blue: 3)
    expectError(
      layer, [image(7, 5, 1)], .shapeMismatch,
      """
      the input has 1 channel
        needs     3 channels: red, green, blue
      """)
    expectError(layer, [Shape(sizes: [7, 3])], .shapeMismatch, notAnImage)
    expectError(
      SubtractMeanColor(red: .nan, green: 2, blue: 3), [image(7, 5, 3)], .invalidArgument,
      """
      red is out of range
        received  red: nan
        needs     a finite number
      """)
    expectError(
      SubtractMeanColor(red: 1, green: .infinity, blue: 3), [image(7, 5, 3)], .invalidArgument,
      """
      green is out of range
        received  green: inf
        needs     a finite number
      """)
    expectError(
      SubtractMeanColor(red: 1, green: 2, blue: -.infinity), [image(7, 5, 3)], .invalidArgument,
      """
      blue is out of range
        received  blue: -inf
        needs     a finite number
      """)
  }
}

@Suite struct SwapRedBlueTests {
  @Test(arguments: [(3, [2, 1, 0]), (4, [2, 1, 0, 3])])
  func shapesAndLowering(channels: Int, order: [Int]) throws {
    for input in [image(7, 5, channels), image(nil, nil, channels)] {
      #expect(try SwapRedBlue().outputShape(for: [input]) == input)
      let lowered = try Lowered(SwapRedBlue(), input)
      #expect(lowered.text == ["gatherChannels x0"])
      guard case .gatherChannels(order) = lowered.nodes[0].primitive else {
        Issue.record("\(lowered.nodes[0].primitive)")
        return
      }
    }
  }

  @Test func errors() {
    expectError(
      SwapRedBlue(), [image(7, 5, 2)], .shapeMismatch,
      """
      the input has 2 channels
        needs     3 or 4 channels: red, green, blue, optionally alpha
      """)
    expectError(SwapRedBlue(), [Shape(sizes: [3])], .shapeMismatch, notAnImage)
    expectError(
      SwapRedBlue(), [image(7, 5, nil)], .unknownSize, unknownSize("a known number of channels"))
  }
}

@Suite struct GrayscaleTests {
  @Test(arguments: [(image(7, 5, 3), image(7, 5, 1)), (image(nil, 5, 3), image(nil, 5, 1))])
  func shapes(input: Shape, output: Shape) throws {
    #expect(try Grayscale().outputShape(for: [input]) == output)
    #expect(try Grayscale().parameters(for: [input]).isEmpty)
  }

  @Test func multiplyAdds() throws {
    // Three for each of 7·5 pixels.
    #expect(try Grayscale().multiplyAdds(for: [image(7, 5, 3)]) == 105)
  }

  @Test func lowering() throws {
    let lowered = try Lowered(Grayscale(), image(nil, nil, 3))
    #expect(lowered.text == ["convolution x0, [0.299, 0.587, 0.114]"])
    #expect(lowered.constants.map(\.shape) == [Shape(sizes: [1, 1, 1, 3])])
    guard case .convolution(let geometry, outputs: 1, groups: 1) = lowered.nodes[0].primitive
    else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
    #expect(geometry.isPointwise)
  }

  @Test func errors() {
    expectError(
      Grayscale(), [image(7, 5, 4)], .shapeMismatch,
      """
      the input has 4 channels
        needs     3 channels: red, green, blue
      """)
    expectError(Grayscale(), [Shape(sizes: [3])], .shapeMismatch, notAnImage)
  }
}
