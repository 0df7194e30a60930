import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

/// Poolings with a rounded-up size, moved pixels, normalizations, resampling and boxes.
@Suite struct WindowedLayerTests {
  let input = image(7, 5, 6)

  @Test func roundedUpPoolings() throws {
    func width(_ size: Int, kernel: Int, stride: Int, pad: Int = 0) throws -> Int? {
      try MaxPooling(
        kernel: (kernel, 1), stride: (stride, 1), padding: .explicit(left: pad, right: pad),
        rounding: .ceiling
      ).outputShape(for: [image(size, 1, 2)]).width
    }
    // ⌈(7 − 2) / 2⌉ + 1, ⌈(6 − 2) / 2⌉ + 1.
    #expect(try width(7, kernel: 2, stride: 2) == 4)
    #expect(try width(6, kernel: 2, stride: 2) == 3)
    // A fourth window would start at 9 − 1 = 8, behind the input of 8: it is left out.
    #expect(try width(8, kernel: 2, stride: 3, pad: 1) == 3)
    #expect(try width(9, kernel: 2, stride: 3, pad: 1) == 4)
    let volume = PoolingND(
      .maximum, kernel: [2, 3], strides: [2, 2], before: [0, 1], after: [0, 1],
      rounding: .ceiling)
    #expect(try volume.outputShape(for: [image(8, 5, 6)]) == image(5, 3, 6))
    #expect(try volume.outputShape(for: [image(nil, 5, 6)]) == image(nil, 3, 6))
  }

  @Test func dilatedPooling() throws {
    let layer = MaxPooling(kernel: (2, 3), stride: (1, 1), dilation: (3, 2))
    // 7 − 3 = 4 columns, 5 − 4 = 1 row.
    #expect(try layer.outputShape(for: [input]) == image(4, 1, 6))
  }

  @Test func movedPixels() throws {
    #expect(try DepthToSpace(block: 2).outputShape(for: [image(3, 5, 12)]) == image(6, 10, 3))
    #expect(
      try DepthToSpace(block: 2).outputShape(for: [image(nil, 5, 12)]) == image(nil, 10, 3))
    #expect(try SpaceToDepth(block: 2).outputShape(for: [image(6, 10, 3)]) == image(3, 5, 12))
    let darknet = SpaceToDepth(block: 2, order: .darknet)
    #expect(try darknet.outputShape(for: [image(26, 26, 64)]) == image(13, 13, 256))
    let shuffle = try Lowered(ChannelShuffle(groups: 3), input)
    guard case .gatherChannels([0, 2, 4, 1, 3, 5]) = shuffle.nodes[0].primitive else {
      Issue.record("\(shuffle.nodes[0].primitive)")
      return
    }
  }

  @Test func normalizations() throws {
    let layer = try LayerNormalization(axes: [0, -1]).parameters(for: [input])
    #expect(layer.map(\.type) == [.gamma, .beta])
    #expect(layer.allSatisfy { $0.axes == [.height, .channels] && $0.sizes == [5, 6] })
    #expect(try LayerNormalization(center: false).parameters(for: [input]).count == 1)
    let group = try GroupNormalization(groups: 3).parameters(for: [input])
    #expect(group.map(\.sizes) == [[6], [6]])
    #expect(try InstanceNormalization(scale: false).parameters(for: [input]).count == 1)
    for shape in [input, Shape(sizes: [4, 6]), Shape(sizes: [2, 3, 4, 6])] {
      #expect(try GroupNormalization(groups: 2).outputShape(for: [shape]) == shape)
      #expect(try InstanceNormalization().outputShape(for: [shape]) == shape)
      #expect(try L2Normalize(axes: [0]).outputShape(for: [shape]) == shape)
    }
    #expect(
      try LayerNormalization().outputShape(for: [image(nil, nil, 6)]) == image(nil, nil, 6))
  }

  @Test func normalizationErrors() {
    let axes = """
      axes is out of range
        received  axes: [0, 3]
        needs     different numbers from -3 to 2
      """
    expectError(LayerNormalization(axes: [0, 3]), [input], .invalidArgument, axes)
    expectError(L2Normalize(axes: [0, 3]), [input], .invalidArgument, axes)
    expectError(
      GroupNormalization(groups: 4), [input], .channelsNotDivisible,
      """
      the input channels cannot be divided into 4 groups
        needs     a number of input channels divisible by 4, not 6
      """)
    expectError(
      InstanceNormalization(epsilon: -1), [input], .invalidArgument,
      """
      epsilon is out of range
        received  epsilon: -1.0
        needs     a finite number of at least 0
      """)
    expectError(
      InstanceNormalization(), [Shape(sizes: [6])], .shapeMismatch,
      """
      the input has 1 axis
        needs     positions, then channels
      """)
  }

  @Test func resampling() throws {
    #expect(try Resample(sizes: [3, nil, 8]).outputShape(for: [input]) == image(7, 3, 8))
    #expect(
      try Resample(sizes: [], scales: [1.5, 0.5]).outputShape(for: [input]) == image(3, 7, 6))
    #expect(
      try Resample(sizes: [nil, 9]).outputShape(for: [image(nil, nil, 2)]) == image(9, nil, 2))
    #expect(
      try AdaptiveAveragePooling(width: 3, height: 9).outputShape(for: [input])
        == image(3, 9, 6))
    expectError(
      Resample(sizes: [1, 2, 3, 4]), [input], .invalidArgument,
      """
      sizes is out of range
        received  sizes: 4 numbers
        needs     at most one for each axis
      """)
  }

  @Test func suppression() throws {
    let layer = NonMaximumSuppression(
      maximumPerClass: 5, iouThreshold: 0.5, scoreThreshold: 0.25)
    let boxes = Shape(sizes: [31, 4])
    #expect(
      try layer.outputShape(for: [boxes, Shape(sizes: [3, 31])]) == Shape(sizes: [15, 3]))
    let few = Shape(sizes: [2, 4])
    #expect(try layer.outputShape(for: [few, Shape(sizes: [3, 2])]) == Shape(sizes: [6, 3]))
    expectError(
      layer, [boxes, Shape(sizes: [3, 30])], .shapeMismatch,
      """
      the inputs are not boxes and scores
        received  31×4 and 3×30
        needs     [boxes][4] and [classes][boxes], both with or without [images] in front
      """)
    expectError(
      layer, [boxes], .wrongInputCount,
      """
      wrong number of inputs
        received  1 tensor
        needs     exactly 2 tensors, as in [boxes, scores] --> NonMaximumSuppression(…)
      """)
  }
}
