import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct ConcatenateTests {
  @Test(
    arguments: [
      (-1, [image(7, 5, 3), image(7, 5, 4)], image(7, 5, 7)),
      (2, [image(7, 5, 3), image(7, 5, 4), image(7, 5, 11)], image(7, 5, 18)),
      // Axis 0 is the height, axis 1 the width.
      (0, [image(7, 5, 3), image(7, 4, 3)], image(7, 9, 3)),
      (-3, [image(7, 5, 3), image(7, 4, 3)], image(7, 9, 3)),
      (1, [image(7, 5, 3), image(2, 5, 3)], image(9, 5, 3)),
      (-1, [image(7, 5, 3)], image(7, 5, 3)),
      (-1, [image(nil, nil, 3), image(nil, nil, 4)], image(nil, nil, 7)),
      (1, [image(nil, 5, 3), image(2, 5, 3)], image(nil, 5, 3)),
      (-1, [Shape(sizes: [13, 2]), Shape(sizes: [13, 3])], Shape(sizes: [13, 5])),
      (0, [Shape(sizes: [13]), Shape(sizes: [2])], Shape(sizes: [15])),
    ] as [(Int, [Shape], Shape)])
  func shapes(axis: Int, inputs: [Shape], output: Shape) throws {
    #expect(try Concatenate(axis: axis).outputShape(for: inputs) == output)
  }

  @Test func lowering() throws {
    let lowered = try Lowered(
      Concatenate(), image(nil, nil, 3), image(nil, nil, 4), image(nil, nil, 5))
    #expect(lowered.text == ["concatenate x0, x1, x2"])
    guard case .concatenate(axis: 2) = lowered.nodes[0].primitive else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
    let rows = try Lowered(Concatenate(axis: -3), image(7, 5, 3), image(7, 2, 3))
    guard case .concatenate(axis: 0) = rows.nodes[0].primitive else {
      Issue.record("\(rows.nodes[0].primitive)")
      return
    }
  }

  @Test func wrongInputs() {
    expectError(
      Concatenate(), [], .wrongInputCount,
      """
      wrong number of inputs
        received  0 tensors
        needs     at least 1 tensor, as in [a, b] --> Concatenate()
      """)
    expectError(
      Concatenate(), [image(7, 5, 3), image(7, 4, 3)], .shapeMismatch,
      """
      the inputs do not match
        needs     the same rank and, on every axis but channels, the same sizes
      """)
    expectError(
      Concatenate(axis: 0), [image(7, 5, 3), Shape(sizes: [7, 3])], .shapeMismatch,
      """
      the inputs do not match
        needs     the same rank and, on every axis but height, the same sizes
      """)
  }

  @Test(arguments: [3, -4, .max, .min])
  func axisOutOfRange(axis: Int) {
    expectError(
      Concatenate(axis: axis), [image(7, 5, 3), image(7, 5, 3)], .invalidArgument,
      """
      axis is out of range
        received  axis: \(axis)
        needs     -3 to 2
      """)
  }

  @Test func tooLarge() {
    for inputs in [
      [Shape(sizes: [1 << 40]), Shape(sizes: [1])], [Shape(sizes: [.max]), Shape(sizes: [.max])],
    ] {
      expectError(
        Concatenate(), inputs, .tooLarge,
        """
        the output would be too large
          needs     at most 1099511627776 elements
        """)
    }
  }
}
