import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct ElementwiseTests {
  let a = image(7, 5, 3)

  /// All six layers, the constant ones with a constant where it is given.
  private func layers(constant: [Float]? = nil) -> [any Layer] {
    [
      Add(constant: constant), Subtract(constant: constant), Multiply(constant: constant),
      Maximum(constant: constant), Minimum(constant: constant),
    ] + (constant == nil ? [Average()] : [])
  }

  @Test(arguments: [
    (image(7, 5, 3), image(7, 5, 3), image(7, 5, 3)),
    // Squeeze and excite: one gate per channel.
    (image(7, 5, 3), .vector(3), image(7, 5, 3)),
    (image(7, 5, 1), image(1, 5, 3), image(7, 5, 3)),
    (image(7, 5, 3), Shape(sizes: [3]), image(7, 5, 3)),
    (Shape(sizes: [11, 2]), Shape(sizes: [11, 1]), Shape(sizes: [11, 2])),
    (image(nil, nil, 3), image(nil, nil, 3), image(nil, nil, 3)),
    (image(nil, nil, 3), .vector(3), image(nil, nil, 3)),
  ])
  func shapes(first: Shape, second: Shape, output: Shape) throws {
    for layer in layers() {
      #expect(try layer.outputShape(for: [first, second]) == output)
      #expect(try layer.outputShape(for: [second, first]) == output)
    }
  }

  @Test func severalInputs() throws {
    let inputs = [a, .vector(3), image(7, 1, 1), a]
    #expect(try Add().outputShape(for: inputs) == a)
    #expect(try Multiply().outputShape(for: inputs) == a)
    #expect(try Maximum().outputShape(for: inputs) == a)
    #expect(try Minimum().outputShape(for: inputs) == a)
    #expect(try Average().outputShape(for: inputs) == a)
  }

  @Test func singleInputAndConstant() throws {
    for layer in layers(constant: [0.5]) {
      #expect(try layer.outputShape(for: [a]) == a)
      #expect(try layer.outputShape(for: [image(nil, nil, nil)]) == image(nil, nil, nil))
    }
    for layer in layers(constant: [1, 2, 3]) {
      #expect(try layer.outputShape(for: [image(nil, nil, 3)]) == image(nil, nil, 3))
    }
  }

  @Test func noParametersAndNoMultiplyAdds() throws {
    for layer in layers() {
      #expect(try layer.parameters(for: [a, a]).isEmpty)
      #expect(try layer.multiplyAdds(for: [a, a]) == 0)
    }
  }

  @Test func loweringOfTwo() throws {
    #expect(try Lowered(Add(), a, a).text == ["add x0, x1"])
    #expect(try Lowered(Subtract(), a, .vector(3)).text == ["subtract x0, x1"])
    #expect(try Lowered(Multiply(), a, .vector(3)).text == ["multiply x0, x1"])
    #expect(try Lowered(Maximum(), a, a).text == ["maximum x0, x1"])
    #expect(try Lowered(Minimum(), a, a).text == ["minimum x0, x1"])
    #expect(try Lowered(Average(), a, a).text == ["add x0, x1", "multiply v0, [0.5]"])
  }

  @Test func loweringIsLeftToRight() throws {
    #expect(try Lowered(Add(), a, a, a).text == ["add x0, x1", "add v0, x2"])
    #expect(
      try Lowered(Average(), a, a, a, a).text
        == ["add x0, x1", "add v0, x2", "add v1, x3", "multiply v2, [0.25]"])
  }

  @Test func loweringOfAConstant() throws {
    let lowered = try Lowered(Subtract(constant: [1, 2, 3]), a)
    #expect(lowered.text == ["subtract x0, [1.0, 2.0, 3.0]"])
    #expect(lowered.constants.map(\.shape) == [.vector(3)])
    #expect(
      try Lowered(Add(constant: [4]), a, a).text == ["add x0, x1", "add v0, [4.0]"])
    let sequence = try Lowered(Multiply(constant: [0.1]), Shape([nil, 3]))
    #expect(sequence.text == ["multiply x0, [0.1]"])
    #expect(sequence.constants.map(\.shape) == [Shape(sizes: [1, 1])])
  }

  @Test func wrongInputCounts() {
    for (layer, name) in zip(
      [Add(), Multiply(), Maximum(), Minimum(), Average()] as [any Layer],
      ["Add", "Multiply", "Maximum", "Minimum", "Average"])
    {
      expectError(
        layer, [a], .wrongInputCount,
        """
        wrong number of inputs
          received  1 tensor
          needs     at least 2 tensors, as in [a, b] --> \(name)()
        """)
    }
    expectError(
      Add(constant: [1]), [], .wrongInputCount,
      """
      wrong number of inputs
        received  0 tensors
        needs     at least 1 tensor, as in [a, b] --> Add()
      """)
    for inputs in [[], [a], [a, a, a]] {
      expectError(
        Subtract(), inputs, .wrongInputCount,
        """
        wrong number of inputs
          received  \(inputs.count == 1 ? "1 tensor" : "\(inputs.count) tensors")
          needs     exactly 2 tensors, as in [a, b] --> Subtract()
        """)
    }
    expectError(
      Subtract(constant: [1]), [a, a], .wrongInputCount,
      """
      wrong number of inputs
        received  2 tensors
        needs     exactly 1 tensor
      """)
  }

  @Test func mismatchedSizes() {
    for layer in layers() {
      expectError(
        layer, [image(7, 5, 3), image(7, 4, 3)], .shapeMismatch,
        """
        the inputs do not match
          needs     sizes that are equal along each axis, or 1 where they differ
        """)
    }
  }

  @Test func mismatchedConstants() {
    for layer in layers(constant: [1, 2]) {
      expectError(
        layer, [a], .invalidArgument,
        """
        constant has the wrong number of values
          received  constant: 2 values
          needs     1 value, or one for each of 3 channels
        """)
      expectError(
        layer, [image(7, 5, nil)], .invalidArgument,
        """
        constant has the wrong number of values
          received  constant: 2 values
          needs     1 value, as the number of channels is not known
        """)
    }
    expectError(
      Add(constant: []), [image(2, 2, 1)], .invalidArgument,
      """
      constant has the wrong number of values
        received  constant: 0 values
        needs     1 value
      """)
    expectError(
      Multiply(constant: [1, -.infinity, .nan]), [a], .invalidArgument,
      """
      constant is out of range
        received  constant: -inf
        needs     a finite number
      """)
  }
}
