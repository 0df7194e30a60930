import ForgeShapes
import Testing

/// Extreme numbers for every argument of a rule: a result or an error, never a trap.
@Suite struct HostileTests {
  private static let numbers: [Int] = [
    .min, .min + 1, -(1 << 40), -2, -1, 0, 1, 2, 3, 1 << 20, (1 << 20) + 1, 1 << 32, 1 << 40,
    (1 << 40) + 1, 1 << 62, .max - 1, .max,
  ]

  /// Shapes that a tensor of a network may have: every layer's output is checked to be one.
  private let shapes: [Shape] = [
    .vector(1), .vector(1 << 40), image(1 << 20, 1 << 20, 1), image(1 << 40, 1, 1),
    image(1, 1 << 40, 1), image(1 << 39, nil, 2), image(nil, nil, nil), image(7, 5, 3),
    Shape(sizes: [5]), Shape(sizes: [1 << 40]), Shape([nil]),
    Shape(sizes: [2, 2, 2, 2, 2, 2, 2, 2]),
    Shape(sizes: [1 << 20, 1 << 20]),
  ]

  private func check(_ rule: () throws(ShapeError) -> Shape) {
    guard let shape = try? rule() else { return }
    #expect((try? SizeRule.bounded(shape)) != nil, "\(shape)")
  }

  @Test(arguments: numbers) func windows(number: Int) {
    let one = Size.one
    for size in [
      Size(width: number, height: number), Size(width: 1, height: number),
      Size(width: number, height: 3),
    ] {
      for padding in [
        Padding.same, .valid, .explicit(top: number, left: 1), .edges(Edges(all: number)),
      ] {
        for (kernel, stride, dilation) in [
          (size, one, one), (one, size, one), (size, one, size), (size, size, size),
        ] {
          let window = ConvolutionGeometry(
            kernel: kernel, stride: stride, dilation: dilation, padding: padding)
          for shape in shapes {
            check { () throws(ShapeError) in
              try window.outputShape(for: shape, channels: number)
            }
            check { () throws(ShapeError) in try window.poolingShape(for: shape) }
          }
        }
      }
    }
  }

  /// A user-defined layer may use a window that has not been checked.
  @Test(arguments: numbers) func uncheckedWindows(number: Int) {
    for other in Self.numbers {
      let size = Size(width: number, height: other)
      let edges = Edges(top: number, left: other, bottom: other, right: number)
      let sum = edges + edges
      let top = number.addingReportingOverflow(number)
      #expect(sum.top == (top.overflow ? (number < 0 ? .min : .max) : top.partialValue))
      for padding in [Padding.same, .valid, .edges(edges)] {
        for geometry in [
          ConvolutionGeometry(kernel: size, padding: padding),
          ConvolutionGeometry(kernel: .one, stride: size, padding: padding),
          ConvolutionGeometry(kernel: size, dilation: size, padding: padding),
          ConvolutionGeometry(kernel: size, stride: size, dilation: size, padding: padding),
        ] {
          _ = geometry.isPointwise
          let extent = geometry.extent
          if number > 0, other > 0 { #expect(extent.isPositive) }
          let border = geometry.edges(width: other, height: number)
          if padding != .edges(edges) { #expect(border.isNonNegative) }
          let output = geometry.output(width: other, height: number)
          #expect(output.width >= 0 && output.height >= 0)
        }
      }
    }
  }

  @Test(arguments: numbers) func uncheckedParameters(number: Int) {
    for other in Self.numbers {
      let spec = ParameterSpec(
        .weights, [.outputs: number, .height: other, .width: number, .inputs: other])
      let order: [ParameterAxis] = [.inputs, .width, .height, .outputs]
      for layout in [ParameterLayout.forge, .keras, .pytorch, .axes(order), .axes([.inputs])] {
        let strides = layout.strides(for: spec)
        #expect(strides == nil || strides?.count == 4)
        // Elements that fit in memory have distances that do, too.
        if spec.count > 0, layout != .axes([.inputs]) { #expect(strides != nil) }
      }
      #expect(!spec.shapeText.isEmpty)
    }
  }

  @Test(arguments: numbers) func rearrangements(number: Int) {
    let edges = [
      Edges(all: number), Edges(top: number), Edges(left: 3, right: number), Edges(bottom: number),
    ]
    for shape in shapes {
      for edges in edges {
        check { () throws(ShapeError) in try RearrangementRule.pad(shape, by: edges) }
        check { () throws(ShapeError) in try RearrangementRule.crop(shape, by: edges) }
      }
      for size in [Size(width: number, height: number), Size(width: 2, height: number)] {
        check { () throws(ShapeError) in try RearrangementRule.upSample(shape, by: size) }
        check { () throws(ShapeError) in try RearrangementRule.resize(shape, to: size) }
      }
      for list in [[number], [number, -1], [number, number], [-1, number, 3], [number, 0, 1]] {
        check { () throws(ShapeError) in try RearrangementRule.reshape(shape, to: list) }
        check { () throws(ShapeError) in try RearrangementRule.permute(shape, order: list) }
      }
      check { () throws(ShapeError) in try RearrangementRule.flatten(shape) }
    }
  }

  @Test(arguments: numbers) func combinations(number: Int) {
    // Here sizes themselves may be anything.
    let odd = [
      image(number, number, number), image(nil, number, 1), Shape(sizes: [number]), Shape([]),
      Shape(Array(repeating: number, count: 9)),
    ]
    for a in shapes + odd {
      for b in odd + [a] {
        check { () throws(ShapeError) in try CombinationRule.broadcast([a, b, a]) }
        for axis in [number, -1, 0, 2] {
          check { () throws(ShapeError) in
            try CombinationRule.concatenate([a, b, a], axis: axis)
          }
        }
      }
      check { () throws(ShapeError) in try ArgumentRule.tensor(a) }
      check { () throws(ShapeError) in try SizeRule.bounded(a) }
      _ = (a.description, a.tupleText, a.elementCount, a.axes, a.width, a.height, a.channels)
    }
  }

  @Test(arguments: numbers) func parameters(number: Int) {
    let spec = ParameterSpec(.weights, [.outputs: number, .inputs: number, .height: 1 << 20])
    #expect((0...Shape.maximumElementCount).contains(spec.count))
    let isBounded = (try? SizeRule.bounded(spec)) != nil
    #expect(isBounded == [0, 1, 2, 3].contains(number))
    guard isBounded else { return }
    for layout in [ParameterLayout.forge, .keras, .pytorch, .axes([.height, .inputs, .outputs])] {
      #expect(layout.strides(for: spec)?.count == 3)
    }
  }
}
