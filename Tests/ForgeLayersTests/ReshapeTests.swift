import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct FlattenTests {
  @Test(
    arguments: [
      // 5·7·11 = 385.
      (image(7, 5, 11), 385), (.vector(13), 13), (Shape(sizes: [3, 5]), 15),
      (Shape(sizes: [2, 3, 5, 7]), 210),
    ] as [(Shape, Int)])
  func shapesAndLowering(input: Shape, count: Int) throws {
    #expect(try Flatten().outputShape(for: [input]) == .vector(count))
    let lowered = try Lowered(Flatten(), input)
    #expect(lowered.text == ["reshape x0"])
    guard case .reshape([1, 1, -1]) = lowered.nodes[0].primitive else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
  }

  @Test func errors() {
    expectError(
      Flatten(), [image(nil, 5, 3)], .unknownSize,
      unknownSize("a known number of elements to flatten"))
  }
}

@Suite struct ReshapeTests {
  let input = image(6, 4, 2)

  @Test(
    arguments: [
      ([8, 6], Shape(sizes: [8, 6])),
      ([8, -1], Shape(sizes: [8, 6])),
      ([-1], Shape(sizes: [48])),
      // Memory order: height 3, width 8, channels 2.
      ([3, 8, 2], image(8, 3, 2)),
      ([2, 2, 2, 2, 3], Shape(sizes: [2, 2, 2, 2, 3])),
    ] as [([Int], Shape)])
  func shapesAndLowering(sizes: [Int], output: Shape) throws {
    #expect(try Reshape(to: sizes).outputShape(for: [input]) == output)
    let lowered = try Lowered(Reshape(to: sizes), input)
    #expect(lowered.text == ["reshape x0"])
    guard case .reshape(sizes) = lowered.nodes[0].primitive else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
  }

  @Test(
    arguments: [
      ([], "[]"), ([0, 48], "[0, 48]"), ([-2, 24], "[-2, 24]"), ([-1, -1], "[-1, -1]"),
      ([.min], "[-9223372036854775808]"),
      ([1, 1, 1, 1, 1, 1, 1, 1, 48], "[1, 1, 1, 1, 1, 1, 1, 1, 48]"),
    ] as [([Int], String)])
  func sizesOutOfRange(sizes: [Int], text: String) {
    expectError(
      Reshape(to: sizes), [input], .invalidArgument,
      """
      shape is out of range
        received  shape: \(text)
        needs     1 to 8 positive sizes, of which one may be -1
      """)
  }

  @Test func otherErrors() {
    expectError(
      Reshape(to: [7, 7]), [input], .shapeMismatch,
      """
      the input cannot take the shape [7, 7]
        needs     a shape of 48 elements
      """)
    expectError(
      Reshape(to: [5, -1]), [input], .shapeMismatch,
      """
      the input cannot take the shape [5, -1]
        needs     a shape of 48 elements
      """)
    expectError(
      Reshape(to: [.max, .max]), [input], .tooLarge,
      """
      the output would be too large
        needs     at most 1099511627776 elements
      """)
    expectError(
      Reshape(to: [-1]), [image(nil, nil, 3)], .unknownSize,
      unknownSize("a known number of elements to reshape"))
  }
}

@Suite struct PermuteTests {
  @Test(
    arguments: [
      ([2, 0, 1], image(7, 5, 3), Shape(sizes: [3, 5, 7])),
      ([1, 0, 2], image(7, 5, 3), image(5, 7, 3)),
      ([2, 0, 1], image(nil, 5, 3), Shape([3, 5, nil])),
      ([1, 0], Shape(sizes: [7, 5]), Shape(sizes: [5, 7])),
      ([0], Shape(sizes: [7]), Shape(sizes: [7])),
    ] as [([Int], Shape, Shape)])
  func shapesAndLowering(order: [Int], input: Shape, output: Shape) throws {
    #expect(try Permute(order: order).outputShape(for: [input]) == output)
    let lowered = try Lowered(Permute(order: order), input)
    #expect(lowered.text == ["permute x0"])
    guard case .permute(order) = lowered.nodes[0].primitive else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
  }

  @Test(arguments: [[], [0, 1], [0, 1, 1], [1, 2, 3], [-1, 0, 1], [0, 1, .max], [0, 1, 2, 3]])
  func wrongOrder(order: [Int]) {
    expectError(
      Permute(order: order), [image(7, 5, 3)], .invalidArgument,
      """
      order is not a permutation of the axes
        received  order: \(order)
        needs     each of 0 to 2 once
      """)
  }
}
