import ForgeOperations
import ForgeShapes
import Testing

/// The errors of the reference and their messages.
@Suite struct ReferenceErrorTests {
  private func message(_ body: () throws -> ReferenceTensor) -> String {
    do {
      return "no error, but \(try body())"
    } catch {
      return "\(error)"
    }
  }

  private func ones(_ sizes: Int...) throws -> ReferenceTensor {
    try ReferenceTensor(sizes: sizes, values: Array(repeating: 1, count: sizes.reduce(1, *)))
  }

  private let window = ConvolutionGeometry(kernel: Size(width: 3, height: 2), padding: .same)

  @Test func invalidTensors() {
    #expect(
      message { try ReferenceTensor(sizes: [2, 3], values: [1]) } == """
        there are too few or too many values
          received  1 value
          needs     6 = 2·3
        """)
    #expect(
      message { try ReferenceTensor(sizes: [2, 0], values: []) } == """
        the tensor's sizes are out of range
          received  [2, 0]
          needs     1 to 8 sizes of at least 1, together at most 1099511627776 values
        """)
  }

  /// A broken shape rule is reported once.
  @Test func brokenShapeRules() throws {
    let image = try ones(4, 5, 6)
    #expect(
      message { try Primitive.permute([0, 1]).reference(on: [image]) } == """
        order is not a permutation of the axes
          received  order: [0, 1]
          needs     each of 0 to 2 once
        """)
  }

  @Test func wrongOperandCounts() throws {
    let image = try ones(4, 5, 6)
    #expect(
      message { try Primitive.convolution(window, outputs: 2, groups: 1).reference(on: [image]) }
        == """
        wrong number of inputs for convolution
          received  1 tensor
          needs     2 or 3
        """)
    #expect(
      message { try Primitive.affine.reference(on: [image, image]) } == """
        wrong number of inputs for affine
          received  2 tensors
          needs     exactly 3
        """)
    #expect(
      message { try Primitive.concatenate(axis: 0).reference(on: []) } == """
        wrong number of inputs for concatenate
          received  0 tensors
          needs     at least 1
        """)
  }

  @Test func invalidWeightsAndBiases() throws {
    let image = try ones(4, 5, 6)
    // Outputs, rows, columns, inputs.
    #expect(
      message {
        try Primitive.convolution(window, outputs: 2, groups: 1).reference(
          on: [image, try ones(2, 2, 3, 5)])
      } == """
        there are too few or too many weights
          received  60 values
          needs     72 = 2·2·3·6
        """)
    #expect(
      message {
        try Primitive.depthwiseConvolution(window, multiplier: 2).reference(
          on: [image, try ones(6, 2, 2, 3), try ones(6)])
      } == """
        there are too few or too many biases
          received  6 values
          needs     12
        """)
    #expect(
      message { try Primitive.dense(outputs: 2).reference(on: [image, try ones(2, 100)]) } == """
        there are too few or too many weights
          received  200 values
          needs     240 = 2·120
        """)
    let channels = try ones(6)
    #expect(
      message {
        try Primitive.batchNormalization(epsilon: 0.1).reference(
          on: [image, channels, channels, try ones(5), channels])
      } == """
        there are too few or too many means
          received  5 values
          needs     6
        """)
  }

  /// More weights than the largest element count.
  @Test func weightCountOverflow() throws {
    let most = ConvolutionGeometry.maximumArgument
    let window = ConvolutionGeometry(kernel: Size(width: most, height: most), padding: .same)
    #expect(
      message {
        try Primitive.convolution(window, outputs: most, groups: 1).reference(
          on: [try ones(1, 1, 3), try ones(1)])
      } == """
        there are too few or too many weights
          received  1 value
          needs     1048576·1048576·1048576·3
        """)
  }

  @Test(arguments: [0, 4, -1])
  func indivisibleGroups(_ groups: Int) throws {
    let image = try ones(4, 5, 6)
    let weights = try ones(8, 2, 3, 1)
    let error = #expect(throws: ReferenceError.self) {
      try Primitive.convolution(window, outputs: 8, groups: groups).reference(on: [image, weights])
    }
    #expect(error?.kind == .shapeMismatch)
    #expect(
      (error?.cause as? ShapeError)?.kind == (groups > 0 ? .channelsNotDivisible : .invalidArgument)
    )
  }

  @Test func channelsOutOfRange() throws {
    let image = try ones(4, 5, 6)
    #expect(
      message { try Primitive.gatherChannels([0, 6]).reference(on: [image]) } == """
        order is out of range
          received  channel 6
          needs     0 to 5
        """)
    for order in [[-1], []] {
      let error = #expect(throws: ReferenceError.self) {
        try Primitive.gatherChannels(order).reference(on: [image])
      }
      #expect(error?.kind == .invalidArgument)
    }
  }

  @Test func outOfBoundsCrops() throws {
    let image = try ones(4, 5, 6)
    let resize = Primitive.resize(.size(.one, cropSlot: "face"), .bilinear)
    #expect(
      message {
        try resize.reference(
          on: [image], crops: ["face": CropRectangle(x: 1, y: 0, width: 4.5, height: 4)])
      } == """
        the crop rectangle "face" does not lie inside the image
          received  x 1.0, y 0.0, width 4.5, height 4.0
          needs     a width and height above 0, inside 5×4 (width×height)
        """)
    for crop in [
      CropRectangle(x: -0.5, y: 0, width: 2, height: 2),
      CropRectangle(x: 0, y: -0.5, width: 2, height: 2),
      CropRectangle(x: 0, y: 0, width: 0, height: 2),
      CropRectangle(x: 0, y: 0, width: 2, height: -1),
      CropRectangle(x: 0, y: 3, width: 2, height: 1.5),
      CropRectangle(x: .nan, y: 0, width: 2, height: 2),
      CropRectangle(x: 0, y: 0, width: 2, height: .nan),
      CropRectangle(x: 0, y: 0, width: .infinity, height: 2),
    ] {
      #expect(throws: ReferenceError.self) {
        try resize.reference(on: [image], crops: ["face": crop])
      }
    }
    // The whole image and a part of one pixel are inside.
    for crop in [
      CropRectangle(x: 0, y: 0, width: 5, height: 4),
      CropRectangle(x: 4.75, y: 3.75, width: 0.25, height: 0.25),
    ] {
      #expect(try resize.reference(on: [image], crops: ["face": crop]).sizes == [1, 1, 6])
    }
  }

  @Test func invalidCustomBodies() throws {
    let failing = CustomOperation {
      $0[0]
    } body: { _, _ in
      throw CancellationError()
    }
    #expect(
      message { try Primitive.custom(failing).reference(on: [try ones(1)]) } == """
        the arithmetic of the custom layer failed
          cause     CancellationError()
        """)
    let unknown = CustomOperation { _ in
      Shape([nil])
    } body: { _, _ in
    }
    #expect(
      message { try Primitive.custom(unknown).reference(on: [try ones(1)]) } == """
        the shape rule of the custom layer returns unknown sizes for known ones
          received  ? (in memory order) for 1 (in memory order)
          needs     a size along each axis when those of the inputs are known
        """)
  }

  @Test func errorsNameNodes() throws {
    var graph = OperationGraph()
    let input = graph.addInput(Shape(sizes: [2]))
    let weights = graph.addValue(Shape(sizes: [1, 2]), .constant(.parameter(3)))
    _ = try graph.addNode(.dense(outputs: 1), [input, weights], layer: 0)
    #expect(
      message {
        _ = try ReferenceExecutor(graph).run(inputs: [try ones(2)]) { _ in [1, 2, 3] }
        return try ones(1)
      } == """
        operation 0: there are too few or too many values of parameter 3
          received  3 values
          needs     2 = 1·2
        """)
  }
}
