import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct ResizeTests {
  @Test(arguments: [
    (image(640, 427, 3), image(64, 48, 3)),
    (image(13, 17, 1), image(64, 48, 1)),
    (image(nil, nil, 3), image(64, 48, 3)),
    (image(nil, nil, nil), image(64, 48, nil)),
  ])
  func shapes(input: Shape, output: Shape) throws {
    #expect(try Resize(width: 64, height: 48).outputShape(for: [input]) == output)
  }

  @Test(arguments: [ResizeMode.nearest, .bilinear, .bilinearAntialiased])
  func lowering(mode: ResizeMode) throws {
    let lowered = try Lowered(Resize(width: 64, height: 48, mode: mode), image(nil, nil, 3))
    #expect(lowered.text == ["resize x0"])
    // The rectangle goes by the layer's name, which is made up where none is given.
    let size = Size(width: 64, height: 48)
    guard case .resize(.size(size, cropSlot: "layer"), mode) = lowered.nodes[0].primitive else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
  }

  @Test(arguments: [0, -1, .min, (1 << 20) + 1, .max])
  func sizeOutOfRange(number: Int) {
    expectError(
      Resize(width: number, height: 48), [image(9, 9, 3)], .invalidArgument,
      notPositive("size", "(\(number), 48)"))
    expectError(
      Resize(width: 64, height: number), [image(9, 9, 3)], .invalidArgument,
      notPositive("size", "(64, \(number))"))
  }

  @Test func otherErrors() {
    expectError(
      Resize(width: 64, height: 48), [Shape(sizes: [9, 9])], .shapeMismatch, notAnImage)
    expectError(
      Resize(width: 1 << 20, height: 1 << 20), [image(9, 9, 3)], .tooLarge,
      """
      the output would be too large
        needs     at most 1099511627776 elements
      """)
  }
}

@Suite struct UpSamplingTests {
  @Test(
    arguments: [
      ((2, 2), image(13, 13, 256), image(26, 26, 256)),
      ((3, 5), image(7, 11, 2), image(21, 55, 2)),
      ((1, 1), image(7, 11, 2), image(7, 11, 2)),
      ((3, 5), image(nil, 11, 2), image(nil, 55, 2)),
    ] as [((Int, Int), Shape, Shape)])
  func shapes(size: (Int, Int), input: Shape, output: Shape) throws {
    #expect(try UpSampling(size: size).outputShape(for: [input]) == output)
  }

  @Test(arguments: [ResizeMode.nearest, .bilinear])
  func lowering(mode: ResizeMode) throws {
    let lowered = try Lowered(UpSampling(size: (3, 5), mode: mode), image(nil, 7, 3))
    #expect(lowered.text == ["resize x0"])
    let factor = Size(width: 3, height: 5)
    guard case .resize(.factor(factor), mode) = lowered.nodes[0].primitive else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
  }

  @Test(arguments: [0, -1, .min, (1 << 20) + 1, .max])
  func sizeOutOfRange(number: Int) {
    expectError(
      UpSampling(size: (number, 2)), [image(9, 9, 3)], .invalidArgument,
      notPositive("size", "(\(number), 2)"))
  }

  @Test func otherErrors() {
    expectError(UpSampling(), [Shape(sizes: [9, 9])], .shapeMismatch, notAnImage)
    expectError(
      UpSampling(size: (1 << 20, 1 << 20)), [image(9, 9, 3)], .tooLarge,
      """
      the output would be too large
        needs     at most 1099511627776 elements
      """)
  }
}
