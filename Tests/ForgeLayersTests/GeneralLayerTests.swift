import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

/// Functions of elements, of two tensors and choices between them.
@Suite struct ElementFunctionTests {
  @Test(arguments: [image(7, 5, 3), image(nil, nil, 3), Shape(sizes: [5]), Shape([nil, 2, 3, 4])])
  func functionsKeepShapes(_ shape: Shape) throws {
    let layers: [any Layer] = [
      Identity(), Unary(.exponential), Divide(by: [2]), Power(of: [0.5]),
      Remainder(.ofDivisor, by: [3]), Compare(.less, than: [0]), Logical(.and, with: [1]),
    ]
    for layer in layers {
      #expect(try layer.outputShape(for: [shape]) == shape)
      #expect(try layer.parameters(for: [shape]).isEmpty)
      #expect(try layer.multiplyAdds(for: [shape]) == 0)
    }
  }

  @Test func pairsBroadcast() throws {
    let layers: [any Layer] = [
      Divide(), Power(), Remainder(.ofDividend), Compare(.equal), Logical(.xor),
    ]
    for layer in layers {
      #expect(try layer.outputShape(for: [image(7, 5, 3), .vector(3)]) == image(7, 5, 3))
      #expect(
        try layer.outputShape(for: [Shape(sizes: [4, 1]), Shape(sizes: [2, 1, 3])]).sizes
          == [2, 4, 3])
      expectError(
        layer, [image(7, 5, 3), image(7, 4, 3)], .shapeMismatch,
        """
        the inputs do not match
          needs     sizes that are equal along each axis, or 1 where they differ
        """)
    }
    #expect(try Lowered(Divide(), image(7, 5, 3), .vector(3)).text == ["divide x0, x1"])
    #expect(try Lowered(Power(of: [3]), image(7, 5, 3)).text == ["power x0, [3.0]"])
    // Exact and faster.
    #expect(try Lowered(Power(of: [2]), image(7, 5, 3)).text == ["multiply x0, x0"])
    #expect(try Lowered(Divide(by: [3]), image(7, 5, 3)).text == ["divide x0, [3.0]"])
    #expect(try Lowered(Divide(by: [8]), image(7, 5, 3)).text == ["multiply x0, [0.125]"])
  }

  @Test func wrongCounts() {
    let a = image(7, 5, 3)
    for inputs in [[], [a], [a, a, a]] {
      for layer in [Divide(), Power(), Compare(.less)] as [any Layer] {
        let error = #expect(throws: ShapeError.self) { try layer.outputShape(for: inputs) }
        #expect(error?.kind == .wrongInputCount)
      }
    }
    for layer in [Divide(by: [1]), Logical(.or, with: [1])] as [any Layer] {
      let error = #expect(throws: ShapeError.self) { try layer.outputShape(for: [a, a]) }
      #expect(error?.kind == .wrongInputCount)
    }
    expectError(
      Where(), [a, a], .wrongInputCount,
      """
      wrong number of inputs
        received  2 tensors
        needs     exactly 3 tensors, as in [condition, a, b] --> Where()
      """)
    expectError(
      Divide(by: [1, 2]), [a], .invalidArgument,
      """
      constant has the wrong number of values
        received  constant: 2 values
        needs     1 value, or one for each of 3 channels
      """)
  }

  @Test func whereBroadcasts() throws {
    let shapes = [Shape(sizes: [7, 1]), Shape(sizes: [5, 1, 3]), Shape(sizes: [1])]
    #expect(try Where().outputShape(for: shapes).sizes == [5, 7, 3])
    let a = image(7, 5, 3)
    #expect(try Lowered(Where(), a, a, a).text == ["select x0, x1, x2"])
    expectError(
      Where(), [a, a, image(7, 4, 3)], .shapeMismatch,
      """
      the inputs do not match
        needs     sizes that are equal along each axis, or 1 where they differ
      """)
  }
}

/// Reductions, rankings and running sums.
@Suite struct ReductionTests {
  @Test(
    arguments: [
      (nil, [7, 5, 3], [1], [1, 1, 1]), ([2], [7, 5, 3], [7, 5], [7, 5, 1]),
      ([-1, 0], [7, 5, 3], [5], [1, 5, 1]), ([0, 1], [7, 5, 3], [3], [1, 1, 3]),
      ([1, 3], [2, 3, 4, 5], [2, 4], [2, 1, 4, 1]), ([0], [13], [1], [1]),
    ] as [([Int]?, [Int], [Int], [Int])])
  func shapes(axes: [Int]?, sizes: [Int], reduced: [Int], kept: [Int]) throws {
    let shape = Shape(sizes: sizes)
    for kind in [Reduction.sum, .mean, .maximum, .logSumExp] {
      #expect(try Reduce(kind, axes: axes).outputShape(for: [shape]).sizes == reduced)
      #expect(
        try Reduce(kind, axes: axes, keepsDimensions: true).outputShape(for: [shape]).sizes
          == kept)
    }
  }

  @Test func imagesArePooled() throws {
    let image = image(7, 5, 3)
    #expect(
      try Lowered(Reduce(.mean, axes: [0, 1], keepsDimensions: true), image).text.count == 1)
    #expect(
      try Reduce(.maximum, axes: [1, 0], keepsDimensions: true)
        .outputShape(for: [ForgeLayersTests.image(nil, nil, 3)]) == .vector(3))
  }

  @Test func mistakes() {
    let a = image(7, 5, 3)
    expectError(
      Reduce(.sum, axes: [0, -3]), [a], .invalidArgument,
      """
      axes is out of range
        received  axes: [0, -3]
        needs     each axis once
      """)
    expectError(
      Reduce(.sum, axes: [3]), [a], .invalidArgument,
      """
      axis is out of range
        received  axis: 3
        needs     -3 to 2
      """)
    expectError(
      Reduce(.sum, axes: [1]), [image(nil, nil, 3)], .unknownSize,
      unknownSize("known sizes to reduce"))
    let layers: [any Layer] = [
      ArgMax(axis: -4), ArgMin(axis: 3), TopK(count: 1, axis: .max), CumulativeSum(axis: .min),
      Softmax(axis: 3), LogSoftmax(axis: -4),
    ]
    for layer in layers {
      let error = #expect(throws: ShapeError.self) { try layer.outputShape(for: [a]) }
      #expect(error?.kind == .invalidArgument)
    }
  }

  @Test func places() throws {
    for axis in [1, -2] {
      let shape = Shape(sizes: [7, 5, 3])
      #expect(try ArgMax(axis: axis).outputShape(for: [shape]).sizes == [7, 3])
      #expect(
        try ArgMin(axis: axis, keepsDimensions: true).outputShape(for: [shape]).sizes == [7, 1, 3])
      #expect(try TopK(count: 4, axis: axis).outputShape(for: [shape]).sizes == [7, 4, 3])
      #expect(try CumulativeSum(axis: axis).outputShape(for: [shape]).sizes == [7, 5, 3])
      #expect(try Softmax(axis: axis).outputShape(for: [shape]).sizes == [7, 5, 3])
    }
    #expect(try ArgMax(axis: 0).outputShape(for: [Shape(sizes: [9])]).sizes == [1])
    for count in [0, -1, 6, .max, .min] {
      expectError(
        TopK(count: count, axis: 1), [image(5, 7, 3)], .invalidArgument,
        """
        count is out of range
          received  count: \(count)
          needs     1 to 5
        """)
    }
  }

  @Test func lastAxesNeedNoPermutation() throws {
    #expect(try Lowered(ArgMax(axis: -1, keepsDimensions: true), image(7, 5, 3)).text.count == 1)
    #expect(try Lowered(Softmax(axis: 2), image(7, 5, 3)).text == ["softmax x0"])
    #expect(
      try Lowered(CumulativeSum(axis: 0), Shape(sizes: [4, 3])).text
        == ["permute x0", "cumulativeSum v0", "permute v1"])
  }

  /// Places along longer axes would not be exact as Float.
  @Test func longAxes() {
    let shape = Shape(sizes: [(1 << 24) + 1])
    for layer in [ArgMax(axis: 0), TopK(count: 1, output: .indices)] as [any Layer] {
      let error = #expect(throws: ShapeError.self) { try layer.outputShape(for: [shape]) }
      #expect(error?.kind == .tooLarge)
    }
  }
}

/// Choices, repetitions and edges.
@Suite struct MovedElementTests {
  @Test(
    arguments: [
      (Slice(starts: [2], ends: [6]), [7], [4]), (Slice(starts: [-3], ends: [.max]), [7], [3]),
      (Slice(starts: [.max], ends: [.min], steps: [-2]), [7], [4]),
      (Slice(starts: [5], ends: [-7], steps: [-1]), [7], [5]),
      (Slice(starts: [.min], ends: [.max], steps: [.max]), [7], [1]),
      (Slice(starts: [1, 2], ends: [4, .max], axes: [1, 0]), [7, 5], [5, 3]),
      (Gather(indices: [0, -1, 4], axis: -1), [7, 5], [7, 3]),
      (Expand(to: [2, 1, 5]), [7, 1], [2, 7, 5]), (Expand(to: [1]), [7, 3], [7, 3]),
      (Tile([2, 3]), [7, 5], [14, 15]), (Squeeze(axes: [0, -1]), [1, 7, 1], [7]),
      (Squeeze(axes: [0, 1]), [1, 1], [1]), (ExpandDims(axes: [0, -1]), [7], [1, 7, 1]),
      (Pad(before: [1, 0], after: [2, 3]), [7, 5], [10, 8]),
      (Pad(before: [-1, 0], after: [-2, -3]), [7, 5], [4, 2]),
      (Pad(before: [6], after: [6], mode: .reflect), [7], [19]),
      (Pad(before: [9], after: [20], mode: .wrap), [7], [36]),
    ] as [(any Layer, [Int], [Int])])
  func shapes(layer: any Layer, sizes: [Int], output: [Int]) throws {
    #expect(try layer.outputShape(for: [Shape(sizes: sizes)]).sizes == output)
  }

  @Test func chosenAtRunTime() throws {
    let data = Shape(sizes: [7, 5, 3])
    #expect(
      try GatherRows(axis: -2).outputShape(for: [data, Shape(sizes: [2, 4])]).sizes
        == [7, 2, 4, 3])
    #expect(
      try GatherElements(axis: 1).outputShape(for: [data, Shape(sizes: [6, 9, 3])]).sizes
        == [6, 9, 3])
    for shapes in [[data, Shape(sizes: [8, 5, 3])], [data, Shape(sizes: [5, 3])], [data]] {
      #expect(throws: ShapeError.self) { try GatherElements(axis: 1).outputShape(for: shapes) }
    }
    let long = [Shape(sizes: Array(repeating: 2, count: 7)), Shape(sizes: [1, 1, 1])]
    #expect(throws: ShapeError.self) { try GatherRows().outputShape(for: long) }
  }

  @Test(
    arguments: [
      (Slice(starts: [7], ends: [9]), .emptyOutput), (Slice(starts: [0], ends: [-9]), .emptyOutput),
      (Slice(starts: [0], ends: [3], steps: [0]), .invalidArgument),
      (Slice(starts: [0], ends: [3], steps: [.min]), .invalidArgument),
      (Slice(starts: [0, 1], ends: [3]), .invalidArgument),
      (Slice(starts: [0, 1], ends: [3, 3], axes: [0, -2]), .invalidArgument),
      (Gather(indices: [7], axis: 0), .invalidArgument),
      (Gather(indices: [-8], axis: 0), .invalidArgument),
      (Gather(indices: [], axis: 0), .invalidArgument),
      (Expand(to: [2, 5]), .shapeMismatch), (Expand(to: []), .invalidArgument),
      (Expand(to: [0, 7, 5]), .invalidArgument), (Expand(to: [1 << 40, 1, 1]), .tooLarge),
      (Tile([2]), .invalidArgument), (Tile([0, 1]), .invalidArgument),
      (Tile([1 << 30, 1 << 30]), .tooLarge), (Tile([.max, 1]), .invalidArgument),
      (Squeeze(axes: [0]), .invalidArgument), (Squeeze(axes: [2]), .invalidArgument),
      (ExpandDims(axes: [0, 0]), .invalidArgument), (ExpandDims(axes: [3]), .invalidArgument),
      (ExpandDims(axes: Array(0..<7)), .invalidArgument),
      (Pad(before: [1], after: [1, 1]), .invalidArgument),
      (Pad(before: [7, 0], after: [0, 0], mode: .reflect), .invalidArgument),
      (Pad(before: [-4, 0], after: [-3, 0]), .emptyOutput),
      (Pad(before: [.max, 0], after: [.min, 0]), .invalidArgument),
      (Pad(before: [(1 << 20) + 1, 0], after: [0, 0], mode: .edge), .invalidArgument),
    ] as [(any Layer, ShapeError.Kind)])
  func mistakes(layer: any Layer, kind: ShapeError.Kind) {
    let error = #expect(throws: ShapeError.self) {
      try layer.outputShape(for: [Shape(sizes: [7, 5])])
    }
    #expect(error?.kind == kind, "\(layer): \(error?.description ?? "")")
  }

  /// Edges and rows of images move nothing but whole pixels.
  @Test func imagesStayImages() throws {
    #expect(try Lowered(Slice(starts: [1], ends: [6]), image(9, 7, 5)).text == ["crop x0"])
    #expect(
      try Lowered(Pad(before: [1, 0, 0], after: [0, 2, 0]), image(9, 7, 5)).text == ["pad x0"])
    #expect(try Lowered(Tile([1, 1, 1]), image(9, 7, 5)).text == ["identity x0"])
  }
}
